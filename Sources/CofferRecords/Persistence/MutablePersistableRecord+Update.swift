import CofferCore
import CofferQuery

extension MutablePersistableRecord {
  /// Updates the row that has the record's primary key: all columns that the record has.
  ///
  /// ```swift
  /// // UPDATE "player" SET "name" = 'Arthur', "score" = 1000 WHERE "id" = 1
  /// try player.update(db)
  /// ```
  ///
  /// - Parameter conflictResolution: What happens where a constraint fails; nil for what
  ///   ``persistenceConflictPolicy`` says.
  /// - Throws: ``RecordError`` where there is no such row.
  @inlinable
  public func update(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws {
    try updateWithCallbacks(db, columns: tableColumns(db)) {
      try $0.updateRow(db, onConflict: conflictResolution)
    }
  }

  /// Updates some columns of the row that has the record's primary key.
  ///
  /// - Parameter columns: Their names, in either case; those that the record or the table doesn't
  ///   have are ignored.
  /// - Throws: ``RecordError`` where there is no such row.
  public func update(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    columns: some Collection<String>
  ) throws {
    let columns = Set(columns)
    try updateWithCallbacks(db, columns: columns) {
      try $0.updateColumns(db, onConflict: conflictResolution, columns)
    }
  }

  /// Updates some columns of the row that has the record's primary key.
  ///
  /// ```swift
  /// try player.update(db, columns: [Column("score")])
  /// ```
  /// - Throws: ``RecordError`` where there is no such row.
  public func update(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    columns: some Collection<any ColumnExpression>
  ) throws {
    try update(db, onConflict: conflictResolution, columns: columns.map(\.name))
  }

  /// Updates the columns in which the record differs from another one.
  ///
  /// - Returns: Whether there were any; if not, nothing is executed, and no callback called.
  /// - Throws: ``RecordError`` where there is no such row.
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

  /// Changes the record, and updates the columns that are different then.
  ///
  /// ```swift
  /// try player.updateChanges(db) { $0.score += 100 }
  /// ```
  ///
  /// - Returns: Whether there were any; if not, nothing is executed, and no callback called.
  /// - Throws: ``RecordError`` where there is no such row; the record stays changed.
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

  /// The columns in which `modify` makes a difference.
  mutating func changedColumns(_ modify: (inout Self) throws -> Void) throws -> [String] {
    let old = try PersistenceContainer(self)
    try modify(&self)
    return try PersistenceContainer(self).changes(from: old).map(\.column)
  }
}

// MARK: - With what the row becomes

extension MutablePersistableRecord {
  /// Updates the record's row, and gives what it has become.
  ///
  /// Before SQLite 3.35, the row is fetched again, which triggers on the table forbid.
  /// - Throws: ``RecordError`` where there is no such row.
  public func updateAndFetch(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self where Self: FetchableRecord {
    try updateAndFetch(db, onConflict: conflictResolution, as: Self.self)
  }

  /// Updates the record's row, and gives what it has become as a record of another type.
  ///
  /// - Throws: ``RecordError`` where there is no such row.
  public func updateAndFetch<T: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    as returnedType: T.Type
  ) throws -> T {
    let fetched = try updateAndFetch(
      db, onConflict: conflictResolution, selection: T.databaseSelection
    ) { try T.fetchOne($0) }
    if let fetched { return fetched }
    throw try missingRow(db)
  }

  /// Updates the record's row, and fetches what is selected of it.
  ///
  /// - Parameter selection: Not empty.
  /// - Parameter fetch: Fetches from the statement, which executes the update.
  /// - Throws: ``RecordError`` where there is no such row.
  public func updateAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> T
  ) throws -> T {
    try updateAndFetch(
      db, onConflict: conflictResolution, columns: nil, selection: selection, fetch: fetch)
  }

  /// Updates some columns of the record's row, and fetches what is selected of it.
  ///
  /// - Throws: ``RecordError`` where there is no such row.
  public func updateAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    columns: some Collection<String>, selection: [any SQLSelectable],
    fetch: (Statement) throws -> T
  ) throws -> T {
    try updateAndFetch(
      db, onConflict: conflictResolution, columns: .some(Set(columns)), selection: selection,
      fetch: fetch)
  }

  /// Updates some columns of the record's row, and fetches what is selected of it.
  ///
  /// - Throws: ``RecordError`` where there is no such row.
  public func updateAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    columns: some Collection<any ColumnExpression>, selection: [any SQLSelectable],
    fetch: (Statement) throws -> T
  ) throws -> T {
    try updateAndFetch(
      db, onConflict: conflictResolution, columns: .some(Set(columns.map(\.name))),
      selection: selection, fetch: fetch)
  }

  private func updateAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution?,
    columns: Set<String>?, selection: [any SQLSelectable], fetch: (Statement) throws -> T
  ) throws -> T {
    var fetched: T?
    try updateWithCallbacks(db, columns: columns ?? tableColumns(db)) { record in
      let (success, value) = try record.updateRowAndFetch(
        db, onConflict: conflictResolution, columns: columns, selection: selection, fetch: fetch)
      fetched = value
      return success
    }
    return try fetchedValue(fetched)
  }

  /// Changes the record, updates the columns that are different then, and gives what the row has
  /// become; nil where nothing was different.
  ///
  /// - Throws: ``RecordError`` where there is no such row; the record stays changed.
  public mutating func updateChangesAndFetch(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    modify: (inout Self) throws -> Void
  ) throws -> Self? where Self: FetchableRecord {
    try updateChangesAndFetch(
      db, onConflict: conflictResolution, as: Self.self, modify: modify)
  }

  /// Changes the record, updates the columns that are different then, and gives what the row has
  /// become as a record of another type; nil where nothing was different.
  ///
  /// - Throws: ``RecordError`` where there is no such row; the record stays changed.
  public mutating func updateChangesAndFetch<T: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    as returnedType: T.Type, modify: (inout Self) throws -> Void
  ) throws -> T? {
    let fetched = try updateChangesAndFetch(
      db, onConflict: conflictResolution, selection: T.databaseSelection,
      fetch: { try T.fetchOne($0) }, modify: modify)
    return fetched ?? nil
  }

  /// Changes the record, updates the columns that are different then, and fetches what is selected
  /// of the row; nil where nothing was different.
  ///
  /// - Throws: ``RecordError`` where there is no such row; the record stays changed.
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
