import CofferSQLite

/// Fills the new file with what a damaged database still has.
final class SalvageWriter {
  /// The properties of the database that a new file gets before its first table.
  struct Properties {
    var pageSize: Int
    var encoding: TextEncoding
    var autoVacuum: Int
  }

  let connection: FileConnection
  private let encoding: TextEncoding
  private let limits: SalvageLimits
  private var pageCount: KeptStatement?
  private var isAtEnd = false
  private var rowsUntilLook = 0
  private var lastPageCount: Int64 = 0
  private static let rowsBetweenLooks = 16
  private let parameterLimit: Int
  private var statements: [Int: KeptStatement] = [:]
  private var statementTable: String?

  private var lostStatement: (fields: Int, KeptStatement)?
  private var lostColumnCount = 0
  /// The table for rows that can't be assigned to one; nil while there are none.
  private(set) var lostTable: String?
  private(set) var lostRowCount = 0

  /// Opens the empty file, and begins a transaction that writes to it directly: after a crash it is
  /// written from scratch.
  init(
    _ path: String, key: FileKey?, _ properties: Properties, limits: SalvageLimits,
    prepare: ConnectionPreparation
  ) throws {
    connection = try FileConnection(path: path, key: key, prepare: prepare)
    self.limits = limits
    if let size = limits.valueSize {
      SQLite.limitValueSize(try unsafe connection.connection, to: size)
    }
    encoding = properties.encoding
    parameterLimit = SQLite.maximumParameterCount(try unsafe connection.connection)
    if key == nil { try connection.run("PRAGMA page_size = \(properties.pageSize)") }
    // A bounded cache, since indexes are filled in any order.
    try connection.run(
      """
      PRAGMA encoding = '\(properties.encoding.name)';
      PRAGMA auto_vacuum = \(properties.autoVacuum);
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536; BEGIN
      """)
    // One row can fill the file: there is no more than an error then, since nothing could undo it.
    if let count = limits.pageCount {
      try connection.run("PRAGMA main.max_page_count = \(2 * count)")
    }
    pageCount = try KeptStatement("PRAGMA main.page_count", connection)
  }

  /// Whether the file has reached its limit.
  ///
  /// SQLite compiles the question anew each time, which takes as long as to insert a small row. So
  /// some rows come in between as long as rows are small, and the limit is far.
  func isFull() throws -> Bool {
    guard !isAtEnd, let limit = limits.pageCount, let pageCount else { return isAtEnd }
    if rowsUntilLook > 0 {
      rowsUntilLook -= 1
      return false
    }
    defer { _ = SQLite.reset(pageCount.handle) }
    guard try connection.step(pageCount.handle, pageCount.sql) else { return false }
    let count = SQLite.columnInt64(pageCount.handle, 0)
    isAtEnd = count > limit
    if isAtEnd { limits.reach(.fileSize) }
    let isGrowingSlowly = count - lastPageCount <= Self.rowsBetweenLooks
    rowsUntilLook = isGrowingSlowly && count < limit / 2 ? Self.rowsBetweenLooks : 0
    lastPageCount = count
    return isAtEnd
  }

  // MARK: Schema

  /// Creates a table or an index by its SQL.
  ///
  /// - Returns: Whether SQLite accepts the SQL, and it creates what the entry is.
  func create(_ entry: SchemaEntry) throws -> Bool {
    guard let sql = entry.sql, SalvageWriter.isDefinition(sql, of: entry) else { return false }
    let isAllowed = try limits.allowsSchema(adding: sql.utf8.count) {
      SQLite.schemaMemory(try unsafe connection.connection)
    }
    guard isAllowed else { return false }
    let isInternal = SQLName(entry.name).isInternal
    if isInternal, !SalvageWriter.internalTables.contains(SQLName(entry.name)) { return false }
    // SQLite creates its own tables as well, for example with a table that needs one.
    if isInternal, try exists(entry.name) { return true }
    let last = try connection.integer("SELECT max(rowid) FROM main.sqlite_master")
    if isInternal { try connection.run("PRAGMA writable_schema = ON") }
    defer { if isInternal { try? connection.run("PRAGMA writable_schema = OFF") } }
    return try execute(sql) && exists(entry.name, after: last)
  }

  private static let internalTables = Set(
    ["sqlite_sequence", "sqlite_stat1", "sqlite_stat2", "sqlite_stat3", "sqlite_stat4"]
      .map(SQLName.init))

  /// Adds a virtual table without creating the tables in which it stores its data.
  func addVirtualTable(_ entry: SchemaEntry) throws -> Bool {
    guard let sql = entry.sql, SalvageWriter.isDefinition(sql, of: entry), try compiles(sql),
      try !exists(entry.name)
    else { return false }
    try connection.run("PRAGMA writable_schema = ON")
    defer { try? connection.run("PRAGMA writable_schema = OFF") }
    try unsafe LibrarySQL.run(
      """
      INSERT INTO main.sqlite_master (type, name, tbl_name, rootpage, sql)
      VALUES ('table', ?1, ?1, 0, ?2)
      """, in: connection.connection
    ) { statement in
      let code = SQLite.bind(entry.name, to: statement, at: 1)
      return code == SQLite.ok ? SQLite.bind(sql, to: statement, at: 2) : code
    }
    return true
  }

  /// - Parameter last: The last row of the schema that isn't looked at.
  private func exists(_ name: String, after last: Int = 0) throws -> Bool {
    let sql = "SELECT 1 FROM main.sqlite_master WHERE rowid > \(last) AND name = ?"
    return try connection.withStatement(sql) { statement in
      let code = SQLite.bind(name, to: statement, at: 1)
      guard code == SQLite.ok else {
        throw unsafe DatabaseError(code: code, connection: try connection.connection, sql: sql)
      }
      return try connection.step(statement, sql)
    }
  }

  /// Whether SQL defines what it should, and does nothing else.
  private static func isDefinition(_ sql: String, of entry: SchemaEntry) -> Bool {
    var utf8 = Array(sql.utf8)
    guard !utf8.contains(0) else { return false }
    utf8.append(0)
    return unsafe utf8.withUnsafeBufferPointer { utf8 in
      var tokens = SQLTokenizer(utf8).lazy.filter(\.isSignificant).makeIterator()
      func word(_ token: SQLTokenizer.Token?) -> String {
        guard let token, token.kind == .word else { return "" }
        let word = unsafe UnsafeBufferPointer(rebasing: utf8[token.range])
        return unsafe String(decoding: word, as: UTF8.self).uppercased()
      }
      guard word(tokens.next()) == "CREATE" else { return false }
      var kind = word(tokens.next())
      if entry.isVirtual {
        guard kind == "VIRTUAL" else { return false }
        kind = word(tokens.next())
      } else if entry.kind == .index, kind == "UNIQUE" {
        kind = word(tokens.next())
      }
      guard kind == entry.kind.rawValue.uppercased(), tokens.next() != nil else { return false }
      // A table's columns follow its name; after AS, a query would be executed.
      return entry.kind != .table || entry.isVirtual || tokens.next()?.kind == .leftParenthesis
    }
  }

  /// Whether SQL is one statement that SQLite accepts.
  private func compiles(_ sql: String) throws -> Bool {
    let handle = try unsafe connection.connection
    var utf8 = Array(sql.utf8)
    utf8.append(0)
    return try unsafe utf8.withUnsafeBufferPointer { utf8 in
      let text = unsafe UnsafeBufferPointer(rebasing: utf8.dropLast())
      do throws(SQLite.Failure) {
        let prepared = try SQLite.prepare(text, in: handle, isPersistent: false)
        guard let statement = prepared.statement else { return false }
        SQLite.finalize(statement)
        return unsafe text[prepared.byteCount...].allSatisfy { $0 == 0x20 || $0 == 0x3B }
      } catch {
        try requireHarmless(error.code, sql)
        return false
      }
    }
  }

  /// Executes one statement; returns false if SQLite rejects it.
  private func execute(_ sql: String) throws -> Bool {
    guard try compiles(sql) else { return false }
    do {
      try connection.run(sql)
      return true
    } catch let error as DatabaseError {
      try requireHarmless(error.extendedResultCode.rawValue, sql)
      return false
    }
  }

  /// Throws an error unless it says that SQLite doesn't accept a statement or a row.
  private func requireHarmless(_ code: CInt, _ sql: String) throws {
    switch ResultCode(rawValue: code).primaryResultCode {
    case .SQLITE_ERROR, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_RANGE, .SQLITE_CORRUPT:
      return
    case .SQLITE_TOOBIG: limits.reach(.valueSize)
    case .SQLITE_FULL where limits.pageCount != nil:
      throw DatabaseError(
        resultCode: .SQLITE_FULL,
        message: "the disk is full, or one row makes the new file larger than its limit",
        hint: "Free some space. If there is enough, lift SalvageLimit.fileSize for a file that is "
          + "trusted.")
    default:
      throw unsafe DatabaseError(code: code, connection: try connection.connection, sql: sql)
    }
  }

  // MARK: Rows

  /// Inserts a row into its table.
  ///
  /// - Returns: Whether the table accepts it.
  func insert(
    _ record: SalvagedRecord, rowid: Int64, into table: SalvagedTable
  ) throws -> Bool {
    if statementTable != table.name {
      statements.removeAll()
      statementTable = table.name
    }
    let count = min(record.fields.count, table.columns.count)
    let statement: KeptStatement
    if let known = statements[count] {
      statement = known
    } else {
      // Rows of a table that has got many columns have few different numbers of values.
      if statements.count >= 16 { statements.removeAll() }
      statement = try KeptStatement(table.insertSQL(fieldCount: count), connection)
      statements[count] = statement
    }
    return try unsafe execute(statement, record) { base in
      var index: CInt = 0
      var code = SQLite.ok
      if table.rowidName != nil {
        index += 1
        code = SQLite.bind(rowid, to: statement.handle, at: index)
      }
      for position in 0..<count where code == SQLite.ok {
        guard table.columns[position].isInsertable, !table.columns[position].isRowid else {
          continue
        }
        index += 1
        code = record.bind(
          record.fields[position], base, encoding, to: statement.handle, at: index)
      }
      return code
    }
  }

  /// Whether rows of a table have no more values than a statement has parameters.
  func canInsert(into table: SalvagedTable) -> Bool { table.columns.count < parameterLimit }

  /// Sets the sequences aside that inserting rows has made.
  func beginSequences() throws {
    try connection.run("UPDATE main.sqlite_sequence SET rowid = -rowid")
  }

  /// Removes the sequences set aside, except those that are lost.
  func endSequences(areAllKnown: Bool) throws {
    let saved = "SELECT name FROM main.sqlite_sequence WHERE rowid > 0"
    let known = areAllKnown ? "" : " AND name IN (\(saved))"
    try connection.run("DELETE FROM main.sqlite_sequence WHERE rowid < 0\(known)")
  }

  /// Inserts a row of which the table isn't known, or doesn't accept it.
  ///
  /// - Parameters:
  ///   - root: The root page of its table; nil if that isn't known.
  ///   - rowid: Nil for a row without one.
  ///   - reserved: The names that the table for such rows can't have.
  func insertLost(
    _ record: SalvagedRecord, root: Int?, page: Int, rowid: Int64?, reserved: Set<SQLName>
  ) throws -> Bool {
    let count = record.fields.count
    guard count + 4 <= min(parameterLimit, 2000) else { return false }
    let table = try makeLostTable(fieldCount: count, reserved)
    let statement: KeptStatement
    if let lostStatement, lostStatement.fields == count {
      statement = lostStatement.1
    } else {
      let names = ["rootpgno", "pgno", "nfield", "id"] + (0..<count).map { "c\($0)" }
      let marks = repeatElement("?", count: names.count).joined(separator: ", ")
      statement = try KeptStatement(
        """
        INSERT INTO main.\(table) (\(names.joined(separator: ", "))) VALUES (\(marks))
        """, connection)
      lostStatement = (count, statement)
    }
    let numbers: [Int64?] = [root.map(Int64.init), Int64(page), Int64(count), rowid]
    let isInserted = try unsafe execute(statement, record) { base in
      var code = SQLite.ok
      for (index, number) in numbers.enumerated() where code == SQLite.ok {
        let parameter = CInt(index + 1)
        code =
          number.map { SQLite.bind($0, to: statement.handle, at: parameter) }
          ?? SQLite.bindNull(statement.handle, parameter)
      }
      for (index, field) in record.fields.enumerated() where code == SQLite.ok {
        code = record.bind(field, base, encoding, to: statement.handle, at: CInt(index + 5))
      }
      return code
    }
    if isInserted { lostRowCount += 1 }
    return isInserted
  }

  /// Makes the table for lost rows, with enough columns, and returns its name.
  private func makeLostTable(fieldCount: Int, _ reserved: Set<SQLName>) throws -> String {
    if lostTable == nil {
      let names = ["lost_and_found"] + (0...reserved.count).map { "lost_and_found_\($0)" }
      let name = names.first { !reserved.contains(SQLName($0)) } ?? names[0]
      try connection.run(
        """
        CREATE TABLE main.\(name) \
        (rootpgno INTEGER, pgno INTEGER, nfield INTEGER, id INTEGER)
        """)
      lostTable = name
    }
    let name = lostTable ?? ""
    while lostColumnCount < fieldCount {
      try connection.run("ALTER TABLE main.\(name) ADD COLUMN c\(lostColumnCount)")
      lostColumnCount += 1
    }
    return name
  }

  private func execute(
    _ statement: KeptStatement, _ record: SalvagedRecord,
    binding bind: (UnsafeRawBufferPointer) -> CInt
  ) throws -> Bool {
    // SAFETY: the values are bound without copies; they are executed, and the bindings cleared,
    // while the record's bytes are valid.
    let code = unsafe record.bytes.withUnsafeBytes { base in
      var code = unsafe bind(base)
      if code == SQLite.ok { code = SQLite.step(statement.handle) }
      if code == SQLite.done { code = SQLite.reset(statement.handle) }
      SQLite.clearBindings(statement.handle)
      return code
    }
    if code == SQLite.ok { return true }
    defer { _ = SQLite.reset(statement.handle) }
    try requireHarmless(code, statement.sql)
    return false
  }

  // MARK: The end

  /// Makes all indexes again, where SQLite takes a blob in an index's expression for UTF-8 as long
  /// as it is a bound value, and for the file's encoding later.
  func rebuildIndexes() throws {
    guard encoding != .utf8 else { return }
    statements.removeAll()
    do { try connection.run("REINDEX") } catch let error as DatabaseError {
      // What is wrong in an index then is found by the check.
      try requireHarmless(error.extendedResultCode.rawValue, "REINDEX")
    }
  }

  /// Ends the transaction and closes the file.
  func commit(userVersion: Int, applicationID: Int) throws {
    statements.removeAll()
    lostStatement = nil
    pageCount = nil
    try connection.run(
      """
      PRAGMA main.user_version = \(userVersion); PRAGMA main.application_id = \(applicationID);
      COMMIT
      """)
    connection.close()
  }
}

/// A statement that is executed many times.
@safe private final class KeptStatement {
  let sql: String
  @safe let handle: SQLiteStatement

  init(_ sql: String, _ connection: FileConnection) throws {
    self.sql = sql
    handle = try unsafe LibrarySQL.prepare(sql, in: connection.connection)
  }

  deinit { SQLite.finalize(handle) }
}
