import CofferCore

/// A step from one schema to the next.
struct Migration: Sendable {
  enum Checks: Sendable {
    /// By each statement.
    case immediate
    /// Of all tables, before the commit.
    case deferred
    /// Neither.
    case none
  }

  /// What a database still has to go through.
  enum Work {
    /// Nothing.
    case nothing
    /// The migration, which replaces some that were applied.
    case run(replacing: Set<String>)
    /// It was applied before it merged others, which are still listed.
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

  /// Does what is still to be done, or nothing, in a transaction of its own.
  ///
  /// What was read before the transaction may be out of date: another process may have migrated
  /// the database meanwhile. So it is read again once nobody else can write.
  /// - Parameter applied: What the database has gone through, asked inside the transaction.
  func run(_ db: Database, after applied: () throws -> Set<String>) throws {
    switch checks {
    case .immediate:
      try transact(db, after: applied, checksForeignKeys: false)
    case .deferred, .none:
      try db.withoutForeignKeys { wereEnforced in
        try transact(
          db, after: applied, checksForeignKeys: wereEnforced && checks == .deferred)
      }
    }
  }

  private func transact(
    _ db: Database, after applied: () throws -> Set<String>, checksForeignKeys: Bool
  ) throws {
    try db.inTransaction(.immediate) {
      switch work(after: try applied()) {
      case .nothing:
        return .rollback
      case .forgetMerged:
        try MigrationTable.delete(merged, db)
      case .run(let replaced):
        try MigrationTable.create(db)
        try body(db, replaced)
        try MigrationTable.delete(replaced, db)
        try MigrationTable.insert(identifier, db)
        if checksForeignKeys { try db.checkForeignKeys() }
      }
      return .commit
    }
  }
}
