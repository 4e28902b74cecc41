import CofferCore

/// A request that selects a typed expression.
///
/// Its rows are decoded to the type of the expression, and its closures still take the columns of
/// the record type.
///
/// ```swift
/// // SELECT "score" FROM "player" WHERE "teamId" = 1 ORDER BY "name"
/// let scores = try Player.select { $0.score }       // [Int]
///   .filter { $0.teamId == 1 }
///   .order { $0.name }
///   .fetchAll(db)
/// ```
///
/// ``asRequest(of:)`` returns a `QueryInterfaceRequest` for the values.
public struct TypedSelectionRequest<Record, Value>: Sendable {
  /// The type that rows are decoded to.
  public typealias RowDecoder = Value

  /// The record type whose columns closures take.
  public typealias _Record = Record

  /// The underlying request, with rows decoded to records.
  package let base: QueryInterfaceRequest<Record>

  package init(base: QueryInterfaceRequest<Record>) { self.base = base }

  /// Returns the request with its rows decoded to another type.
  public func asRequest<T>(of type: T.Type = T.self) -> QueryInterfaceRequest<T> {
    base.asRequest(of: type)
  }

  /// Returns the request with a change applied to the underlying request.
  package func map(
    _ change: (QueryInterfaceRequest<Record>) throws -> QueryInterfaceRequest<Record>
  ) rethrows -> Self {
    Self(base: try change(base))
  }
}

extension TypedSelectionRequest: FetchRequest {
  /// The request as a subquery.
  public var sqlSubquery: SQLSubquery { base.sqlSubquery }

  /// Prepares a statement and binds its arguments, for a single fetch.
  public func makePreparedRequest(
    _ db: Database, forSingleResult singleResult: Bool
  ) throws -> PreparedRequest {
    try base.makePreparedRequest(db, forSingleResult: singleResult)
  }

  /// Returns the database region that the request reads.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    try base.databaseRegion(db)
  }

  /// Returns the first value; nil if it is NULL, or if there is no row.
  ///
  /// ```swift
  /// let best = try Player.select { max($0.score) }.fetchOne(db) ?? 0
  /// ```
  public func fetchOne<Wrapped: DatabaseValueConvertible>(
    _ db: Database
  ) throws -> Wrapped? where Value == Wrapped? {
    // That of all requests, which tells NULL from no row.
    let value: Wrapped?? = try fetchOne(db)
    return value ?? nil
  }

  /// Returns the number of values, counted by SQLite.
  public func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }

  /// Returns whether the request has no values.
  public func isEmpty(_ db: Database) throws -> Bool { try base.isEmpty(db) }
}

extension TypedSelectionRequest: DerivableRequest {
  /// The name of the table.
  public var databaseTableName: String { base.databaseTableName }

  /// Returns the request with an alias for its table.
  public func aliased(_ alias: TableAlias<Record>) -> Self { map { $0.aliased(alias) } }

  /// Returns the request with its relation changed.
  public func _with(_ change: (inout _RequestParts) -> Void) -> Self {
    map { $0._with(change) }
  }

  /// Returns the request limited to a number of values, after an offset.
  ///
  /// - Parameter limit: The maximum number of values; negative for no limit.
  public func limit(_ limit: Int, offset: Int? = nil) -> Self {
    map { $0.limit(limit, offset: offset) }
  }
}

// MARK: - Operations of requests for records

extension TypedSelectionRequest {
  /// Returns a request for the distinct values of both requests: `UNION`.
  public func union(_ other: some SQLSubqueryable) -> QueryInterfaceRequest<Value> {
    asRequest().union(other)
  }

  /// Returns a request for all values of both requests: `UNION ALL`.
  public func unionAll(_ other: some SQLSubqueryable) -> QueryInterfaceRequest<Value> {
    asRequest().unionAll(other)
  }

  /// Returns a request for the distinct values that both requests have: `INTERSECT`.
  public func intersect(_ other: some SQLSubqueryable) -> QueryInterfaceRequest<Value> {
    asRequest().intersect(other)
  }

  /// Returns a request for the distinct values that the other request lacks: `EXCEPT`.
  public func except(_ other: some SQLSubqueryable) -> QueryInterfaceRequest<Value> {
    asRequest().except(other)
  }

  /// Returns the request filtered by a primary key.
  ///
  /// Nil selects no row.
  @_disfavoredOverload
  public func filter(key: any DatabaseValueConvertible) -> Self { map { $0.filter(key: key) } }

  /// Returns the request filtered by primary keys.
  @_disfavoredOverload
  public func filter<Key: DatabaseValueConvertible>(keys: any Collection<Key>) -> Self {
    map { $0.filter(keys: keys) }
  }

  /// Deletes the rows of the request.
  ///
  /// - Returns: The number of deleted rows.
  @discardableResult
  public func deleteAll(_ db: Database) throws -> Int { try base.deleteAll(db) }

  /// Updates the rows of the request.
  ///
  /// - Returns: The number of updated rows.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> Int {
    try base.updateAll(db, onConflict: conflictResolution, assignments)
  }

  /// Updates the rows of the request.
  ///
  /// - Returns: The number of updated rows.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: ColumnAssignment...
  ) throws -> Int {
    try base.updateAll(db, onConflict: conflictResolution, assignments)
  }
}

extension TypedSelectionRequest where Record: Identifiable, Record.ID: DatabaseValueConvertible {
  /// Returns the request filtered by an identifier, which is the primary key.
  public func filter(id: Record.ID) -> Self { map { $0.filter(id: id) } }

  /// Returns the request filtered by identifiers.
  @_disfavoredOverload
  public func filter(ids: any Collection<Record.ID>) -> Self { map { $0.filter(ids: ids) } }
}

extension TypedSelectionRequest where Record: Identifiable {
  /// Returns the request filtered by identifiers, of a type whose identifier is optional.
  @_disfavoredOverload
  public func filter<Key: DatabaseValueConvertible>(ids: [Key]) -> Self where Record.ID == Key? {
    map { $0.filter(ids: ids) }
  }
}

// MARK: - Closures

extension TypedSelectionRequest where Record: TableRecord {
  /// Returns a request that selects another typed expression.
  public func select<Selection: SQLTypedExpressible>(
    _ selection: (DatabaseComponents) throws -> Selection
  ) rethrows -> TypedSelectionRequest<Record, Selection.SQLValue> {
    try base.select(selection)
  }

  /// Returns the request with another selection and rows decoded to a type.
  public func select<T>(
    _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: T.Type
  ) rethrows -> QueryInterfaceRequest<T> { try base.select(selection, as: type) }

  /// Returns the request with another selection and rows decoded to a type.
  public func select<T>(
    _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: T.Type
  ) rethrows -> QueryInterfaceRequest<T> { try base.select(selection, as: type) }

  /// Updates the rows of the request.
  ///
  /// - Returns: The number of updated rows.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignment: (DatabaseComponents) throws -> ColumnAssignment
  ) throws -> Int {
    try base.updateAll(db, onConflict: conflictResolution, assignment: assignment)
  }

  /// Updates the rows of the request.
  ///
  /// - Returns: The number of updated rows.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> Int {
    try base.updateAll(db, onConflict: conflictResolution, assignments: assignments)
  }
}
