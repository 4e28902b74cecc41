import CofferCore
import CofferQuery

// Changes that return rows with RETURNING, which requires SQLite 3.35 or later.

extension QueryInterfaceRequest where RowDecoder: FetchableRecord & TableRecord {
  // MARK: Deleting

  /// Deletes the rows and returns a cursor over their records.
  ///
  /// All rows are deleted by the cursor's first step.
  ///
  /// - Throws: An error if SQLite is older than 3.35.
  public func deleteAndFetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> {
    try RowDecoder.fetchCursor(deletion(db))
  }

  /// Deletes the rows of the request and returns their records.
  ///
  /// - Throws: An error if SQLite is older than 3.35.
  public func deleteAndFetchAll(_ db: Database) throws -> [RowDecoder] {
    try RowDecoder.fetchAll(deletion(db))
  }

  private func deletion(_ db: Database) throws -> Statement {
    try deleteAndFetchStatement(db, selection: RowDecoder.databaseSelection).forOneFetch
  }

  // MARK: Updating

  /// Updates the rows and returns a cursor over their records.
  ///
  /// All rows are updated by the cursor's first step.
  ///
  /// - Precondition: There is an assignment.
  /// - Throws: An error if SQLite is older than 3.35.
  public func updateAndFetchCursor(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> RecordCursor<RowDecoder> {
    try RowDecoder.fetchCursor(update(db, conflictResolution, assignments))
  }

  /// Updates the rows of the request and returns their records after the update.
  ///
  /// - Precondition: There is an assignment.
  /// - Throws: An error if SQLite is older than 3.35.
  public func updateAndFetchAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> [RowDecoder] {
    try RowDecoder.fetchAll(update(db, conflictResolution, assignments))
  }

  /// Updates the rows and returns a cursor over their records.
  ///
  /// All rows are updated by the cursor's first step.
  public func updateAndFetchCursor(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> RecordCursor<RowDecoder> {
    try updateAndFetchCursor(
      db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
  }

  /// Updates the rows of the request and returns their records after the update.
  ///
  /// ```swift
  /// let players = try Player.all().updateAndFetchAll(db) { [$0.score += 100] }
  /// ```
  public func updateAndFetchAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> [RowDecoder] {
    try updateAndFetchAll(
      db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
  }

  fileprivate func update(
    _ db: Database, _ conflictResolution: Database.ConflictResolution?,
    _ assignments: [ColumnAssignment]
  ) throws -> Statement {
    try updateAndFetchStatement(
      db, onConflict: conflictResolution, assignments, selection: RowDecoder.databaseSelection
    ).forOneFetch
  }
}

extension QueryInterfaceRequest where RowDecoder: FetchableRecord & TableRecord & Hashable {
  /// Deletes the rows of the request and returns their distinct records.
  public func deleteAndFetchSet(_ db: Database) throws -> Set<RowDecoder> {
    try Set(deleteAndFetchCursor(db))
  }

  /// Updates the rows of the request and returns their distinct records after the update.
  public func updateAndFetchSet(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> Set<RowDecoder> {
    try Set(updateAndFetchCursor(db, onConflict: conflictResolution, assignments))
  }

  /// Updates the rows of the request and returns their distinct records after the update.
  public func updateAndFetchSet(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> Set<RowDecoder> {
    try updateAndFetchSet(
      db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
  }
}
