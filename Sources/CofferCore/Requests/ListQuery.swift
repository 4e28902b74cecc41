import CofferVault

/// A request on one table as a list that follows changes of single rows; see
/// ``FetchRequest/_listQuery()``.
public struct _ListQuery: Sendable {
  private let isFixed: Bool
  private let render: @Sendable (Database) throws -> Query
  private let make: @Sendable (Database, _ plain: Query) throws -> Plan?

  /// - Parameters:
  ///   - isFixed: Whether the request's own query depends on nothing but the schema.
  ///   - render: Returns the request's own query.
  ///   - make: Returns the list as a connection has it; nil, or an error, if anything about it
  ///     isn't certain.
  package init(
    isFixed: Bool = false, render: @escaping @Sendable (Database) throws -> Query,
    make: @escaping @Sendable (Database, _ plain: Query) throws -> Plan?
  ) {
    self.isFixed = isFixed
    self.render = render
    self.make = make
  }

  /// Returns the list as a connection has it; nil if only a fetch of all rows is certain.
  package func plan(_ db: Database) -> Plan? {
    // What SQLite doesn't compile in this form isn't a list.
    try? db.aside {
      let plain = try render(db)
      return plain.arguments.named.isEmpty ? try make(db, plain) : nil
    }
  }

  /// Returns whether the request still has the query of a plan: parts of it can be closures.
  ///
  /// - Precondition: The schema is still that of the plan.
  package func isCurrent(_ plan: Plan, _ db: Database) throws -> Bool {
    try isFixed || render(db) == plan.plain
  }

  /// SQL with its arguments.
  package struct Query: Sendable, Equatable {
    package var sql: String
    package var arguments: StatementArguments

    package init(sql: String, arguments: StatementArguments) {
      self.sql = sql
      self.arguments = arguments
    }
  }

  /// A list as a connection has it.
  package struct Plan: Sendable {
    /// The table, as written in its `CREATE TABLE` statement.
    package let tableName: String
    /// The request's own query.
    package let plain: Query
    /// The query of all rows, in the same order as in ``plain``.
    package let whole: Query
    /// The query of the rows among some rowids, an array argument, in the list's order, without a
    /// limit.
    let part: Query
    /// The number of arguments of ``part`` before the rowids.
    let argumentsBeforeRowIDs: Int
    /// The index of the rowid in both queries.
    package let rowIDColumn: Int
    /// The number of columns that belong to the request; nil for all.
    let ownColumnCount: Int?
    /// The list's order, if it is that of the rowids.
    package let rowIDOrder: RowIDOrder?

    /// How many rows the list has at most, the first ones in its order; nil for all.
    package let mostRows: Int?

    /// The direction of the rowids.
    package enum RowIDOrder: Sendable { case ascending, descending }

    package init(
      tableName: String, plain: Query, whole: Query, part: Query, argumentsBeforeRowIDs: Int,
      rowIDColumn: Int, ownColumnCount: Int?, rowIDOrder: RowIDOrder?, mostRows: Int? = nil
    ) {
      self.tableName = tableName
      self.plain = plain
      self.whole = whole
      self.part = part
      self.argumentsBeforeRowIDs = argumentsBeforeRowIDs
      self.rowIDColumn = rowIDColumn
      self.ownColumnCount = ownColumnCount
      self.rowIDOrder = rowIDOrder
      self.mostRows = mostRows
    }

    /// Returns the request of all rows.
    package func wholeRequest(_ db: Database) throws -> PreparedRequest {
      try request(db, whole.sql, whole.arguments)
    }

    /// Returns the request of the rows among some rowids that the list has.
    package func request(_ db: Database, ofRows rowIDs: [Int64]) throws -> PreparedRequest {
      var positional = part.arguments.positional
      positional.insert(
        StatementArgument(ArrayArgument(integers: ContiguousArray(rowIDs))),
        at: argumentsBeforeRowIDs)
      return try request(db, part.sql, StatementArguments(positional: positional, named: [:]))
    }

    /// Returns the rowids that the list has, in its order.
    package func sorted(_ db: Database, _ rowIDs: [Int64]) throws -> [Int64] {
      let request = try request(db, ofRows: rowIDs)
      let execution = StatementExecution(request.fetchedStatement)
      var result: [Int64] = []
      result.reserveCapacity(rowIDs.count)
      while try execution.advance() { result.append(execution.integer(at: rowIDColumn)) }
      return result
    }

    private func request(
      _ db: Database, _ sql: String, _ arguments: StatementArguments
    ) throws -> PreparedRequest {
      let statement = try db.cachedStatement(sql: sql)
      try statement.setArguments(arguments)
      var request = PreparedRequest(
        statement: statement, adapter: ownColumnCount.map { RangeRowAdapter(0..<$0) })
      request.isForOneFetch = true
      return request
    }
  }
}

extension StatementExecution {
  /// Returns a value of the current row.
  package func value(at column: Int) -> DatabaseValue {
    guard let handle = statement.handle else { return .null }
    return DatabaseValue(sqliteStatement: handle, index: CInt(column))
  }

  /// Returns an integer of the current row.
  package func integer(at column: Int) -> Int64 {
    guard let handle = statement.handle else { return 0 }
    return SQLite.columnInt64(handle, CInt(column))
  }
}

extension Database {
  /// Executes `body`, whose statements are neither traced nor recorded as reads of an observation.
  func aside<T>(_ body: () throws -> T) rethrows -> T {
    try withoutTracing { try unrecorded(body) }
  }

  /// Executes `body`, whose statements aren't recorded as reads of an observation.
  package func unrecorded<T>(_ body: () throws -> T) rethrows -> T {
    let recorded = hooks.recordedRegions
    let isRecording = accessState.contains(.recordingRegion)
    hooks.recordedRegions = []
    accessState.remove(.recordingRegion)
    defer {
      hooks.recordedRegions = recorded
      if isRecording { accessState.insert(.recordingRegion) }
    }
    return try body()
  }

  /// Whether no other connection has committed since this one, a pool's writer, was opened.
  package func hasSeenOwnCommitsOnly() throws -> Bool {
    try commitLog?.firstDataVersion == mainDataVersion()
  }

  /// The number of the schema's changes, from an unknown start.
  ///
  /// A `VACUUM` is one, too, and can give rows new rowids in tables without an
  /// `INTEGER PRIMARY KEY`: <https://sqlite.org/lang_vacuum.html>.
  package func mainSchemaVersion() throws -> Int64 {
    try number("PRAGMA main.schema_version")
  }

  /// The number of commits by other connections that this one has noticed, from an unknown start.
  package func mainDataVersion() throws -> Int64 {
    try number("PRAGMA main.data_version")
  }

  private func number(_ sql: String) throws -> Int64 {
    try aside {
      let statement = try cachedStatement(sql: sql)
      // Pragmas aren't cached otherwise, since some act when they are compiled; these read the
      // number at each execution.
      statementCache.add(statement, for: sql)
      return try Int64.fetchOne(statement) ?? 0
    }
  }
}
