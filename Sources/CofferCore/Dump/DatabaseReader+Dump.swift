extension DatabaseReader {
  /// Executes one or several statements and writes their rows.
  ///
  /// See ``Database/dumpSQL(_:format:to:)``.
  /// - Parameter stream: The destination; nil for standard output.
  public func dumpSQL(
    _ sql: SQL, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
  ) throws {
    try unsafeReentrantRead { db in try db.dumpSQL(sql, format: format, to: stream) }
  }

  /// Writes the rows of a request.
  ///
  /// See ``Database/dumpRequest(_:format:to:)``.
  /// - Parameter stream: The destination; nil for standard output.
  public func dumpRequest(
    _ request: some FetchRequest, format: some DumpFormat = .debug(),
    to stream: (any TextOutputStream)? = nil
  ) throws {
    try unsafeReentrantRead { db in try db.dumpRequest(request, format: format, to: stream) }
  }

  /// Writes the rows of tables and views.
  ///
  /// See ``Database/dumpTables(_:format:tableHeader:stableOrder:to:)``.
  /// - Parameter stream: The destination; nil for standard output.
  public func dumpTables(
    _ tables: [String], format: some DumpFormat = .debug(),
    tableHeader: DumpTableHeaderOptions = .automatic, stableOrder: Bool = false,
    to stream: (any TextOutputStream)? = nil
  ) throws {
    try unsafeReentrantRead { db in
      try db.dumpTables(
        tables, format: format, tableHeader: tableHeader, stableOrder: stableOrder, to: stream)
    }
  }

  /// Writes the schema and the rows of all tables.
  ///
  /// See ``Database/dumpContent(format:to:)``.
  /// - Parameter stream: The destination; nil for standard output.
  public func dumpContent(
    format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
  ) throws {
    try unsafeReentrantRead { db in try db.dumpContent(format: format, to: stream) }
  }

  /// Writes the SQL of the schema.
  ///
  /// See ``Database/dumpSchema(to:)``.
  /// - Parameter stream: The destination; nil for standard output.
  public func dumpSchema(to stream: (any TextOutputStream)? = nil) throws {
    try unsafeReentrantRead { db in try db.dumpSchema(to: stream) }
  }
}
