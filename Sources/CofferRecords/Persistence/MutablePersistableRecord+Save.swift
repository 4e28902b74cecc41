import CofferCore
import CofferQuery

extension MutablePersistableRecord {
  /// Updates the row with the record's primary key, or inserts a row if there is none.
  ///
  /// - Parameter conflictResolution: What happens if a constraint fails; nil uses
  ///   ``persistenceConflictPolicy``.
  public mutating func save(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws {
    try saveRow(db, onConflict: conflictResolution)
  }

  /// Saves a copy of the record.
  ///
  /// - Returns: The copy, with its rowid if it was inserted and the type stores the rowid.
  public func saved(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self {
    var copy = self
    try copy.save(db, onConflict: conflictResolution)
    return copy
  }

  /// Saves a copy of the record and returns the stored row as a record.
  ///
  /// Before SQLite 3.35, the row is fetched by a second statement, which throws if the table has
  /// triggers.
  /// - Throws: ``RecordError`` if a conflict was ignored.
  public func saveAndFetch(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self where Self: FetchableRecord {
    var copy = self
    return try copy.saveAndFetch(db, onConflict: conflictResolution, as: Self.self)
  }

  /// Saves the record and returns the stored row as a record of another type.
  ///
  /// - Throws: ``RecordError`` if a conflict was ignored.
  public mutating func saveAndFetch<T: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    as returnedType: T.Type
  ) throws -> T {
    try fetchChanging(.save, db, conflictResolution, as: returnedType)
  }

  /// Saves the record and fetches a selection from the stored row.
  ///
  /// - Parameter selection: The selection, which must not be empty.
  /// - Parameter fetch: Fetches from the statement, and so executes the change. It can be called
  ///   twice: for an update that finds no row, and then for the insertion.
  public mutating func saveAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> T
  ) throws -> T {
    try fetchChanging(.save, db, conflictResolution, selection: selection, fetch: fetch)
  }
}

extension PersistableRecord {
  /// Updates the row with the record's primary key, or inserts a row if there is none.
  public func save(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws {
    var copy = self
    try copy.saveRow(db, onConflict: conflictResolution)
  }

  /// Saves the record and returns the stored row as a record of another type.
  ///
  /// - Throws: ``RecordError`` if a conflict was ignored.
  public func saveAndFetch<T: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    as returnedType: T.Type
  ) throws -> T {
    var copy = self
    return try copy.fetchChanging(.save, db, conflictResolution, as: returnedType)
  }

  /// Saves the record and fetches a selection from the stored row.
  public func saveAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> T
  ) throws -> T {
    var copy = self
    return try copy.fetchChanging(
      .save, db, conflictResolution, selection: selection, fetch: fetch)
  }
}
