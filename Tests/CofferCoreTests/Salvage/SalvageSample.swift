import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

/// A database for salvage tests, of which each row's pages are known.
struct SalvageSample: Sendable {
  /// A form of the file.
  enum Form: CaseIterable, Sendable {
    case standard, autoVacuum, sqlcipher3, utf16

    var settings: CipherSettings {
      switch self {
      case .standard, .utf16:
        var settings = CipherSettings.default
        settings.pageSize = 1024
        return settings
      case .autoVacuum: return CipherSettings.default
      case .sqlcipher3: return .sqlcipher3
      }
    }

    var pragmas: String {
      switch self {
      case .standard, .sqlcipher3: ""
      case .autoVacuum: "PRAGMA auto_vacuum = INCREMENTAL;"
      case .utf16: "PRAGMA encoding = 'UTF-16le';"
      }
    }
  }

  /// The tables, with the stored columns in their order, and the values of columns added later.
  static let tables: [(name: String, columns: [String], rowid: Int?, defaults: [DatabaseValue])] = [
    (
      "notes", ["id", "title", "body", "stars", "place"], 0,
      [7.databaseValue, "nowhere".databaseValue]
    ),
    ("people", ["name", "age", "data"], nil, []),
    ("archive", ["name", "age", "data"], nil, []),
    ("log", ["id", "line"], 0, []),
    ("keyed", ["number", "word", "rest"], nil, []),
  ]

  struct StoredRow: Hashable, Sendable {
    let table: String
    let rowid: Int64?
    /// The values as the record has them.
    let values: [DatabaseValue]

    /// The values as SQL has them.
    var logicalValues: [DatabaseValue] {
      guard let table = SalvageSample.tables.first(where: { $0.name == table }) else {
        return values
      }
      var values = values
      if let index = table.rowid { values[index] = rowid?.databaseValue ?? .null }
      let missing = table.columns.count - values.count
      return values + table.defaults.suffix(missing)
    }
  }

  let form: Form
  let key: DatabaseKey
  /// The file, encrypted.
  let file: Data
  /// The rows, with the pages on which they are.
  let rows: [StoredRow: Set<Int>]
  let schemaPages: Set<Int>
  let pageCount: Int

  private static let samples = Result { try Form.allCases.map { try SalvageSample($0) } }

  static func all() throws -> [SalvageSample] { try samples.get() }

  static func of(_ form: Form) throws -> SalvageSample {
    try #require(all().first { $0.form == form })
  }

  init(_ form: Form) throws {
    self.form = form
    key = DatabaseKey(
      form: .rawWithSalt([UInt8](0..<16)), bytes: SecureBytes(copying: [UInt8](0x60..<0x80)))
    let folder = try TemporaryDirectory()
    let path = folder.path("db")
    var configuration = Configuration()
    configuration.key = key
    configuration.cipher = form.settings
    try Data().write(to: URL(fileURLWithPath: path))
    let creation = try FileConnection(path: path, key: .new(key, settings: form.settings, at: path))
    try creation.run("\(form.pragmas) CREATE TABLE gone (a, b)")
    creation.close()
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.inDatabase { try Self.fill($0) }
    let expected = try queue.read { db in
      try Self.tables.map { try Self.logicalRows(of: $0.name, db) }
    }
    try queue.close()
    file = try Data(contentsOf: URL(fileURLWithPath: path))
    let reader = try StoredRowReader(file, key, form.settings)
    pageCount = reader.pageCount
    let schema = try reader.rows(root: 1, table: "sqlite_master", isUTF16: form == .utf16)
    schemaPages = schema.values.reduce(into: Set([1])) { $0.formUnion($1) }
    var rows: [StoredRow: Set<Int>] = [:]
    for (row, _) in schema {
      guard let name = String.fromDatabaseValue(row.values[1]),
        String.fromDatabaseValue(row.values[0]) == "table",
        Self.tables.contains(where: { $0.name == name }),
        let root = Int.fromDatabaseValue(row.values[3])
      else { continue }
      rows.merge(try reader.rows(root: root, table: name, isUTF16: form == .utf16)) { $1 }
    }
    self.rows = rows
    for (table, expected) in zip(Self.tables, expected) {
      let found = Set(rows.keys.filter { $0.table == table.name }.map(\.logicalValues))
      precondition(found == expected, "the test reads \(table.name) wrongly")
    }
  }

  /// Returns the rows of a table as SQL has them.
  static func logicalRows(of table: String, _ db: Database) throws -> Set<[DatabaseValue]> {
    let columns = tables.first { $0.name == table }?.columns ?? []
    let sql = "SELECT \(columns.joined(separator: ", ")) FROM \(table)"
    return Set(
      try Row.fetchAll(db, sql: sql).map { row in (0..<row.count).map { row[$0] as DatabaseValue } }
    )
  }

  private static func fill(_ db: Database) throws {
    var random = SeededGenerator(state: 42)
    let letters = Array("abcdefghij klmnop".utf8)
    func text(_ length: Int) -> String {
      String(
        decoding: (0..<length).map { _ in letters.randomElement(using: &random) ?? 0 },
        as: UTF8.self)
    }
    try db.execute(
      sql: """
        PRAGMA secure_delete = OFF; PRAGMA user_version = 11;
        PRAGMA application_id = 12;
        CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT);
        CREATE TABLE people (name TEXT NOT NULL, age INTEGER, data BLOB);
        CREATE INDEX people_name ON people (name);
        CREATE TABLE archive (name TEXT NOT NULL, age INTEGER, data BLOB);
        CREATE UNIQUE INDEX archive_age ON archive (age);
        CREATE TABLE log (id INTEGER PRIMARY KEY AUTOINCREMENT, line TEXT UNIQUE);
        CREATE TABLE keyed (word TEXT, number INT, rest BLOB, PRIMARY KEY (number, word))
          WITHOUT ROWID;
        CREATE VIEW old AS SELECT * FROM people WHERE age > 50;
        CREATE TRIGGER noted AFTER INSERT ON notes BEGIN
          INSERT INTO log (line) VALUES (new.title);
        END;
        """)
    try db.inTransaction {
      for number in 1...150 {
        let length = number % 9 == 0 ? 2500 + 10 * number : number % 40
        try db.execute(
          sql: "INSERT INTO notes (id, title, body) VALUES (?, ?, ?)",
          arguments: [number * 3, "title \(number)", text(length)])
      }
      for number in 1...400 {
        try db.execute(
          sql: "INSERT INTO people VALUES (?, ?, ?)",
          arguments: [text(12), number % 90, Data(random.bytes(number % 60))])
        try db.execute(
          sql: "INSERT INTO archive VALUES (?, ?, ?)",
          arguments: [text(8), number, Data(random.bytes(number % 20 == 0 ? 1800 : 30))])
        try db.execute(
          sql: "INSERT INTO keyed VALUES (?, ?, ?)",
          arguments: [text(10), number, Data(random.bytes(number % 30 == 0 ? 1500 : 20))])
        try db.execute(sql: "INSERT INTO gone VALUES (?, ?)", arguments: [number, text(60)])
      }
      try db.execute(
        sql: """
          ALTER TABLE notes ADD COLUMN stars INTEGER DEFAULT 7;
          ALTER TABLE notes ADD COLUMN place TEXT DEFAULT 'nowhere';
          """)
      for number in 151...200 {
        try db.execute(
          sql: "INSERT INTO notes VALUES (?, ?, ?, ?, 'here')",
          arguments: [number * 3, "title \(number)", text(20), number])
      }
      return .commit
    }
    // What is deleted stays on free pages.
    try db.execute(
      sql: """
        DELETE FROM people WHERE rowid BETWEEN 120 AND 200;
        DELETE FROM notes WHERE id BETWEEN 200 AND 240;
        DELETE FROM keyed WHERE number BETWEEN 300 AND 340;
        DELETE FROM archive WHERE age % 7 = 0;
        DROP TABLE gone;
        """)
  }
}

/// Reads stored rows and their pages, trusting the file.
struct StoredRowReader {
  let pages: [[UInt8]]
  let usable: Int
  var pageCount: Int { pages.count }

  init(_ file: Data, _ key: DatabaseKey, _ settings: CipherSettings) throws {
    let folder = try TemporaryDirectory()
    try file.write(to: URL(fileURLWithPath: folder.path("db")))
    let derived = DerivedKey(key: key.bytes, salt: key.salt!)
    let cipher = try CipherFile(path: folder.path("db"), key: derived, settings: settings)!
    let size = settings.pageSize
    pages = (0..<(file.count / size)).map { index in
      var page = [UInt8](file[(index * size)..<((index + 1) * size)])
      let isAuthentic = page.withUnsafeMutableBytes {
        cipher.decrypt($0, number: index + 1, isAuthenticated: true)
      }
      precondition(isAuthentic)
      return page
    }
    usable = size - Int(pages[0][20])
  }

  func rows(root: Int, table: String, isUTF16: Bool) throws -> [SalvageSample.StoredRow: Set<Int>] {
    var rows: [SalvageSample.StoredRow: Set<Int>] = [:]
    visit(root) { page, rowid, payload, pages in
      let row = SalvageSample.StoredRow(
        table: table, rowid: rowid, values: values(payload, isUTF16: isUTF16))
      rows[row] = pages
    }
    return rows
  }

  private func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
    bytes[offset..<(offset + count)].reduce(0) { $0 << 8 | Int($1) }
  }

  private func varint(_ bytes: [UInt8], _ offset: inout Int) -> Int {
    var value = 0
    for index in 0..<9 {
      let byte = bytes[offset]
      offset += 1
      if index == 8 { return value << 8 | Int(byte) }
      value = value << 7 | Int(byte & 127)
      if byte < 128 { break }
    }
    return value
  }

  private func visit(_ page: Int, _ body: (Int, Int64?, [UInt8], Set<Int>) -> Void) {
    let bytes = pages[page - 1]
    let start = page == 1 ? 100 : 0
    let kind = bytes[start]
    let isLeaf = kind >= 10
    for index in 0..<number(bytes, start + 3, 2) {
      var offset = number(bytes, start + (isLeaf ? 8 : 12) + 2 * index, 2)
      if !isLeaf {
        visit(number(bytes, offset, 4), body)
        offset += 4
      }
      if kind == 5 { continue }
      let size = varint(bytes, &offset)
      let rowid = kind == 13 ? Int64(varint(bytes, &offset)) : nil
      let most = kind == 13 ? usable - 35 : (usable - 12) * 64 / 255 - 23
      let least = (usable - 12) * 32 / 255 - 23
      var local = size
      if size > most {
        let fitting = least + (size - least) % (usable - 4)
        local = fitting <= most ? fitting : least
      }
      var payload = [UInt8](bytes[offset..<(offset + local)])
      var used: Set<Int> = [page]
      var next = local < size ? number(bytes, offset + local, 4) : 0
      while next != 0 {
        used.insert(next)
        let more = min(size - payload.count, usable - 4)
        payload += pages[next - 1][4..<(4 + more)]
        next = number(pages[next - 1], 0, 4)
      }
      body(page, rowid, payload, used)
    }
    if !isLeaf { visit(number(bytes, start + 8, 4), body) }
  }

  private func values(_ payload: [UInt8], isUTF16: Bool) -> [DatabaseValue] {
    var offset = 0
    let end = varint(payload, &offset)
    var position = end
    var values: [DatabaseValue] = []
    while offset < end {
      let type = varint(payload, &offset)
      switch type {
      case 0: values.append(.null)
      case 8, 9: values.append((type - 8).databaseValue)
      case 1...6:
        let size = [0, 1, 2, 3, 4, 6, 8][type]
        let shift = 64 - 8 * size
        values.append(((number(payload, position, size) << shift) >> shift).databaseValue)
        position += size
      default:
        let size = (type - 12) / 2
        let bytes = payload[position..<(position + size)]
        position += size
        if type % 2 == 0 {
          values.append(Data(bytes).databaseValue)
        } else if isUTF16 {
          let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map {
            UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8
          }
          values.append(String(decoding: units, as: UTF16.self).databaseValue)
        } else {
          values.append(String(decoding: bytes, as: UTF8.self).databaseValue)
        }
      }
    }
    return values
  }
}
