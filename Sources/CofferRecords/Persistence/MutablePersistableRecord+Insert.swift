import CofferCore
import CofferQuery

extension MutablePersistableRecord {
  /// Inserts the record.
  ///
  /// ```swift
  /// // INSERT INTO "player" ("id", "name") VALUES (NULL, 'Arthur')
  /// var player = Player(id: nil, name: "Arthur")
  /// try player.insert(db)
  /// ```
  ///
  /// - Parameter conflictResolution: What happens if a constraint fails; nil uses
  ///   ``persistenceConflictPolicy``.
  /// - Throws: ``DatabaseError``, or the error of a callback.
  @inlinable
  public mutating func insert(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws {
    try insertWithCallbacks(db) { try $0.insertRow(db, onConflict: conflictResolution) }
  }

  /// Inserts a copy of the record.
  ///
  /// - Returns: The copy, with its rowid if the type stores it.
  @inlinable
  public func inserted(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self {
    var copy = self
    try copy.insert(db, onConflict: conflictResolution)
    return copy
  }

  // MARK: Inserting and fetching

  /// Inserts a copy of the record and returns the inserted row as a record.
  ///
  /// The result includes the default values of the table. Before SQLite 3.35, the row is fetched by
  /// a second statement, which throws if the table has triggers.
  /// - Throws: ``RecordError`` if a conflict was ignored.
  public func insertAndFetch(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self where Self: FetchableRecord {
    var copy = self
    return try copy.insertAndFetch(db, onConflict: conflictResolution, as: Self.self)
  }

  /// Inserts the record and returns the inserted row as a record of another type.
  ///
  /// - Throws: ``RecordError`` if a conflict was ignored.
  public mutating func insertAndFetch<T: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    as returnedType: T.Type
  ) throws -> T {
    try fetchChanging(.insert, db, conflictResolution, as: returnedType)
  }

  /// Inserts the record and fetches a selection from the inserted row.
  ///
  /// ```swift
  /// let score = try player.insertAndFetch(db, selection: [Column("score")]) {
  ///   try Int.fetchOne($0)
  /// }
  /// ```
  ///
  /// - Parameter selection: The selection, which must not be empty.
  /// - Parameter fetch: Fetches from the statement, and so executes the insertion. If a conflict is
  ///   ignored, the statement returns no row.
  public mutating func insertAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> T
  ) throws -> T {
    try fetchChanging(.insert, db, conflictResolution, selection: selection, fetch: fetch)
  }

  /// Inserts the record and fetches a selection from the inserted row.
  ///
  /// ```swift
  /// let score = try player.insertAndFetch(db) { try Int.fetchOne($0) } select: { [$0.score] }
  /// ```
  public mutating func insertAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    fetch: (Statement) throws -> T,
    select selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> T {
    try insertAndFetch(
      db, onConflict: conflictResolution, selection: selection(Self.databaseComponents),
      fetch: fetch)
  }
}

extension PersistableRecord {
  /// Inserts the record.
  ///
  /// - Parameter conflictResolution: What happens if a constraint fails; nil uses
  ///   ``MutablePersistableRecord/persistenceConflictPolicy``.
  /// - Throws: ``DatabaseError``, or the error of a callback.
  @inlinable
  public func insert(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws {
    var copy = self
    try copy.insertWithCallbacks(db) { try $0.insertRow(db, onConflict: conflictResolution) }
  }

  /// Inserts the record and returns the inserted row as a record of another type.
  ///
  /// - Throws: ``RecordError`` if a conflict was ignored.
  public func insertAndFetch<T: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    as returnedType: T.Type
  ) throws -> T {
    var copy = self
    return try copy.fetchChanging(.insert, db, conflictResolution, as: returnedType)
  }

  /// Inserts the record and fetches a selection from the inserted row.
  public func insertAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> T
  ) throws -> T {
    var copy = self
    return try copy.fetchChanging(
      .insert, db, conflictResolution, selection: selection, fetch: fetch)
  }

  /// Inserts the record and fetches a selection from the inserted row.
  public func insertAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    fetch: (Statement) throws -> T,
    select selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> T {
    try insertAndFetch(
      db, onConflict: conflictResolution, selection: selection(Self.databaseComponents),
      fetch: fetch)
  }
}
