import CofferCore

extension RequestSource where _Request == QueryInterfaceRequest<RowDecoder> {
  /// Updates the rows of the request.
  ///
  /// ```swift
  /// // UPDATE "player" SET "score" = 0 WHERE "teamId" = 1
  /// try Player.filter { $0.teamId == 1 }.updateAll(db, Column("score").set(to: 0))
  /// ```
  ///
  /// - Parameter conflictResolution: How to resolve violations of constraints; nil for the record
  ///   type's `persistenceConflictPolicy`.
  /// - Returns: The number of updated rows.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> Int {
    guard assignments.contains(where: { $0.value != nil }) else { return 0 }
    let request = request
    return try request.relation.executeChange(db) {
      try request.relation.renderUpdate(
        assignments, onConflict: conflictResolution ?? request.defaultConflictResolution,
        into: &$0)
    }
  }

  /// Updates the rows of the request.
  ///
  /// - Returns: The number of updated rows.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: ColumnAssignment...
  ) throws -> Int {
    try updateAll(db, onConflict: conflictResolution, assignments)
  }
}

extension RequestSource
where RowDecoder: TableRecord, _Record == RowDecoder, _Request == QueryInterfaceRequest<RowDecoder>
{
  /// Updates the rows of the request.
  ///
  /// ```swift
  /// try Player.all().updateAll(db) { $0.score += 1 }
  /// ```
  ///
  /// - Returns: The number of updated rows.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignment: (DatabaseComponents) throws -> ColumnAssignment
  ) throws -> Int {
    try updateAll(
      db, onConflict: conflictResolution, [assignment(RowDecoder.databaseComponents)])
  }

  /// Updates the rows of the request.
  ///
  /// ```swift
  /// try Player.all().updateAll(db) { [$0.score.set(to: 0), $0.level += 1] }
  /// ```
  ///
  /// - Returns: The number of updated rows.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> Int {
    try updateAll(
      db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
  }
}

extension QueryInterfaceRequest {
  /// Returns a statement that updates the rows of the request and returns them.
  ///
  /// Its arguments are bound. Needs SQLite 3.35.
  ///
  /// - Precondition: Neither the assignments nor the selection are empty.
  public func updateAndFetchStatement(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment], selection: [any SQLSelectable]
  ) throws -> Statement {
    var renderer = SQLRenderer(db)
    try relation.renderUpdate(
      assignments, onConflict: conflictResolution ?? defaultConflictResolution,
      returning: selection.map(\.sqlSelection), into: &renderer)
    return try renderer.statement()
  }

  /// The conflict resolution of the record type.
  fileprivate var defaultConflictResolution: Database.ConflictResolution? {
    (RowDecoder.self as? any _CodingKeyColumns.Type)?._updateConflictResolution
  }
}

extension QueryInterfaceRequest where RowDecoder: TableRecord {
  /// Returns a statement that updates the rows of the request and returns them.
  ///
  /// Its arguments are bound. Needs SQLite 3.35.
  public func updateAndFetchStatement(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (DatabaseComponents) throws -> [ColumnAssignment],
    select selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> Statement {
    try updateAndFetchStatement(
      db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents),
      selection: selection(RowDecoder.databaseComponents))
  }
}

extension Relation {
  /// Appends the `UPDATE` statement.
  func renderUpdate(
    _ assignments: [ColumnAssignment], onConflict: Database.ConflictResolution?,
    returning selection: [SQLSelection] = [], into renderer: inout SQLRenderer
  ) throws {
    try renderer.inChange(of: self) { relation, renderer, rows in
      renderer.append("UPDATE ")
      if let onConflict, onConflict != .abort { renderer.append("OR \(onConflict.rawValue) ") }
      try relation.renderChangedTable(into: &renderer)
      renderer.append(" SET ")
      var separator = ""
      for assignment in assignments {
        guard let value = assignment.value else { continue }
        renderer.append(separator)
        renderer.append(identifier: assignment.columnName)
        renderer.append(" = ")
        try renderer.append(value)
        separator = ", "
      }
      try relation.renderChangedRows(rows, into: &renderer, returning: selection)
    }
  }
}
