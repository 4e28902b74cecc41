import CofferCore

extension DatabaseMigrator {
  // MARK: Applied migrations

  /// The identifiers of the registered migrations, in order.
  public var migrations: [String] { registered.map(\.identifier) }

  /// Returns the identifiers of all applied migrations, including those that aren't registered.
  public func appliedIdentifiers(_ db: Database) throws -> Set<String> {
    try MigrationTable.identifiers(db)
  }

  /// Returns the identifiers of the applied registered migrations, in the order of registration.
  public func appliedMigrations(_ db: Database) throws -> [String] {
    let identifiers = try appliedIdentifiers(db)
    return migrations.filter(identifiers.contains)
  }

  /// Returns the identifiers of the registered migrations before the first that isn't applied.
  public func completedMigrations(_ db: Database) throws -> [String] {
    let identifiers = try appliedIdentifiers(db)
    return Array(migrations.prefix(while: identifiers.contains))
  }

  /// Returns whether all registered migrations are applied.
  public func hasCompletedMigrations(_ db: Database) throws -> Bool {
    try checkIdentifiers()
    return try completedMigrations(db).count == registered.count
  }

  /// Returns whether a migration is applied that isn't registered.
  ///
  /// A newer version of the program has probably used the database. Also true for migrations that
  /// were merged into a registered one, until the database is migrated.
  public func hasBeenSuperseded(_ db: Database) throws -> Bool {
    try !appliedIdentifiers(db).isSubset(of: migrations)
  }
}
