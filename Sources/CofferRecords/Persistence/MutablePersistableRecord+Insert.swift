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
  /// - Parameter conflictResolution: What happens where a constraint fails; nil for what
  ///   ``persistenceConflictPolicy`` says.
  /// - Throws: What SQLite or a callback says against it.
  @inlinable
  public mutating func insert(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws {
    try insertWithCallbacks(db) { try $0.insertRow(db, onConflict: conflictResolution) }
  }

  /// Inserts a copy of the record.
  ///
  /// - Returns: The copy, which knows its rowid where the type keeps it.
  @inlinable
  public func inserted(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self {
    var copy = self
    try copy.insert(db, onConflict: conflictResolution)
    return copy
  }

  // MARK: With what the row becomes

  /// Inserts a copy of the record, and gives what the row has become, columns that have defaults
  /// included.
  ///
  /// Before SQLite 3.35, the row is fetched again, which triggers on the table forbid.
  /// - Throws: ``RecordError`` where a conflict was ignored.
  public func insertAndFetch(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self where Self: FetchableRecord {
    var copy = self
    return try copy.insertAndFetch(db, onConflict: conflictResolution, as: Self.self)
  }

  /// Inserts the record, and gives what the row has become as a record of another type.
  ///
  /// - Throws: ``RecordError`` where a conflict was ignored.
  public mutating func insertAndFetch<T: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    as returnedType: T.Type
  ) throws -> T {
    try insertFetching(db, onConflict: conflictResolution, as: returnedType)
  }

  /// Inserts the record, and fetches what is selected of the row that it has become.
  ///
  /// ```swift
  /// let score = try player.insertAndFetch(db, selection: [Column("score")]) {
  ///   try Int.fetchOne($0)
  /// }
  /// ```
  ///
  /// - Parameter selection: Not empty.
  /// - Parameter fetch: Fetches from the statement, which executes the insertion. It gives no row
  ///   where a conflict is ignored.
  public mutating func insertAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> T
  ) throws -> T {
    try insertFetching(
      db, onConflict: conflictResolution, selection: selection, fetch: fetch)
  }

  /// Inserts the record, and fetches what is selected of the row that it has become.
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

  /// What a closure inside of callbacks has left, which have passed it on.
  func fetchedValue<T>(_ value: T?) throws -> T {
    guard let value else { throw DatabaseError.callbackMisuse("a callback") }
    return value
  }
}

extension MutablePersistableRecord {
  mutating func insertFetching<T: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution?, as type: T.Type
  ) throws -> T {
    let fetched = try insertFetching(
      db, onConflict: conflictResolution, selection: T.databaseSelection
    ) { try T.fetchOne($0) }
    if let fetched { return fetched }
    throw try missingRow(db)
  }

  mutating func insertFetching<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution?,
    selection: [any SQLSelectable], fetch: (Statement) throws -> T
  ) throws -> T {
    var fetched: T?
    try insertWithCallbacks(db) { record in
      let (success, value) = try record.insertRowAndFetch(
        db, onConflict: conflictResolution, selection: selection, fetch: fetch)
      fetched = value
      return success
    }
    return try fetchedValue(fetched)
  }
}

extension PersistableRecord {
  /// Inserts the record.
  ///
  /// - Parameter conflictResolution: What happens where a constraint fails; nil for what
  ///   ``MutablePersistableRecord/persistenceConflictPolicy`` says.
  /// - Throws: What SQLite or a callback says against it.
  @inlinable
  public func insert(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws {
    var copy = self
    try copy.insertWithCallbacks(db) { try $0.insertRow(db, onConflict: conflictResolution) }
  }

  /// Inserts the record, and gives what the row has become as a record of another type.
  ///
  /// - Throws: ``RecordError`` where a conflict was ignored.
  public func insertAndFetch<T: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    as returnedType: T.Type
  ) throws -> T {
    var copy = self
    return try copy.insertFetching(db, onConflict: conflictResolution, as: returnedType)
  }

  /// Inserts the record, and fetches what is selected of the row that it has become.
  public func insertAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> T
  ) throws -> T {
    var copy = self
    return try copy.insertFetching(
      db, onConflict: conflictResolution, selection: selection, fetch: fetch)
  }

  /// Inserts the record, and fetches what is selected of the row that it has become.
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
