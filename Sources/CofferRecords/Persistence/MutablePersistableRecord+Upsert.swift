import CofferCore
import CofferQuery

extension MutablePersistableRecord {
  /// Inserts the record, or updates the row that is in the way of it.
  ///
  /// A row is in the way where a primary key or a unique index says so. All of its columns that the
  /// record has are updated, but those of the primary key. Nothing is deleted, unlike with
  /// `REPLACE`: the row keeps its rowid, and no other row that refers to it is touched.
  ///
  /// The callbacks are those of an insertion. Before SQLite 3.35 it is done in two steps.
  public mutating func upsert(_ db: Database) throws {
    try insertWithCallbacks(db) { try $0.upsertRow(db).success }
  }

  /// Inserts the record, or updates the row that is in the way of it, and gives what the row has
  /// become.
  ///
  /// ```swift
  /// // INSERT INTO "word" ("text", "isTainted") VALUES ('jovial', 0)
  /// // ON CONFLICT("text") DO UPDATE SET "count" = "count" + 1
  /// let word = try word.upsertAndFetch(db, onConflict: ["text"]) { _ in
  ///   [Column("count") += 1, Column("isTainted").noOverwrite]
  /// }
  /// ```
  ///
  /// - Parameter conflictTarget: The columns of the unique key that a row may be in the way of;
  ///   empty for any.
  /// - Parameter assignments: What is updated; its argument stands for the row that was to be
  ///   inserted. Columns that the record has, and that aren't mentioned, are updated as well.
  public mutating func upsertAndFetch(
    _ db: Database, onConflict conflictTarget: [String] = [],
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
  ) throws -> Self where Self: FetchableRecord {
    try upsertFetching(db, as: Self.self, onConflict: conflictTarget, doUpdate: assignments)
  }

  /// Inserts the record, or updates the row that is in the way of it, and gives what the row has
  /// become as a record of another type.
  public mutating func upsertAndFetch<T: FetchableRecord & TableRecord>(
    _ db: Database, as returnedType: T.Type, onConflict conflictTarget: [String] = [],
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
  ) throws -> T {
    try upsertFetching(db, as: returnedType, onConflict: conflictTarget, doUpdate: assignments)
  }

  fileprivate mutating func upsertFetching<T: FetchableRecord & TableRecord>(
    _ db: Database, as returnedType: T.Type, onConflict conflictTarget: [String],
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])?
  ) throws -> T {
    var fetched: T?
    try insertWithCallbacks(db) { record in
      let (success, row) = try record.upsertRow(
        db, onConflict: conflictTarget, doUpdate: assignments, selection: T.databaseSelection)
      fetched = try row.map { try T(row: $0) }
      return success
    }
    return try fetchedValue(fetched)
  }
}

extension PersistableRecord {
  /// Inserts the record, or updates the row that is in the way of it.
  public func upsert(_ db: Database) throws {
    var copy = self
    try copy.insertWithCallbacks(db) { try $0.upsertRow(db).success }
  }

  /// Inserts the record, or updates the row that is in the way of it, and gives what the row has
  /// become.
  public func upsertAndFetch(
    _ db: Database, onConflict conflictTarget: [String] = [],
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
  ) throws -> Self where Self: FetchableRecord {
    var copy = self
    return try copy.upsertFetching(
      db, as: Self.self, onConflict: conflictTarget, doUpdate: assignments)
  }

  /// Inserts the record, or updates the row that is in the way of it, and gives what the row has
  /// become as a record of another type.
  public func upsertAndFetch<T: FetchableRecord & TableRecord>(
    _ db: Database, as returnedType: T.Type, onConflict conflictTarget: [String] = [],
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
  ) throws -> T {
    var copy = self
    return try copy.upsertFetching(
      db, as: returnedType, onConflict: conflictTarget, doUpdate: assignments)
  }
}

extension MutablePersistableRecord {
  /// - Parameter selection: What is given of the row; empty for nothing.
  func upsertRow(
    _ db: Database, onConflict conflictTarget: [String] = [],
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil,
    selection: [any SQLSelectable] = []
  ) throws -> (success: InsertionSuccess, row: Row?) {
    let table = try recordTable(db)
    let container = try PersistenceContainer(self)
    let excluded = TableAlias<Self>(name: "excluded")
    let upsert = try Upsert(
      table: table, container: container, target: conflictTarget, excluded: excluded,
      assignments: assignments?(excluded) ?? [])
    let (rowID, row) = try upsert.execute(db, selection)
    let success = InsertionSuccess(rowID: rowID, stored: StoredValues(container, table))
    return (success, row)
  }
}
