extension Database {
  // MARK: SQL

  /// Executes one or several statements and writes their rows.
  ///
  /// ```swift
  /// try db.dumpSQL("SELECT * FROM player")  // 1|Arthur|500
  /// ```
  ///
  /// The values are written in plaintext: choose the destination with care.
  /// - Parameter stream: The destination; nil for standard output.
  /// - Throws: The error of the first statement that fails; earlier output remains.
  public func dumpSQL(
    _ sql: SQL, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
  ) throws {
    var format = format
    var stream = DumpStream(stream)
    let statements = try allStatements(literal: sql)
    while let statement = try statements.next() {
      try dump(statement, format: &format, to: &stream)
    }
  }

  /// Writes the rows of a statement with its bound arguments.
  func dump(
    _ statement: Statement, format: inout some DumpFormat, to stream: inout DumpStream
  ) throws {
    let execution = StatementExecution(statement)
    while try execution.advance() {
      do {
        try format.writeRow(self, statement: statement, to: &stream)
      } catch {
        throw execution.fail(error)
      }
    }
    format.finalize(self, statement: statement, to: &stream)
  }

  /// Writes the rows of a request.
  ///
  /// The rows of prefetched associations follow, each under the key of its association.
  ///
  /// The values are written in plaintext: choose the destination with care. The row adapter of the
  /// request is not applied: the dump shows the columns of the query.
  /// - Parameter stream: The destination; nil for standard output.
  public func dumpRequest(
    _ request: some FetchRequest, format: some DumpFormat = .debug(),
    to stream: (any TextOutputStream)? = nil
  ) throws {
    var stream = DumpStream(stream)
    try dump(request, format: format, to: &stream)
  }

  private func dump(
    _ request: some FetchRequest, format: some DumpFormat, to stream: inout DumpStream
  ) throws {
    var rowFormat = format
    let prepared = try request.makePreparedRequest(self, forSingleResult: false)
    try dump(prepared.statement, format: &rowFormat, to: &stream)
    guard let supplementaryRequests = prepared.supplementaryRequests else { return }
    let rows = try Row.fetchAll(prepared.fetchedStatement, adapter: prepared.adapter)
    guard !rows.isEmpty else { return }
    for (keyPath, request) in try supplementaryRequests(self, rows) {
      stream.margin()
      stream.write(keyPath.joined(separator: ".") + "\n")
      try dump(request, format: format, to: &stream)
    }
  }

  // MARK: Tables

  /// Writes the rows of tables and views.
  ///
  /// The rows of a table are sorted by its primary key; a view determines its own order.
  /// - Parameter tableHeader: Whether the names of the tables are written.
  /// - Parameter stableOrder: Whether the rows of a view are sorted by all of its columns, so that
  ///   equal contents produce equal dumps.
  /// - Parameter stream: The destination; nil for standard output.
  public func dumpTables(
    _ tables: [String], format: some DumpFormat = .debug(),
    tableHeader: DumpTableHeaderOptions = .automatic, stableOrder: Bool = false,
    to stream: (any TextOutputStream)? = nil
  ) throws {
    var format = format
    var stream = DumpStream(stream)
    let namesTables = tableHeader == .always || tables.count > 1
    for table in tables {
      try dump(
        table: table, isNamed: namesTables, stableOrder: stableOrder, format: &format, to: &stream)
    }
  }

  private func dump(
    table: String, isNamed: Bool, stableOrder: Bool, format: inout some DumpFormat,
    to stream: inout DumpStream
  ) throws {
    stream.margin()
    if isNamed { stream.write("\(table)\n") }
    let order = try dumpOrder(of: table, isStable: stableOrder)
    let sql = "SELECT * FROM \(table.quotedDatabaseIdentifier)"
    try dump(
      makeStatement(sql: order.isEmpty ? sql : sql + " ORDER BY " + order.joined(separator: ", ")),
      format: &format, to: &stream)
  }

  /// Returns the terms by which the rows of a table or view are sorted; empty for no sorting.
  private func dumpOrder(of table: String, isStable: Bool) throws -> [String] {
    let columns = try Row.fetchAll(
      self, sql: "PRAGMA table_info(\(table.quotedDatabaseIdentifier))"
    ).map { row in (name: row["name"] as String, keyIndex: row["pk"] as Int) }
    let key = columns.filter { $0.keyIndex > 0 }.sorted { $0.keyIndex < $1.keyIndex }
    guard key.isEmpty else { return key.map(\.name.quotedDatabaseIdentifier) }
    let isView =
      try Bool.fetchOne(
        self,
        sql: """
          SELECT type = 'view' FROM (
            SELECT type, name FROM sqlite_temp_master UNION ALL SELECT type, name FROM sqlite_master)
          WHERE name = ? COLLATE NOCASE
          """, arguments: [table])
    guard let isView else { return [] }
    if isView { return isStable ? columns.indices.map { "\($0 + 1)" } : [] }
    // A column can use one of the names of the rowid.
    let rowID = ["rowid", "_rowid_", "oid"].first { name in
      !columns.contains { $0.name.isSameName(as: name) }
    }
    return rowID.map { [$0] } ?? []
  }

  // MARK: All

  /// Writes the schema and the rows of all tables, sorted by table name.
  ///
  /// Internal tables of SQLite and of this library are omitted, and so are the shadow tables of
  /// virtual tables.
  /// - Parameter stream: The destination; nil for standard output.
  public func dumpContent(
    format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
  ) throws {
    var format = format
    var stream = DumpStream(stream)
    try dumpSchema(to: &stream)
    let tables = try String.fetchAll(
      self,
      sql: """
        SELECT name FROM sqlite_master WHERE type = 'table' AND \(Self.isNotInternal)
        ORDER BY name COLLATE NOCASE
        """)
    let shadows = try shadowTables()
    for table in tables where !shadows.contains(table) {
      try dump(table: table, isNamed: true, stableOrder: true, format: &format, to: &stream)
    }
  }

  /// Writes the SQL of the schema, sorted by table name.
  ///
  /// It contains each table with its indexes and triggers, and the views.
  /// - Parameter stream: The destination; nil for standard output.
  public func dumpSchema(to stream: (any TextOutputStream)? = nil) throws {
    var stream = DumpStream(stream)
    try dumpSchema(to: &stream)
  }

  private func dumpSchema(to stream: inout DumpStream) throws {
    stream.write("sqlite_master\n")
    let shadows = try shadowTables()
    let definitions = try Row.fetchAll(
      self,
      sql: """
        SELECT tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL AND \(Self.isNotInternal)
        ORDER BY tbl_name COLLATE NOCASE,
          CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 WHEN 'trigger' THEN 2 ELSE 3 END,
          name COLLATE NOCASE
        """)
    for row in definitions where !shadows.contains(row[0]) {
      stream.write("\(row[1] as String);\n")
    }
  }

  private static let isNotInternal = """
    tbl_name NOT LIKE 'sqlite!_%' ESCAPE '!' AND tbl_name NOT LIKE 'grdb!_%' ESCAPE '!'
    AND tbl_name NOT LIKE 'coffer!_%' ESCAPE '!'
    """
}
