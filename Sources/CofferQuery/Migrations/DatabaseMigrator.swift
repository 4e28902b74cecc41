import CofferCore

/// Brings databases to the current schema, step by step.
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
/// Migrations run in the order in which they are registered, each one once in the life of a
/// database, in a transaction of its own. The database remembers them by their identifiers, in the
/// table `grdb_migrations`: one that GRDB has migrated goes on here, and the other way round.
///
/// A migration that was released is best left as it is: have it name tables and columns with
/// strings, not with types of the program that change later.
public struct DatabaseMigrator: Sendable {
  /// When a migration has to satisfy the foreign keys.
  public enum ForeignKeyChecks: Sendable, Hashable {
    /// At its end: foreign keys are switched off meanwhile, so that tables can be made anew, and
    /// the whole database is checked before the commit.
    case deferred
    /// After each statement, as everywhere else. It saves the check of the whole database, and
    /// suits migrations that don't rename, drop or replace tables.
    case immediate
  }

  /// Whether migrating a database that was made by other migrations than these erases it first;
  /// false by default.
  ///
  /// It is made for the time before a release, when migrations still change: all data is lost.
  /// ``hasSchemaChanges(_:)`` tells what counts as a change.
  public var eraseDatabaseOnSchemaChange = false

  private var defersForeignKeyChecks = true
  private(set) var registered: [Migration] = []

  /// A migrator without migrations.
  public init() {}

  // MARK: Registering

  /// Registers a migration, to run after those registered before.
  ///
  /// - Parameters:
  ///   - identifier: Its name, for ever: a migration with another one is another migration.
  ///   - foreignKeyChecks: When foreign keys have to hold.
  ///   - migrate: Changes the schema and the data, inside a transaction. Where it throws,
  ///     nothing of what it did is left.
  /// - Precondition: No other migration has the identifier.
  public mutating func registerMigration(
    _ identifier: String,
    foreignKeyChecks: ForeignKeyChecks = .deferred,
    migrate: @escaping @Sendable (_ db: Database) throws -> Void
  ) {
    registerMigration(identifier, foreignKeyChecks: foreignKeyChecks) { db, _ in try migrate(db) }
  }

  /// Registers a migration that takes the place of others, which are registered no longer.
  ///
  /// ```swift
  /// migrator.registerMigration("v3", merging: ["v1", "v2"]) { db, applied in
  ///   if !applied.contains("v1") { … }
  ///   if !applied.contains("v2") { … }
  ///   …
  /// }
  /// ```
  ///
  /// It runs where it has not run itself, whatever it merges. Where it has, as it was before it
  /// merged others, only their identifiers are forgotten.
  /// - Parameters:
  ///   - identifier: Its name.
  ///   - foreignKeyChecks: When foreign keys have to hold.
  ///   - mergedIdentifiers: The migrations that it replaces.
  ///   - migrate: Changes the schema and the data. It receives those of the merged identifiers
  ///     that the database has already gone through.
  /// - Precondition: No other migration has the identifier.
  public mutating func registerMigration(
    _ identifier: String,
    foreignKeyChecks: ForeignKeyChecks = .deferred,
    merging mergedIdentifiers: Set<String> = [],
    migrate: @escaping @Sendable (_ db: Database, _ appliedIdentifiers: Set<String>) throws -> Void
  ) {
    precondition(
      !registered.contains { $0.identifier == identifier },
      "a migration \(String(reflecting: identifier)) is registered already")
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

  /// Registers a migration whose foreign keys are checked at its end, as
  /// ``registerMigration(_:foreignKeyChecks:migrate:)`` does by default.
  ///
  /// - Precondition: No other migration has the identifier.
  public mutating func registerMigrationWithDeferredForeignKeyCheck(
    _ identifier: String,
    migrate: @escaping @Sendable (_ db: Database) throws -> Void
  ) {
    registerMigration(identifier, foreignKeyChecks: .deferred, migrate: migrate)
  }

  /// A migrator whose later migrations leave out the checks at their ends, which read the whole
  /// database.
  ///
  /// Those registered before keep theirs. A migration with
  /// ``ForeignKeyChecks/deferred`` checks still runs while foreign keys are off, and what
  /// it breaks stays broken: call ``CofferCore/Database/checkForeignKeys()`` where it matters.
  public func disablingDeferredForeignKeyChecks() -> DatabaseMigrator {
    var migrator = self
    migrator.defersForeignKeyChecks = false
    return migrator
  }
}
