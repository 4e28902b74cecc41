import CofferCore

/// A step from one schema to the next.
struct Migration: Sendable {
  enum Checks: Sendable {
    /// After each statement.
    case immediate
    /// For all tables, before the commit.
    case deferred
    /// Foreign keys are disabled and not checked.
    case none
  }

  /// What remains to be done for a database.
  enum Work {
    /// Nothing.
    case nothing
    /// Run the migration, which replaces applied ones.
    case run(replacing: Set<String>)
    /// Delete the identifiers of merged migrations; it was applied before it merged them.
    case forgetMerged
  }

  let identifier: String
  let merged: Set<String>
  let checks: Checks
  let body: @Sendable (Database, Set<String>) throws -> Void

  func work(after applied: Set<String>) -> Work {
    let replaced = merged.intersection(applied)
    guard applied.contains(identifier) else { return .run(replacing: replaced) }
    return replaced.isEmpty ? .nothing : .forgetMerged
  }

  /// Does what remains to be done, if anything, in a transaction.
  ///
  /// Other processes may have migrated the database since the caller looked, so this is checked
  /// again once the transaction prevents other writes.
  /// - Parameter applied: Returns which of the migration's identifiers are applied; called inside
  ///   the transaction.
  /// - Returns: False if nothing remained to be done.
  func run(_ db: Database, after applied: () throws -> Set<String>) throws -> Bool {
    switch checks {
    case .immediate:
      return try transact(db, after: applied, checksForeignKeys: false)
    case .deferred, .none:
      return try db.withoutForeignKeys { wereEnforced in
        try transact(
          db, after: applied, checksForeignKeys: wereEnforced && checks == .deferred)
      }
    }
  }

  private func transact(
    _ db: Database, after applied: () throws -> Set<String>, checksForeignKeys: Bool
  ) throws -> Bool {
    var isDone = true
    try db.inTransaction(.immediate) {
      switch work(after: try applied()) {
      case .nothing:
        isDone = false
        return .rollback
      case .forgetMerged:
        try MigrationTable.delete(merged, db)
      case .run(let replaced):
        try MigrationTable.create(db)
        // A schema source describes the schema of today, not the one that the migration changes.
        try db.withSchemaSource(nil) { try body(db, replaced) }
        try MigrationTable.delete(replaced, db)
        try MigrationTable.insert(identifier, db)
        if checksForeignKeys { try db.checkForeignKeys() }
      }
      return .commit
    }
    return isDone
  }
}
