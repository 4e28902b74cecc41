import CofferCore

/// A request for a typed expression: its rows are values of that type, and its closures still get
/// the columns of the record type.
///
/// ```swift
/// // SELECT "score" FROM "player" WHERE "teamId" = 1 ORDER BY "name"
/// let scores = try Player.select { $0.score }       // [Int]
///   .filter { $0.teamId == 1 }
///   .order { $0.name }
///   .fetchAll(db)
/// ```
///
/// A `QueryInterfaceRequest` of the values is ``asRequest(of:)``.
public struct TypedSelectionRequest<Record, Value>: Sendable {
  /// The type that rows are decoded to.
  public typealias RowDecoder = Value

  /// The record type that closures get the columns of.
  public typealias _Record = Record

  /// The same, with its rows decoded to records.
  package let base: QueryInterfaceRequest<Record>

  package init(base: QueryInterfaceRequest<Record>) { self.base = base }

  /// The request with its rows decoded to another type.
  public func asRequest<T>(of type: T.Type = T.self) -> QueryInterfaceRequest<T> {
    base.asRequest(of: type)
  }

  /// The same with another request for records.
  package func map(
    _ change: (QueryInterfaceRequest<Record>) throws -> QueryInterfaceRequest<Record>
  ) rethrows -> Self {
    Self(base: try change(base))
  }
}

extension TypedSelectionRequest: FetchRequest {
  /// The request, as a query inside of another one.
  public var sqlSubquery: SQLSubquery { base.sqlSubquery }

  /// The statement, with its arguments bound: for one fetch, which unbinds them.
  public func makePreparedRequest(
    _ db: Database, forSingleResult singleResult: Bool
  ) throws -> PreparedRequest {
    try base.makePreparedRequest(db, forSingleResult: singleResult)
  }

  /// What the request reads.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    try base.databaseRegion(db)
  }

  /// The number of values, counted by SQLite.
  public func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }

  /// Whether the request gives no value.
  public func isEmpty(_ db: Database) throws -> Bool { try base.isEmpty(db) }
}

extension TypedSelectionRequest: DerivableRequest {
  /// The name of the table.
  public var databaseTableName: String { base.databaseTableName }

  /// The request with its table under an alias.
  public func aliased(_ alias: TableAlias<Record>) -> Self { map { $0.aliased(alias) } }

  /// The request with its relation changed.
  public func _with(_ change: (inout _RequestParts) -> Void) -> Self {
    map { $0._with(change) }
  }

  /// The request with no more than so many values, after some that are left out.
  ///
  /// - Parameter limit: The most values; all for a negative number.
  public func limit(_ limit: Int, offset: Int? = nil) -> Self {
    map { $0.limit(limit, offset: offset) }
  }
}

// MARK: - What requests for records can do, too

extension TypedSelectionRequest {
  /// The values of both requests, without repeated ones: `UNION`.
  public func union(_ other: some SQLSubqueryable) -> QueryInterfaceRequest<Value> {
    asRequest().union(other)
  }

  /// The values of both requests, repeated ones included: `UNION ALL`.
  public func unionAll(_ other: some SQLSubqueryable) -> QueryInterfaceRequest<Value> {
    asRequest().unionAll(other)
  }

  /// The values that both requests give, without repeated ones: `INTERSECT`.
  public func intersect(_ other: some SQLSubqueryable) -> QueryInterfaceRequest<Value> {
    asRequest().intersect(other)
  }

  /// The values that the other request doesn't give, without repeated ones: `EXCEPT`.
  public func except(_ other: some SQLSubqueryable) -> QueryInterfaceRequest<Value> {
    asRequest().except(other)
  }

  /// The request for the rows with a primary key; for no row where it is nil.
  @_disfavoredOverload
  public func filter(key: any DatabaseValueConvertible) -> Self { map { $0.filter(key: key) } }

  /// The request for the rows with one of several primary keys.
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
  /// The request for the row with an identifier, which is its primary key.
  public func filter(id: Record.ID) -> Self { map { $0.filter(id: id) } }

  /// The request for the rows with one of several identifiers.
  @_disfavoredOverload
  public func filter(ids: any Collection<Record.ID>) -> Self { map { $0.filter(ids: ids) } }
}

// MARK: - Closures

extension TypedSelectionRequest where Record: TableRecord {
  /// The request for another typed expression.
  public func select<Selection: SQLTypedExpressible>(
    _ selection: (DatabaseComponents) throws -> Selection
  ) rethrows -> TypedSelectionRequest<Record, Selection.SQLValue> {
    try base.select(selection)
  }

  /// The request with another selection, its rows decoded to a type.
  public func select<T>(
    _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: T.Type
  ) rethrows -> QueryInterfaceRequest<T> { try base.select(selection, as: type) }

  /// The request with another selection, its rows decoded to a type.
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
