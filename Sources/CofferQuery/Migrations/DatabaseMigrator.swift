import CofferCore

/// Migrates databases to the current schema, step by step.
///
/// ```swift
/// var migrator = DatabaseMigrator()
/// migrator.registerMigration("create player") { db in
///   try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
/// }
/// migrator.registerMigration("add score") { db in
///   try db.execute(sql: "ALTER TABLE player ADD COLUMN score INTEGER")
/// }
/// try migrator.migrate(queue)
/// ```
///
/// Each migration runs once per database, in a separate transaction, in the order of registration.
/// Identifiers of applied migrations are stored in the table `grdb_migrations`, so that Coffer and
/// GRDB can migrate the same databases.
///
/// Don't change a migration after its release: name tables and columns by strings, not by types of
/// the program, which can change. Migrations run without `Configuration.schemaSource`, which
/// describes the current schema; ``Database/withSchemaSource(_:execute:)`` gives one a source.
public struct DatabaseMigrator: Sendable {
  /// When a migration has to satisfy the foreign keys.
  public enum ForeignKeyChecks: Sendable, Hashable {
    /// At the end of the migration.
    ///
    /// Foreign keys are disabled during the migration, so that tables can be recreated, and the
    /// whole database is checked before the commit.
    case deferred
    /// After each statement, as usual.
    ///
    /// It avoids checking the whole database, and suits migrations that don't rename, drop or
    /// replace tables.
    case immediate
  }

  /// Whether to erase a database that was created by different migrations; false by default.
  ///
  /// Use it before a release, while migrations still change: all data is lost.
  /// ``hasSchemaChanges(_:)`` determines what counts as a change.
  public var eraseDatabaseOnSchemaChange = false

  private var defersForeignKeyChecks = true
  private(set) var registered: [Migration] = []
  private var registeredIdentifiers: Set<String> = []
  /// The first identifier that was registered twice.
  private(set) var repeatedIdentifier: String?

  /// Creates a migrator without migrations.
  public init() {}

  // MARK: Registering

  /// Registers a migration to run after those registered before.
  ///
  /// - Parameters:
  ///   - identifier: The permanent name of the migration.
  ///   - foreignKeyChecks: When foreign keys are checked.
  ///   - migrate: Changes the schema and the data, inside a transaction. An error rolls back all of
  ///     its changes.
  ///
  /// The identifier must be unique: if another migration has it, ``migrate(_:)`` throws.
  public mutating func registerMigration(
    _ identifier: String,
    foreignKeyChecks: ForeignKeyChecks = .deferred,
    migrate: @escaping @Sendable (_ db: Database) throws -> Void
  ) {
    registerMigration(identifier, foreignKeyChecks: foreignKeyChecks) { db, _ in try migrate(db) }
  }

  /// Registers a migration that replaces others, which are no longer registered.
  ///
  /// ```swift
  /// migrator.registerMigration("v3", merging: ["v1", "v2"]) { db, applied in
  ///   if !applied.contains("v1") { … }
  ///   if !applied.contains("v2") { … }
  ///   …
  /// }
  /// ```
  ///
  /// It runs unless it was applied itself. If it was applied before it merged others, only their
  /// identifiers are deleted.
  /// - Parameters:
  ///   - identifier: The name of the migration.
  ///   - foreignKeyChecks: When foreign keys are checked.
  ///   - mergedIdentifiers: The migrations that it replaces.
  ///   - migrate: Changes the schema and the data. Its argument is the set of merged identifiers
  ///     that are already applied.
  ///
  /// The identifier must be unique: if another migration has it, ``migrate(_:)`` throws.
  public mutating func registerMigration(
    _ identifier: String,
    foreignKeyChecks: ForeignKeyChecks = .deferred,
    merging mergedIdentifiers: Set<String> = [],
    migrate: @escaping @Sendable (_ db: Database, _ appliedIdentifiers: Set<String>) throws -> Void
  ) {
    guard registeredIdentifiers.insert(identifier).inserted else {
      repeatedIdentifier = repeatedIdentifier ?? identifier
      return
    }
    let checks: Migration.Checks =
      switch foreignKeyChecks {
      case .immediate: .immediate
      case .deferred: defersForeignKeyChecks ? .deferred : .none
      }
    registered.append(
      Migration(
        identifier: identifier, merged: mergedIdentifiers.subtracting([identifier]),
        checks: checks, body: migrate))
  }

  /// Registers a migration with deferred foreign key checks.
  ///
  /// They are the default of ``registerMigration(_:foreignKeyChecks:migrate:)``.
  ///
  ///
  /// The identifier must be unique: if another migration has it, ``migrate(_:)`` throws.
  public mutating func registerMigrationWithDeferredForeignKeyCheck(
    _ identifier: String,
    migrate: @escaping @Sendable (_ db: Database) throws -> Void
  ) {
    registerMigration(identifier, foreignKeyChecks: .deferred, migrate: migrate)
  }

  /// Returns a migrator whose later registrations skip deferred foreign key checks.
  ///
  /// These checks read the whole database. Earlier registrations keep their checks. Migrations with
  /// ``ForeignKeyChecks/deferred`` checks still run with foreign keys disabled, and violations
  /// remain: call ``Database/checkForeignKeys()`` if needed.
  public func disablingDeferredForeignKeyChecks() -> DatabaseMigrator {
    var migrator = self
    migrator.defersForeignKeyChecks = false
    return migrator
  }
}
