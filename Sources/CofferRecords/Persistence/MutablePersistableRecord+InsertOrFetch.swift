import CofferCore
import CofferQuery

extension MutablePersistableRecord {
  /// Inserts the record, or does nothing if a row conflicts with it, and returns the row as a
  /// record.
  ///
  /// ```swift
  /// // The tag with this name: a new one, or the one that is there.
  /// let tag = try tag.insertOrFetch(db, onConflict: ["name"])
  /// ```
  ///
  /// The row that is there isn't written, so that no trigger runs and no observer hears of a
  /// change, and `didInsert` isn't called. ``upsertAndFetch(_:onConflict:updating:doUpdate:)``
  /// writes it, even if it updates no column.
  /// - Parameter conflictTarget: The columns of the unique key that a row may share; empty for any
  ///   unique key.
  /// - Throws: ``DatabaseError`` for other failing constraints.
  public mutating func insertOrFetch(
    _ db: Database, onConflict conflictTarget: [String] = []
  ) throws -> Self where Self: FetchableRecord {
    try insertOrFetching(db, as: Self.self, onConflict: conflictTarget)
  }

  /// Inserts the record, or does nothing if a row conflicts with it, and returns the row as another
  /// type.
  public mutating func insertOrFetch<T: FetchableRecord & TableRecord>(
    _ db: Database, as returnedType: T.Type, onConflict conflictTarget: [String] = []
  ) throws -> T {
    try insertOrFetching(db, as: returnedType, onConflict: conflictTarget)
  }

  fileprivate mutating func insertOrFetching<T: FetchableRecord & TableRecord>(
    _ db: Database, as returnedType: T.Type, onConflict conflictTarget: [String]
  ) throws -> T {
    var fetched: T?
    try insertWithCallbacks(db) { record in
      let table = try record.recordTable(db)
      let container = try PersistenceContainer(record)
      let upsert = try Upsert(
        table: table, container: container, target: conflictTarget,
        excluded: TableAlias<Self>(name: "excluded"), strategy: .noColumnUnlessSpecified,
        assignments: [])
      let result = try upsert.insert(db, T.databaseSelection, updating: false)
      fetched = try result.row.map { try T(row: $0) }
      return InsertionSuccess(
        rowID: result.rowID, stored: StoredValues(container, table),
        isIgnored: !result.isInserted)
    }
    guard let fetched else { throw DatabaseError.callbackMisuse("a callback") }
    return fetched
  }
}

extension PersistableRecord {
  /// Inserts the record, or does nothing if a row conflicts with it, and returns the row as a
  /// record.
  public func insertOrFetch(
    _ db: Database, onConflict conflictTarget: [String] = []
  ) throws -> Self where Self: FetchableRecord {
    var copy = self
    return try copy.insertOrFetching(db, as: Self.self, onConflict: conflictTarget)
  }

  /// Inserts the record, or does nothing if a row conflicts with it, and returns the row as another
  /// type.
  public func insertOrFetch<T: FetchableRecord & TableRecord>(
    _ db: Database, as returnedType: T.Type, onConflict conflictTarget: [String] = []
  ) throws -> T {
    var copy = self
    return try copy.insertOrFetching(db, as: returnedType, onConflict: conflictTarget)
  }
}
