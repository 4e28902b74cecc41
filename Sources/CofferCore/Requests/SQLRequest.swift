import CofferVault

/// A request written in SQL.
///
/// ```swift
/// let request: SQLRequest<String> = "SELECT name FROM player WHERE id = \(id)"
/// let name = try request.fetchOne(db)
/// ```
public struct SQLRequest<RowDecoder>: FetchRequest {
  /// The adapter that is applied to the rows.
  public var adapter: (any RowAdapter)?

  package private(set) var literal: SQL
  private let isCached: Bool

  private init(_ literal: SQL, adapter: (any RowAdapter)?, isCached: Bool) {
    self.literal = literal
    self.adapter = adapter
    self.isCached = isCached
  }

  /// Creates a request from SQL text.
  ///
  /// - Parameter cached: Whether the statement is cached for later fetches.
  public init(
    sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil, cached: Bool = true
  ) {
    self.init(SQL(sql: sql, arguments: arguments), adapter: adapter, isCached: cached)
  }

  /// Creates a request from SQL with interpolated values.
  ///
  /// - Parameter cached: Whether the statement is cached for later fetches.
  public init(
    literal sqlLiteral: SQL, adapter: (any RowAdapter)? = nil, cached: Bool = true
  ) {
    self.init(sqlLiteral, adapter: adapter, isCached: cached)
  }

  /// Returns the same request with its rows decoded to another type.
  public func asRequest<T>(of type: T.Type) -> SQLRequest<T> {
    SQLRequest<T>(literal, adapter: adapter, isCached: isCached)
  }

  // MARK: Fetching

  /// Returns the statement with its arguments bound; they are cleared after one fetch.
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

  /// Returns the number of rows, counted by SQLite.
  public func fetchCount(_ db: Database) throws -> Int {
    let (sql, arguments) = try literal.build(db)
    let counting = "SELECT COUNT(*) FROM (\(SQLString(sql).withoutTrailingSemicolons))"
    return try Int.fetchOne(db, sql: counting, arguments: arguments) ?? 0
  }
}

extension SQLRequest<Row> {
  /// Creates a request for rows from SQL text.
  ///
  /// - Parameter cached: Whether the statement is cached for later fetches.
  public init(
    sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil, cached: Bool = true
  ) {
    self.init(SQL(sql: sql, arguments: arguments), adapter: adapter, isCached: cached)
  }

  /// Creates a request for rows from SQL with interpolated values.
  ///
  /// - Parameter cached: Whether the statement is cached for later fetches.
  public init(
    literal sqlLiteral: SQL, adapter: (any RowAdapter)? = nil, cached: Bool = true
  ) {
    self.init(sqlLiteral, adapter: adapter, isCached: cached)
  }
}

extension SQLRequest: ExpressibleByStringInterpolation {
  /// Creates a request from SQL text.
  public init(stringLiteral: String) {
    self.init(SQL(stringLiteral: stringLiteral), adapter: nil, isCached: true)
  }

  /// Creates a request from SQL with interpolated values.
  public init(stringInterpolation: SQLInterpolation) {
    self.init(SQL(stringInterpolation: stringInterpolation), adapter: nil, isCached: true)
  }
}

extension SQLString {
  /// The text up to its last token that is not a semicolon.
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
