import CofferCore
import CofferQuery

extension MutablePersistableRecord {
  /// Updates all of the record's columns in the row with its primary key.
  ///
  /// ```swift
  /// // UPDATE "player" SET "name" = 'Arthur', "score" = 1000 WHERE "id" = 1
  /// try player.update(db)
  /// ```
  ///
  /// - Parameter conflictResolution: What happens if a constraint fails; nil uses
  ///   ``persistenceConflictPolicy``.
  /// - Throws: ``RecordError`` if there is no such row.
  @inlinable
  public func update(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws {
    try updateWithCallbacks(db, columns: tableColumns(db)) {
      try $0.updateRow(db, onConflict: conflictResolution)
    }
  }

  /// Updates some columns of the row with the record's primary key.
  ///
  /// - Parameter columns: The names of the columns, in any letter case. Columns that the record or
  ///   the table doesn't have are ignored.
  /// - Throws: ``RecordError`` if there is no such row.
  public func update(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    columns: some Collection<String>
  ) throws {
    let columns = Set(columns)
    try updateWithCallbacks(db, columns: columns) {
      try $0.updateColumns(db, onConflict: conflictResolution, columns)
    }
  }

  /// Updates some columns of the row with the record's primary key.
  ///
  /// ```swift
  /// try player.update(db, columns: [Column("score")])
  /// ```
  /// - Throws: ``RecordError`` if there is no such row.
  public func update(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    columns: some Collection<any ColumnExpression>
  ) throws {
    try update(db, onConflict: conflictResolution, columns: columns.map(\.name))
  }

  /// Updates the columns in which the record differs from another one.
  ///
  /// - Returns: Whether any column differed. If not, no statement is executed and no callback
  ///   called.
  /// - Throws: ``RecordError`` if there is no such row.
  @discardableResult
  public func updateChanges(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    from record: some EncodableRecord
  ) throws -> Bool {
    let changes = try PersistenceContainer(self).changes(from: PersistenceContainer(record))
    guard !changes.isEmpty else { return false }
    try update(db, onConflict: conflictResolution, columns: changes.map(\.column))
    return true
  }

  /// Modifies the record, and updates the columns that have changed.
  ///
  /// ```swift
  /// try player.updateChanges(db) { $0.score += 100 }
  /// ```
  ///
  /// - Returns: Whether any column changed. If not, no statement is executed and no callback
  ///   called.
  /// - Throws: ``RecordError`` if there is no such row. The record stays modified.
  @discardableResult
  public mutating func updateChanges(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    modify: (inout Self) throws -> Void
  ) throws -> Bool {
    let columns = try changedColumns(modify)
    guard !columns.isEmpty else { return false }
    try update(db, onConflict: conflictResolution, columns: columns)
    return true
  }

  func updateColumns(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution?,
    _ columns: Set<String>
  ) throws -> PersistenceSuccess {
    let type = type(of: self)
    let conflict =
      conflictResolution ?? type.persistenceConflictPolicy.conflictResolutionForUpdate
    return try updateCollectedRow(
      db, RecordPlan.Key(type, .update, conflict), columns: columns)
  }

  /// Returns the columns that `modify` changes.
  mutating func changedColumns(_ modify: (inout Self) throws -> Void) throws -> [String] {
    let old = try PersistenceContainer(self)
    try modify(&self)
    return try PersistenceContainer(self).changes(from: old).map(\.column)
  }
}

// MARK: - Updating and fetching

extension MutablePersistableRecord {
  /// Updates the record's row and returns it as a record.
  ///
  /// Before SQLite 3.35, the row is fetched by a second statement, which throws if the table has
  /// triggers.
  /// - Throws: ``RecordError`` if there is no such row.
  public func updateAndFetch(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self where Self: FetchableRecord {
    try updateAndFetch(db, onConflict: conflictResolution, as: Self.self)
  }

  /// Updates the record's row and returns it as a record of another type.
  ///
  /// - Throws: ``RecordError`` if there is no such row.
  public func updateAndFetch<T: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    as returnedType: T.Type
  ) throws -> T {
    var copy = self
    return try copy.fetchChanging(.update(columns: nil), db, conflictResolution, as: returnedType)
  }

  /// Updates the record's row and fetches a selection from it.
  ///
  /// - Parameter selection: The selection, which must not be empty.
  /// - Parameter fetch: Fetches from the statement, and so executes the update.
  /// - Throws: ``RecordError`` if there is no such row.
  public func updateAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> T
  ) throws -> T {
    try updateAndFetch(db, conflictResolution, columns: nil, selection, fetch)
  }

  /// Updates some columns of the record's row and fetches a selection from it.
  ///
  /// - Throws: ``RecordError`` if there is no such row.
  public func updateAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    columns: some Collection<String>, selection: [any SQLSelectable],
    fetch: (Statement) throws -> T
  ) throws -> T {
    try updateAndFetch(db, conflictResolution, columns: Set(columns), selection, fetch)
  }

  /// Updates some columns of the record's row and fetches a selection from it.
  ///
  /// - Throws: ``RecordError`` if there is no such row.
  public func updateAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    columns: some Collection<any ColumnExpression>, selection: [any SQLSelectable],
    fetch: (Statement) throws -> T
  ) throws -> T {
    try updateAndFetch(db, conflictResolution, columns: Set(columns.map(\.name)), selection, fetch)
  }

  private func updateAndFetch<T>(
    _ db: Database, _ conflictResolution: Database.ConflictResolution?, columns: Set<String>?,
    _ selection: [any SQLSelectable], _ fetch: (Statement) throws -> T
  ) throws -> T {
    // The callbacks of an update don't change the record.
    var copy = self
    return try copy.fetchChanging(
      .update(columns: columns), db, conflictResolution, selection: selection, fetch: fetch)
  }

  /// Modifies the record, updates the changed columns, and returns the row as a record.
  ///
  /// Returns nil if nothing has changed.
  ///
  /// - Throws: ``RecordError`` if there is no such row. The record stays modified.
  public mutating func updateChangesAndFetch(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    modify: (inout Self) throws -> Void
  ) throws -> Self? where Self: FetchableRecord {
    try updateChangesAndFetch(
      db, onConflict: conflictResolution, as: Self.self, modify: modify)
  }

  /// Modifies the record, updates the changed columns, and returns the row as another type.
  ///
  /// Returns nil if nothing has changed.
  ///
  /// - Throws: ``RecordError`` if there is no such row. The record stays modified.
  public mutating func updateChangesAndFetch<T: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    as returnedType: T.Type, modify: (inout Self) throws -> Void
  ) throws -> T? {
    let fetched = try updateChangesAndFetch(
      db, onConflict: conflictResolution, selection: T.databaseSelection,
      fetch: { try T.fetchOne($0) }, modify: modify)
    return fetched ?? nil
  }

  /// Modifies the record, updates the changed columns, and fetches a selection from the row.
  ///
  /// Returns nil if nothing has changed.
  ///
  /// - Throws: ``RecordError`` if there is no such row. The record stays modified.
  public mutating func updateChangesAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> T,
    modify: (inout Self) throws -> Void
  ) throws -> T? {
    let columns = try changedColumns(modify)
    guard !columns.isEmpty else { return nil }
    return try updateAndFetch(
      db, onConflict: conflictResolution, columns: columns, selection: selection, fetch: fetch)
  }
}
