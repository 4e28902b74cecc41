/// A query, and the type of what its rows are decoded to.
public protocol FetchRequest<RowDecoder>: SQLSubqueryable, DatabaseRegionConvertible {
  /// The type of what is fetched: ``Row``, a value, a record.
  associatedtype RowDecoder

  /// The statement to fetch from, with its arguments bound.
  ///
  /// - Parameter singleResult: Whether the first row is all that is asked for,
  ///   so that the query may limit itself.
  func makePreparedRequest(
    _ db: Database, forSingleResult singleResult: Bool
  ) throws -> PreparedRequest

  /// The number of rows that the request gives.
  func fetchCount(_ db: Database) throws -> Int
}

extension FetchRequest {
  /// The statement to fetch all rows from, with its arguments bound.
  public func makePreparedRequest(_ db: Database) throws -> PreparedRequest {
    try makePreparedRequest(db, forSingleResult: false)
  }

  /// What the statement reads.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    let request = try makePreparedRequest(db, forSingleResult: false)
    defer { if request.isForOneFetch { request.statement.clearBindings() } }
    return request.statement.databaseRegion
  }

  /// The request with its rows seen through an adapter.
  public func adapted(
    _ adapter: @escaping @Sendable (Database) throws -> any RowAdapter
  ) -> AdaptedFetchRequest<Self> {
    AdaptedFetchRequest(base: self, adapter: adapter)
  }
}

/// A statement that is ready to be fetched from.
public struct PreparedRequest {
  /// The statement, with its arguments bound.
  public var statement: Statement

  /// What the rows are seen through.
  public var adapter: (any RowAdapter)?

  /// Whether the statement is the request's own, for one fetch: its arguments,
  /// secrets perhaps, are forgotten when the fetch ends.
  package var isForOneFetch = false

  /// What completes the rows before anything is made of them: it stores the rows of associations
  /// in ``Row/prefetched``.
  ///
  /// Where it is set, all rows are fetched first, as copies, also for a cursor.
  package var supplementaryFetch: ((Database, [Row]) throws -> Void)?

  /// What ``supplementaryFetch`` fetches for rows, as requests for a dump, with the keys that lead
  /// there.
  package var supplementaryRequests:
    ((Database, [Row]) throws -> [(keyPath: [String], request: any FetchRequest)])?

  /// A statement whose arguments stay bound.
  public init(statement: Statement, adapter: (any RowAdapter)? = nil) {
    self.statement = statement
    self.adapter = adapter
  }

  /// The statement, for the fetch.
  @usableFromInline
  package var fetchedStatement: Statement { isForOneFetch ? statement.forOneFetch : statement }
}

extension Statement {
  /// The statement, whose bindings are cleared when its fetch ends.
  package var forOneFetch: Statement {
    clearsBindings = true
    return self
  }
}
