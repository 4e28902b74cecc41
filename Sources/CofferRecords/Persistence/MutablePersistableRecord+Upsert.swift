import CofferCore
import CofferQuery

extension MutablePersistableRecord {
  /// Inserts the record, or updates the row that conflicts with it.
  ///
  /// A row conflicts if it has the same primary key, or the same values in a unique index. All of
  /// the record's columns are updated in it, except the primary key. Unlike with `REPLACE`, nothing
  /// is deleted: the row keeps its rowid, and rows that refer to it aren't touched.
  ///
  /// It calls the callbacks of an insertion. Before SQLite 3.35, it takes two statements or more.
  public mutating func upsert(_ db: Database) throws {
    try insertWithCallbacks(db) { try $0.upsertRow(db).success }
  }

  /// Inserts the record, or updates some columns of the row that conflicts with it.
  ///
  /// ```swift
  /// // INSERT INTO "word" ("text", "isTainted") VALUES ('jovial', 0)
  /// // ON CONFLICT("text") DO UPDATE SET "count" = "count" + 1
  /// try word.upsert(db, onConflict: ["text"], updating: .noColumnUnlessSpecified) { _ in
  ///   [Column("count") += 1]
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - conflictTarget: The columns of the unique key whose conflicts lead to an update; empty for
  ///     any unique key.
  ///   - strategy: Whether the record's other columns are updated as well.
  ///   - assignments: The assignments of the update. The argument stands for the row that would
  ///     have been inserted.
  /// - Throws: ``DatabaseError``, also if an assignment names no column of the table.
  public mutating func upsert(
    _ db: Database, onConflict conflictTarget: [String] = [],
    updating strategy: UpsertUpdateStrategy = .allColumns,
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
  ) throws {
    try insertWithCallbacks(db) {
      try $0.upsertRow(
        db, onConflict: conflictTarget, updating: strategy, doUpdate: assignments
      ).success
    }
  }

  /// Inserts the record, or updates the conflicting row, and returns the row as a record.
  ///
  /// ```swift
  /// // INSERT INTO "word" ("text", "isTainted") VALUES ('jovial', 0)
  /// // ON CONFLICT("text") DO UPDATE SET "count" = "count" + 1
  /// let word = try word.upsertAndFetch(db, onConflict: ["text"]) { _ in
  ///   [Column("count") += 1, Column("isTainted").noOverwrite]
  /// }
  /// ```
  ///
  /// - Parameter conflictTarget: The columns of the unique key whose conflicts lead to an update;
  ///   empty for any unique key.
  /// - Parameter strategy: Whether the record's other columns are updated as well.
  /// - Parameter assignments: The assignments of the update. The argument stands for the row that
  ///   would have been inserted.
  /// - Throws: ``DatabaseError``, also if an assignment names no column of the table.
  public mutating func upsertAndFetch(
    _ db: Database, onConflict conflictTarget: [String] = [],
    updating strategy: UpsertUpdateStrategy = .allColumns,
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
  ) throws -> Self where Self: FetchableRecord {
    try upsertFetching(
      db, as: Self.self, onConflict: conflictTarget, updating: strategy, doUpdate: assignments)
  }

  /// Inserts the record, or updates the conflicting row, and returns the row as another type.
  public mutating func upsertAndFetch<T: FetchableRecord & TableRecord>(
    _ db: Database, as returnedType: T.Type, onConflict conflictTarget: [String] = [],
    updating strategy: UpsertUpdateStrategy = .allColumns,
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
  ) throws -> T {
    try upsertFetching(
      db, as: returnedType, onConflict: conflictTarget, updating: strategy, doUpdate: assignments)
  }

  fileprivate mutating func upsertFetching<T: FetchableRecord & TableRecord>(
    _ db: Database, as returnedType: T.Type, onConflict conflictTarget: [String],
    updating strategy: UpsertUpdateStrategy,
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])?
  ) throws -> T {
    var fetched: T?
    try insertWithCallbacks(db) { record in
      let (success, row) = try record.upsertRow(
        db, onConflict: conflictTarget, updating: strategy, doUpdate: assignments,
        selection: T.databaseSelection)
      fetched = try row.map { try T(row: $0) }
      return success
    }
    guard let fetched else { throw DatabaseError.callbackMisuse("a callback") }
    return fetched
  }
}

extension PersistableRecord {
  /// Inserts the record, or updates the row that conflicts with it.
  public func upsert(_ db: Database) throws {
    var copy = self
    try copy.insertWithCallbacks(db) { try $0.upsertRow(db).success }
  }

  /// Inserts the record, or updates some columns of the row that conflicts with it.
  public func upsert(
    _ db: Database, onConflict conflictTarget: [String] = [],
    updating strategy: UpsertUpdateStrategy = .allColumns,
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
  ) throws {
    var copy = self
    try copy.insertWithCallbacks(db) {
      try $0.upsertRow(
        db, onConflict: conflictTarget, updating: strategy, doUpdate: assignments
      ).success
    }
  }

  /// Inserts the record, or updates the conflicting row, and returns the row as a record.
  public func upsertAndFetch(
    _ db: Database, onConflict conflictTarget: [String] = [],
    updating strategy: UpsertUpdateStrategy = .allColumns,
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
  ) throws -> Self where Self: FetchableRecord {
    var copy = self
    return try copy.upsertFetching(
      db, as: Self.self, onConflict: conflictTarget, updating: strategy, doUpdate: assignments)
  }

  /// Inserts the record, or updates the conflicting row, and returns the row as another type.
  public func upsertAndFetch<T: FetchableRecord & TableRecord>(
    _ db: Database, as returnedType: T.Type, onConflict conflictTarget: [String] = [],
    updating strategy: UpsertUpdateStrategy = .allColumns,
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
  ) throws -> T {
    var copy = self
    return try copy.upsertFetching(
      db, as: returnedType, onConflict: conflictTarget, updating: strategy, doUpdate: assignments)
  }
}

extension MutablePersistableRecord {
  /// - Parameter selection: The selection from the row; empty to return no row.
  func upsertRow(
    _ db: Database, onConflict conflictTarget: [String] = [],
    updating strategy: UpsertUpdateStrategy = .allColumns,
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil,
    selection: [any SQLSelectable] = []
  ) throws -> (success: InsertionSuccess, row: Row?) {
    let table = try recordTable(db)
    let container = try PersistenceContainer(self)
    let excluded = TableAlias<Self>(name: "excluded")
    let upsert = try Upsert(
      table: table, container: container, target: conflictTarget, excluded: excluded,
      strategy: strategy, assignments: assignments?(excluded) ?? [])
    let (rowID, row) = try upsert.execute(db, selection)
    let success = InsertionSuccess(rowID: rowID, stored: StoredValues(container, table))
    return (success, row)
  }
}
