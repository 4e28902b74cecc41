import CofferCore

extension DatabaseMigrator {
  // MARK: What a database has gone through

  /// The identifiers of the registered migrations, in order.
  public var migrations: [String] { registered.map(\.identifier) }

  /// The identifiers of all migrations that the database has gone through, also of those that
  /// aren't registered.
  public func appliedIdentifiers(_ db: Database) throws -> Set<String> {
    try MigrationTable.identifiers(db)
  }

  /// The identifiers of the registered migrations that the database has gone through, in the order
  /// in which they are registered.
  public func appliedMigrations(_ db: Database) throws -> [String] {
    let identifiers = try appliedIdentifiers(db)
    return migrations.filter(identifiers.contains)
  }

  /// The identifiers of the registered migrations up to the first that the database has not gone
  /// through.
  public func completedMigrations(_ db: Database) throws -> [String] {
    let identifiers = try appliedIdentifiers(db)
    return Array(migrations.prefix(while: identifiers.contains))
  }

  /// Whether the database has gone through all registered migrations.
  public func hasCompletedMigrations(_ db: Database) throws -> Bool {
    try completedMigrations(db).count == registered.count
  }

  /// Whether the database has gone through a migration that isn't registered: a newer version of
  /// the program has probably used it.
  ///
  /// Migrations that were merged into a registered one aren't registered any more: the database
  /// refers to them until it is migrated.
  public func hasBeenSuperseded(_ db: Database) throws -> Bool {
    try !appliedIdentifiers(db).isSubset(of: migrations)
  }
}
