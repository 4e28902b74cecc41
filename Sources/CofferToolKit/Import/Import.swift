import Coffer
import CofferCore
import CofferQuery
import Glibc

/// Inserts the rows of a file into a table.
struct RowImport {
  let db: Database
  let table: String
  let sourcePath: String
  let format: ImportFormat
  var creates = false
  var upsertColumns: [String] = []
  /// The types that aren't to be detected.
  var types: [SQLName: String] = [:]
  var progress: (_ bytes: Int, _ rows: Int) -> Void = { _, _ in }

  /// The bytes of a source that can't be read twice, or that is parsed as a whole.
  private var kept: [UInt8]?

  init(_ db: Database, table: String, source: String, format: ImportFormat) {
    self.db = db
    self.table = table
    sourcePath = source == "-" ? "/dev/stdin" : source
    self.format = format
  }

  /// Inserts all rows, in the caller's transaction; returns their number.
  mutating func run() throws -> Int {
    let isMissing = try !db.tableExists(table)
    if isMissing, !creates {
      let nearest = NearestName.find(table, in: try Tool.tableNames(db).map(\.name))
      throw ToolError(
        .failed,
        "no such table: \(table.printable). "
          + (nearest.map { "Did you mean \($0)? " } ?? "") + "--create makes it")
    }
    switch format {
    case .csv, .tsv: return try runCSV(isMissing: isMissing)
    case .json, .ndjson: return try runJSON(isMissing: isMissing)
    }
  }

  // MARK: The source

  private mutating func bytes() throws -> [UInt8] {
    if let kept { return kept }
    var bytes: [UInt8] = []
    let source = try ByteSource.file(sourcePath)
    while try source.readChunk(&bytes) { try Interrupts.check() }
    kept = bytes
    return bytes
  }

  private mutating func csv() throws -> CSVReader {
    let separator = format == .tsv ? 0x09 : UInt8(ascii: ",")
    if creates, !ByteSource.isRepeatable(sourcePath) {
      return try CSVReader(.bytes(try bytes(), chunk: 1 << 18), separator: separator)
    }
    return try CSVReader(try .file(sourcePath), separator: separator)
  }

  // MARK: The table

  /// The columns of a table in which a text can look like a number, or like the infinity that is
  /// exported.
  static func untypedColumns(of table: String, _ db: Database) throws -> Set<String> {
    try Set(
      columns(of: table, types: [:], db).filter { $0.type == .any || $0.type == .numeric }
        .map(\.name))
  }

  private static func columns(
    of table: String, types: [SQLName: String], _ db: Database
  ) throws -> [ImportColumn] {
    let isStrict =
      try Database.sqliteLibVersionNumber >= 3_037_000
      && Row.fetchAll(db, sql: "PRAGMA table_list(\(table.quotedDatabaseIdentifier))")
        .contains { $0["strict"] == 1 }
    return try db.columns(in: table).map { column in
      let declared = types[SQLName(column.name)] ?? column.type
      return ImportColumn(
        name: column.name, type: ImportType(declared: declared, isStrict: isStrict),
        isGenerated: column.isGenerated)
    }
  }

  private func create(_ columns: [(name: String, type: ImportType)]) throws {
    if columns.contains(where: { $0.name.utf8.contains(0) }) {
      throw Self.refusal(1, "a column's name has a NUL byte in it")
    }
    var definitions = columns.map { column in
      column.name.quotedDatabaseIdentifier + " "
        + (types[SQLName(column.name)] ?? column.type.rawValue)
    }
    if !upsertColumns.isEmpty {
      let key = upsertColumns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
      definitions.append("PRIMARY KEY (\(key))")
    }
    try db.execute(
      sql: "CREATE TABLE \(table.quotedDatabaseIdentifier) (\(definitions.joined(separator: ", ")))"
    )
  }

  /// Throws if `--types` or `--upsert` names a column that isn't there.
  private func checkNames(_ columns: [String]) throws {
    let known = Set(columns.map { SQLName($0) })
    for name in types.keys.sorted().map(\.text) + upsertColumns
    where !known.contains(SQLName(name)) {
      let nearest = NearestName.find(name, in: columns).map { "Did you mean \($0)?" }
      throw ToolError(
        .usage,
        "there is no column \(name.printable). \(nearest ?? "coffer schema shows the columns")")
    }
  }

  /// The statements that store a row: the first, and another for rows that it hasn't changed.
  private func statements(_ columns: [String]) throws -> (first: Statement, second: Statement?) {
    let name = table.quotedDatabaseIdentifier
    let list = columns.map(\.quotedDatabaseIdentifier)
    guard !list.isEmpty else {
      return (try db.makeStatement(sql: "INSERT INTO \(name) DEFAULT VALUES"), nil)
    }
    let insert =
      "INSERT INTO \(name)(\(list.joined(separator: ", "))) VALUES "
      + "(\(list.indices.map { "?\($0 + 1)" }.joined(separator: ", ")))"
    guard !upsertColumns.isEmpty else { return (try db.makeStatement(sql: insert), nil) }
    let keys = upsertColumns.map { SQLName($0) }
    let others = columns.indices.filter { !keys.contains(SQLName(columns[$0])) }
    if Database.sqliteLibVersionNumber >= 3_024_000 {
      let target = upsertColumns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
      let changes = others.map { "\(list[$0]) = excluded.\(list[$0])" }.joined(separator: ", ")
      let action = others.isEmpty ? "NOTHING" : "UPDATE SET \(changes)"
      return (try db.makeStatement(sql: "\(insert) ON CONFLICT(\(target)) DO \(action)"), nil)
    }
    guard !others.isEmpty else {
      let ignore = "INSERT OR IGNORE" + insert.dropFirst("INSERT".count)
      return (try db.makeStatement(sql: ignore), nil)
    }
    let condition = columns.indices.filter { keys.contains(SQLName(columns[$0])) }
      .map { "\(list[$0]) = ?\($0 + 1)" }.joined(separator: " AND ")
    let changes = others.map { "\(list[$0]) = ?\($0 + 1)" }.joined(separator: ", ")
    return (
      try db.makeStatement(sql: "UPDATE \(name) SET \(changes) WHERE \(condition)"),
      try db.makeStatement(sql: insert)
    )
  }

  /// Executes a statement for a row, and the second one if the first has changed nothing.
  private func insert(
    by statement: Statement, or second: Statement?, line: Int,
    _ bind: (inout StatementBinder) throws -> Void
  ) throws {
    do {
      try statement.execute(binding: bind)
      if let second, db.changesCount == 0 { try second.execute(binding: bind) }
    } catch {
      throw Self.failure(line, error)
    }
  }

  /// Counts a row, and shows the progress now and then.
  private func advance(_ count: inout Int, _ bytesConsumed: Int) throws {
    count += 1
    guard count & 0x3FF == 0 else { return }
    try Interrupts.check()
    progress(bytesConsumed, count)
  }

  /// An error of a line, with its number.
  private static func failure(_ line: Int, _ error: any Error) -> any Error {
    guard let error = error as? DatabaseError, error.resultCode != .SQLITE_INTERRUPT,
      error.resultCode != .SQLITE_FULL, error.resultCode != .SQLITE_IOERR
    else { return error }
    return refusal(line, error.message ?? "SQLite error \(error.extendedResultCode.rawValue)")
  }

  private static func refusal(_ line: Int, _ reason: String) -> ToolError {
    ToolError(.failed, "line \(line): \(reason). Nothing was imported")
  }

  private static func misfit(_ line: Int, _ column: ImportColumn) -> ToolError {
    let type = column.type == .any ? "" : " \(column.type.rawValue)"
    return refusal(
      line,
      "the value of \(column.name.printable) doesn't fit its type\(type), or has more digits than a "
        + "number keeps: a column of TEXT takes it")
  }

  // MARK: CSV

  private mutating func runCSV(isMissing: Bool) throws -> Int {
    var reader = try csv()
    guard try reader.next() else {
      throw ToolError(.failed, "\(sourcePath) is empty: its first line should name the columns")
    }
    let first = try reader.fields.map { field in
      guard let text = reader.text(field) else {
        throw Self.refusal(1, "a column's name isn't UTF-8")
      }
      return text
    }
    if isMissing {
      try checkNames(first)
      if let empty = first.firstIndex(of: "") {
        throw Self.refusal(1, "column \(empty + 1) has no name")
      }
      try Self.refuseTwice(first)
      var detectors = first.map { _ in TypeDetector() }
      while try reader.next() {
        for (index, field) in reader.fields.enumerated() where index < detectors.count {
          reader.withBytes(of: field) { detectors[index].add($0, isQuoted: field.isQuoted) }
        }
        try Interrupts.check()
      }
      try create(zip(first, detectors).map { ($0, $1.type) })
      reader = try csv()
      _ = try reader.next()
    }
    let all = try Self.columns(of: table, types: types, db)
    let columns = try match(first, all)
    try checkNames(all.map(\.name))
    let (statement, second) = try statements(
      columns.names.filter { !$0.isGenerated }.map(\.name))
    var count = 0
    func insertRow() throws {
      let fields = reader.fields
      let isBlank = fields.count == 1 && fields[0].start == fields[0].end && !fields[0].isQuoted
      if isBlank, columns.names.count > 1 { return }
      guard fields.count == columns.names.count else {
        throw Self.refusal(
          reader.line,
          "\(Numbers.count(fields.count, "field")), but \(Numbers.count(columns.names.count, "column"))"
        )
      }
      func bind(_ binder: inout StatementBinder) throws {
        for (field, column) in zip(fields, columns.names) where !column.isGenerated {
          let value = reader.withBytes(of: field) {
            ImportedValue($0, isQuoted: field.isQuoted, type: column.type)
          }
          guard let value else {
            throw Self.misfit(reader.line, column)
          }
          value.bind(to: &binder)
        }
      }
      try insert(by: statement, or: second, line: reader.line, bind)
      try advance(&count, reader.bytesConsumed)
    }
    if !columns.firstIsNames { try insertRow() }
    while try reader.next() { try insertRow() }
    return count
  }

  /// Returns the columns of the fields: those that the first line names, or all in their order.
  private func match(
    _ first: [String], _ all: [ImportColumn]
  ) throws -> (names: [ImportColumn], firstIsNames: Bool) {
    let found = first.map { name in all.first { $0.isNamed(name) } }
    let all = all.filter { !$0.isGenerated }
    if found.contains(where: { $0 != nil }) {
      if let unknown = found.firstIndex(where: { $0 == nil }) {
        let nearest = NearestName.find(first[unknown], in: all.map(\.name))
        throw Self.refusal(
          1,
          "\(table.printable) has no column \"\(first[unknown].printable)\""
            + (nearest.map { ": did you mean \($0)?" } ?? ""))
      }
      try Self.refuseTwice(first)
      return (found.compactMap(\.self), true)
    }
    guard first.count == all.count else {
      throw Self.refusal(
        1,
        "it names no column of \(table.printable), and has \(Numbers.count(first.count, "field")) "
          + "for \(Numbers.count(all.count, "column"))")
    }
    return (all, false)
  }

  /// Throws if two fields would go to the same column.
  private static func refuseTwice(_ names: [String]) throws {
    var seen: Set<SQLName> = []
    for name in names where !seen.insert(SQLName(name)).inserted {
      throw refusal(1, "the column \"\(name.printable)\" is named twice")
    }
  }

  // MARK: JSON

  private mutating func runJSON(isMissing: Bool) throws -> Int {
    let bytes = try bytes()
    var reader = JSONReader(bytes, isArray: format == .json)
    var names: [SQLName] = []
    var detectors: [SQLName: TypeDetector] = [:]
    // The columns are those of all objects, in the order in which they come up.
    while let object = try reader.next() {
      for member in object {
        let name = SQLName(member.name)
        if detectors[name] == nil { names.append(name) }
        detectors[name, default: TypeDetector()].add(member.value)
      }
      try Interrupts.check()
    }
    if isMissing {
      try checkNames(names.map(\.text))
      guard !names.isEmpty else {
        throw ToolError(.failed, "\(sourcePath) has no values, so the table has no columns")
      }
      try create(names.map { ($0.text, detectors[$0]?.type ?? .text) })
    }
    let all = try Self.columns(of: table, types: types, db)
    try checkNames(all.map(\.name))
    guard !names.isEmpty else { return 0 }
    let columns = names.compactMap { name in all.first { $0.isNamed(name.text) } }
    reader = JSONReader(bytes, isArray: format == .json)
    guard columns.count == names.count else {
      while let object = try reader.next() {
        for member in object where !all.contains(where: { $0.isNamed(member.name) }) {
          throw Self.refusal(
            reader.line, "\(table.printable) has no column \"\(member.name.printable)\"")
        }
      }
      return 0
    }
    let indexes = Dictionary(zip(names, names.indices)) { first, _ in first }
    let keys = Set(upsertColumns.map { SQLName($0) })
    // What an object doesn't have is NULL in a new row, and stays as it is in one that is there.
    let always = columns.map {
      !$0.isGenerated && (keys.isEmpty || keys.contains(SQLName($0.name)))
    }
    var known: [[Bool]: (first: Statement, second: Statement?)] = [:]
    var last = always
    var current = try statements(columns.indices.filter { always[$0] }.map { columns[$0].name })
    var values = [ImportedValue](repeating: .null, count: names.count)
    var isNamed = [Bool](repeating: false, count: names.count)
    var count = 0
    while let object = try reader.next() {
      for index in values.indices { (values[index], isNamed[index]) = (.null, false) }
      var isBound = always
      for member in object {
        guard let index = indexes[SQLName(member.name)] else { continue }
        guard !isNamed[index] else {
          throw Self.refusal(
            reader.line, "the column \"\(member.name.printable)\" is named twice")
        }
        isNamed[index] = true
        guard !columns[index].isGenerated else { continue }
        guard let value = ImportedValue(member.value, type: columns[index].type) else {
          throw Self.misfit(reader.line, columns[index])
        }
        values[index] = value
        if !isBound[index] { isBound[index] = true }
      }
      if isBound != last {
        (known[last], last) = (current, isBound)
        current =
          try known[isBound]
          ?? statements(columns.indices.filter { isBound[$0] }.map { columns[$0].name })
      }
      try insert(by: current.first, or: current.second, line: reader.line) { binder in
        for (index, value) in values.enumerated() where isBound[index] { value.bind(to: &binder) }
      }
      try advance(&count, reader.bytesConsumed)
    }
    return count
  }
}

/// A column that values are imported into.
private struct ImportColumn {
  let name: String
  let type: ImportType
  /// Whether SQLite computes its values: those of a file are left out.
  let isGenerated: Bool

  func isNamed(_ name: String) -> Bool { SQLName(self.name) == SQLName(name) }
}

extension Tool {
  /// `coffer import`
  static func importRows(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let source = invocation.arguments[2]
    let format = try ImportFormat(invocation, source: source)
    let types = try ImportType.parse(invocation.value("types"))
    let upsert = (invocation.value("upsert") ?? "").split(separator: ",").map(String.init)
    // A pipe is opened once: its writer would lose what it writes before the second time.
    let isStream =
      source == "-" || access(source, F_OK) == 0 && !ByteSource.isRepeatable(source)
    let size = isStream ? nil : try ByteSource.file(source).size
    var bar = ProgressBar("Rows", total: size, console: console)
    let count = try invocation.withDatabase(readonly: false) { queue in
      defer { bar.finish() }
      return try queue.write { db in
        var rows = RowImport(db, table: invocation.arguments[1], source: source, format: format)
        rows.creates = invocation.has("create")
        rows.upsertColumns = upsert
        rows.types = types
        if console.redraws {
          rows.progress = { bytes, count in
            bar.advance(to: bytes, note: Numbers.count(count, "row"))
          }
        }
        return try rows.run()
      }
    }
    if console.isTerminal { console.line(Numbers.count(count, "row") + " imported") }
    return 0
  }
}
