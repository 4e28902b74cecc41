import CofferCore
import CofferQuery

extension MutablePersistableRecord {
  /// Updates the record's row, or inserts one where there is none with its primary key.
  ///
  /// - Parameter conflictResolution: What happens where a constraint fails; nil for what
  ///   ``persistenceConflictPolicy`` says.
  public mutating func save(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws {
    try saveWithCallbacks(
      db, update: { try $0.updateRow(db, onConflict: conflictResolution) },
      insert: { try $0.insertRow(db, onConflict: conflictResolution) })
  }

  /// Saves a copy of the record.
  ///
  /// - Returns: The copy, which knows its rowid where it was inserted, and the type keeps it.
  public func saved(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self {
    var copy = self
    try copy.save(db, onConflict: conflictResolution)
    return copy
  }

  /// Saves a copy of the record, and gives what the row has become.
  ///
  /// Before SQLite 3.35, the row is fetched again, which triggers on the table forbid.
  /// - Throws: ``RecordError`` where a conflict was ignored.
  public func saveAndFetch(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self where Self: FetchableRecord {
    var copy = self
    return try copy.saveAndFetch(db, onConflict: conflictResolution, as: Self.self)
  }

  /// Saves the record, and gives what the row has become as a record of another type.
  ///
  /// - Throws: ``RecordError`` where a conflict was ignored.
  public mutating func saveAndFetch<T: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    as returnedType: T.Type
  ) throws -> T {
    try saveFetching(db, onConflict: conflictResolution, as: returnedType)
  }

  /// Saves the record, and fetches what is selected of the row.
  ///
  /// - Parameter selection: Not empty.
  /// - Parameter fetch: Fetches from the statement, which executes the change. It may be called
  ///   twice: for an update that finds no row, and for the insertion then.
  public mutating func saveAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> T
  ) throws -> T {
    try saveFetching(
      db, onConflict: conflictResolution, selection: selection, fetch: fetch)
  }
}

extension MutablePersistableRecord {
  mutating func saveFetching<T: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution?, as type: T.Type
  ) throws -> T {
    let fetched = try saveFetching(
      db, onConflict: conflictResolution, selection: T.databaseSelection
    ) { try T.fetchOne($0) }
    if let fetched { return fetched }
    throw try missingRow(db)
  }

  mutating func saveFetching<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution?,
    selection: [any SQLSelectable], fetch: (Statement) throws -> T
  ) throws -> T {
    var fetched: T?
    try saveWithCallbacks(db) { record in
      let (success, value) = try record.updateRowAndFetch(
        db, onConflict: conflictResolution, columns: nil, selection: selection, fetch: fetch)
      fetched = value
      return success
    } insert: { record in
      let (success, value) = try record.insertRowAndFetch(
        db, onConflict: conflictResolution, selection: selection, fetch: fetch)
      fetched = value
      return success
    }
    return try fetchedValue(fetched)
  }
}

extension PersistableRecord {
  /// Updates the record's row, or inserts one where there is none with its primary key.
  public func save(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws {
    var copy = self
    try copy.saveWithCallbacks(
      db, update: { try $0.updateRow(db, onConflict: conflictResolution) },
      insert: { try $0.insertRow(db, onConflict: conflictResolution) })
  }

  /// Saves the record, and gives what the row has become as a record of another type.
  ///
  /// - Throws: ``RecordError`` where a conflict was ignored.
  public func saveAndFetch<T: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    as returnedType: T.Type
  ) throws -> T {
    var copy = self
    return try copy.saveFetching(db, onConflict: conflictResolution, as: returnedType)
  }

  /// Saves the record, and fetches what is selected of the row.
  public func saveAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> T
  ) throws -> T {
    var copy = self
    return try copy.saveFetching(
      db, onConflict: conflictResolution, selection: selection, fetch: fetch)
  }
}
