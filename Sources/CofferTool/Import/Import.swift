import Coffer
import Glibc

/// Inserts the rows of a file into a table.
struct RowImport {
  let db: Database
  let table: String
  let sourcePath: String
  let format: ImportFormat
  var creates = false
  var upsertColumns: [String] = []
  /// The types that aren't to be detected, by lowercase name.
  var types: [String: String] = [:]
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

  private func tableColumns() throws -> [(name: String, type: ImportType)] {
    // Generated columns, which table_info doesn't list, can't be inserted.
    try Row.fetchAll(db, sql: "PRAGMA table_info(\(table.quotedDatabaseIdentifier))").map { row in
      let name = row["name"] as String
      let declared = types[name.lowercased()] ?? row["type"] as String
      return (name, ImportType(declared: declared))
    }
  }

  private func create(_ columns: [(name: String, type: ImportType)]) throws {
    var definitions = columns.map { column in
      column.name.quotedDatabaseIdentifier + " "
        + (types[column.name.lowercased()] ?? column.type.rawValue)
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
    let known = columns.map { $0.lowercased() }
    for name in types.keys.sorted() + upsertColumns where !known.contains(name.lowercased()) {
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
    let insert =
      "INSERT INTO \(name)(\(list.joined(separator: ", "))) VALUES "
      + "(\(list.indices.map { "?\($0 + 1)" }.joined(separator: ", ")))"
    guard !upsertColumns.isEmpty else { return (try db.makeStatement(sql: insert), nil) }
    let keys = upsertColumns.map { $0.lowercased() }
    let others = columns.indices.filter { !keys.contains(columns[$0].lowercased()) }
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
    let condition = columns.indices.filter { keys.contains(columns[$0].lowercased()) }
      .map { "\(list[$0]) = ?\($0 + 1)" }.joined(separator: " AND ")
    let changes = others.map { "\(list[$0]) = ?\($0 + 1)" }.joined(separator: ", ")
    return (
      try db.makeStatement(sql: "UPDATE \(name) SET \(changes) WHERE \(condition)"),
      try db.makeStatement(sql: insert)
    )
  }

  /// An error of a line, with its number.
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

  private static func failure(_ line: Int, _ error: any Error) -> any Error {
    guard let error = error as? DatabaseError, error.resultCode != .SQLITE_INTERRUPT,
      error.resultCode != .SQLITE_FULL, error.resultCode != .SQLITE_IOERR
    else { return error }
    return refusal(line, error.message ?? "SQLite error \(error.extendedResultCode.rawValue)")
  }

  private static func refusal(_ line: Int, _ reason: String) -> ToolError {
    ToolError(.failed, "line \(line): \(reason). Nothing was imported")
  }

  // MARK: CSV

  private mutating func runCSV(isMissing: Bool) throws -> Int {
    var reader = try csv()
    guard try reader.next() else {
      throw ToolError(.failed, "\(sourcePath) is empty: its first line should name the columns")
    }
    let first = reader.fields.map { reader.text($0) }
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
    let all = try tableColumns()
    let columns = try match(first, all)
    try checkNames(all.map(\.name))
    let (statement, second) = try statements(columns.names.map(\.name))
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
        for (field, column) in zip(fields, columns.names) {
          let value = reader.withBytes(of: field) {
            ImportedValue($0, isQuoted: field.isQuoted, type: column.type)
          }
          guard let value else {
            throw Self.refusal(
              reader.line,
              "the value of \(column.name.printable) doesn't fit its type \(column.type.rawValue)")
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
    _ first: [String], _ all: [(name: String, type: ImportType)]
  ) throws -> (names: [(name: String, type: ImportType)], firstIsNames: Bool) {
    let found = first.map { name in all.first { $0.name.lowercased() == name.lowercased() } }
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
    var seen: Set<String> = []
    for name in names where !seen.insert(name.lowercased()).inserted {
      throw refusal(1, "the column \"\(name.printable)\" is named twice")
    }
  }

  // MARK: JSON

  private mutating func runJSON(isMissing: Bool) throws -> Int {
    let bytes = try bytes()
    var reader = JSONReader(bytes, isArray: format == .json)
    var names: [String] = []
    var detectors: [String: TypeDetector] = [:]
    // The columns are those of all objects, in the order in which they come up.
    while let object = try reader.next() {
      for member in object {
        if detectors[member.name] == nil { names.append(member.name) }
        detectors[member.name, default: TypeDetector()].add(member.value)
      }
      try Interrupts.check()
    }
    if isMissing {
      try checkNames(names)
      guard !names.isEmpty else {
        throw ToolError(.failed, "\(sourcePath) has no values, so the table has no columns")
      }
      try create(names.map { ($0, detectors[$0]?.type ?? .text) })
    }
    let all = try tableColumns()
    try checkNames(all.map(\.name))
    guard !names.isEmpty else { return 0 }
    let columns = names.compactMap { name in all.first { $0.name.lowercased() == name.lowercased() }
    }
    reader = JSONReader(bytes, isArray: format == .json)
    guard columns.count == names.count else {
      while let object = try reader.next() {
        for member in object
        where !all.contains(where: { $0.name.lowercased() == member.name.lowercased() }) {
          throw Self.refusal(
            reader.line, "\(table.printable) has no column \"\(member.name.printable)\"")
        }
      }
      return 0
    }
    let (statement, second) = try statements(columns.map(\.name))
    let indexes = Dictionary(zip(names, names.indices)) { first, _ in first }
    var values = [ImportedValue](repeating: .null, count: names.count)
    var count = 0
    while let object = try reader.next() {
      for index in values.indices { values[index] = .null }
      for member in object {
        guard let index = indexes[member.name] else { continue }
        guard let value = ImportedValue(member.value, type: columns[index].type) else {
          throw Self.refusal(
            reader.line,
            "the value of \(member.name.printable) doesn't fit its type \(columns[index].type.rawValue)"
          )
        }
        values[index] = value
      }
      try insert(by: statement, or: second, line: reader.line) { binder in
        for value in values { value.bind(to: &binder) }
      }
      try advance(&count, reader.bytesConsumed)
    }
    return count
  }
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
