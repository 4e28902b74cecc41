/// A request made of SQL.
///
/// ```swift
/// let request: SQLRequest<String> = "SELECT name FROM player WHERE id = \(id)"
/// let name = try request.fetchOne(db)
/// ```
public struct SQLRequest<RowDecoder>: FetchRequest {
  /// What the rows are seen through.
  public var adapter: (any RowAdapter)?

  package private(set) var literal: SQL
  private let isCached: Bool

  private init(_ literal: SQL, adapter: (any RowAdapter)?, isCached: Bool) {
    self.literal = literal
    self.adapter = adapter
    self.isCached = isCached
  }

  /// A request of SQL text.
  ///
  /// - Parameter cached: Whether the statement is kept for the next time.
  public init(
    sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil, cached: Bool = true
  ) {
    self.init(SQL(sql: sql, arguments: arguments), adapter: adapter, isCached: cached)
  }

  /// A request of SQL with values in it.
  ///
  /// - Parameter cached: Whether the statement is kept for the next time.
  public init(
    literal sqlLiteral: SQL, adapter: (any RowAdapter)? = nil, cached: Bool = true
  ) {
    self.init(sqlLiteral, adapter: adapter, isCached: cached)
  }

  /// The same request with its rows decoded to another type.
  public func asRequest<T>(of type: T.Type) -> SQLRequest<T> {
    SQLRequest<T>(literal, adapter: adapter, isCached: isCached)
  }

  // MARK: Fetching

  /// The statement, with its arguments bound: for one fetch, which unbinds them.
  public func makePreparedRequest(
    _ db: Database, forSingleResult singleResult: Bool
  ) throws -> PreparedRequest {
    let (sql, arguments) = try literal.build(db)
    let statement = isCached ? try db.cachedStatement(sql: sql) : try db.makeStatement(sql: sql)
    try statement.setArguments(arguments)
    var request = PreparedRequest(statement: statement, adapter: adapter)
    request.isForOneFetch = true
    return request
  }

  /// The number of rows, counted by SQLite.
  public func fetchCount(_ db: Database) throws -> Int {
    let (sql, arguments) = try literal.build(db)
    let counting = "SELECT COUNT(*) FROM (\(SQLString(sql).withoutTrailingSemicolons))"
    return try Int.fetchOne(db, sql: counting, arguments: arguments) ?? 0
  }
}

extension SQLRequest<Row> {
  /// A request of SQL text for rows.
  ///
  /// - Parameter cached: Whether the statement is kept for the next time.
  public init(
    sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil, cached: Bool = true
  ) {
    self.init(SQL(sql: sql, arguments: arguments), adapter: adapter, isCached: cached)
  }

  /// A request of SQL with values in it, for rows.
  ///
  /// - Parameter cached: Whether the statement is kept for the next time.
  public init(
    literal sqlLiteral: SQL, adapter: (any RowAdapter)? = nil, cached: Bool = true
  ) {
    self.init(sqlLiteral, adapter: adapter, isCached: cached)
  }
}

extension SQLRequest: ExpressibleByStringInterpolation {
  /// A request of SQL text.
  public init(stringLiteral: String) {
    self.init(SQL(stringLiteral: stringLiteral), adapter: nil, isCached: true)
  }

  /// A request of SQL with values in it.
  public init(stringInterpolation: SQLInterpolation) {
    self.init(SQL(stringInterpolation: stringInterpolation), adapter: nil, isCached: true)
  }
}

extension SQLString {
  /// The text without the semicolons that end it, and what follows them.
  var withoutTrailingSemicolons: String {
    var text = string
    let end = text.withUTF8 { utf8 in
      var end = 0
      for token in SQLTokenizer(utf8) where token.isSignificant && token.kind != .semicolon {
        end = token.range.upperBound
      }
      return end
    }
    return String(decoding: text.utf8.prefix(end), as: UTF8.self)
  }
}
