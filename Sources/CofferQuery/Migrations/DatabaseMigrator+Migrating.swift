import CofferCore

extension DatabaseMigrator {
  // MARK: Migrating

  /// Runs the migrations that aren't applied yet.
  ///
  /// Several processes can migrate a database at the same time: each migration is run by one of
  /// them, and the others wait for it, as configured by `Configuration.busyMode`.
  /// - Throws: The error of a migration, after its rollback; earlier migrations remain applied. A
  ///   ``DatabaseError`` names the migration. If an identifier is registered twice, no migration
  ///   runs.
  public func migrate(_ writer: any DatabaseWriter) throws {
    try writer.barrierWriteWithoutTransaction { try migrate($0) }
  }

  /// Runs the migrations that aren't applied yet, up to a given one.
  ///
  /// - Throws: The error of a migration, after its rollback; ``DatabaseError`` if a later migration
  ///   is already applied.
  /// - Precondition: The migration is registered.
  public func migrate(_ writer: any DatabaseWriter, upTo targetIdentifier: String) throws {
    try writer.barrierWriteWithoutTransaction { try migrate($0, upTo: targetIdentifier) }
  }

  /// Schedules the migrations that aren't applied yet, and returns.
  ///
  /// - Parameter completion: Called at the end with the connection to the migrated database, or the
  ///   error.
  public func asyncMigrate(
    _ writer: any DatabaseWriter,
    completion: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    writer.asyncBarrierWriteWithoutTransaction { result in
      completion(
        result.flatMap { db in
          Result {
            try migrate(db)
            return db
          }
        })
    }
  }

  /// Runs the migrations that aren't applied yet, on another thread.
  ///
  /// It has a different name so that ``migrate(_:)`` can be called without `await` in async
  /// functions.
  /// - Parameter targetIdentifier: The last migration to run; nil for all.
  /// - Throws: The error of a migration, after its rollback, or `CancellationError`.
  /// - Precondition: The target is registered.
  public func asyncMigrate(
    _ writer: any DatabaseWriter, upTo targetIdentifier: String? = nil
  ) async throws {
    try await writer.barrierWriteWithoutTransaction { db in
      try migrate(db, upTo: targetIdentifier)
    }
  }

  /// Erases the database if necessary, and runs the migrations up to `target`; nil for all.
  private func migrate(_ db: Database, upTo target: String? = nil) throws {
    try checkIdentifiers()
    guard let target = target ?? registered.last?.identifier else { return }
    // Between an erasure and the last migration, and between two migrations, tables can be missing.
    try db.postponingObservations {
      if eraseDatabaseOnSchemaChange, try hasSchemaChanges(db) {
        // Checked again, since another process may have erased it meanwhile.
        try db.erase(if: { try hasSchemaChanges(db) })
      }
      try run(db, upTo: target)
    }
  }

  /// Throws if an identifier is registered twice: nothing tells which migration it stands for.
  func checkIdentifiers() throws {
    guard let repeatedIdentifier else { return }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "the migration \(String(reflecting: repeatedIdentifier)) is registered twice",
      hint: "Give each migration an identifier of its own.")
  }

  /// Runs the migrations that aren't applied, without erasing.
  func run(_ db: Database, upTo target: String) throws {
    guard let end = registered.firstIndex(where: { $0.identifier == target }) else {
      preconditionFailure("no migration \(String(reflecting: target)) is registered")
    }
    let later = registered[(end + 1)...]
    func check(_ identifiers: Set<String>) throws -> Set<String> {
      guard let later = later.last(where: { identifiers.contains($0.identifier) })
      else { return identifiers }
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "the database is already migrated beyond \(String(reflecting: target))",
        hint: "It has gone through \(String(reflecting: later.identifier)), and migrations "
          + "can't be undone: open a new database, or an earlier copy.")
    }
    // Each transaction asks only for the identifiers that concern it: all of them each time would
    // take time in proportion to the square of their number.
    let laterIdentifiers = Set(later.map(\.identifier))
    var identifiers = try explaining(nil) { try check(appliedIdentifiers(db)) }
    for migration in registered[...end] {
      if case .nothing = migration.work(after: identifiers) { continue }
      let related = migration.merged.union(laterIdentifiers).union([migration.identifier])
      let wasDone = try explaining(migration) {
        try migration.run(db) {
          try check(MigrationTable.identifiers(among: related, db))
        }
      }
      if wasDone {
        identifiers.subtract(migration.merged)
        identifiers.insert(migration.identifier)
      } else {
        // Another process migrates the database, too.
        identifiers = try explaining(nil) { try check(appliedIdentifiers(db)) }
      }
    }
  }

  /// Adds a hint to errors: the failed migration, and what to do after a timeout.
  private func explaining<T>(_ migration: Migration?, _ body: () throws -> T) throws -> T {
    let subject = migration.map { "The migration \(String(reflecting: $0.identifier))" }
    do {
      return try body()
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
      throw error.addingHint(
        "\(subject ?? "The migrator") has waited for another connection, which may be "
          + "migrating the same database. Try again, or increase the timeout in "
          + "Configuration.busyMode: a migration is never applied twice.")
    } catch let error as DatabaseError {
      throw subject.map { error.addingHint("\($0) was rolled back.") } ?? error
    } catch {
      // Errors of other types take no hint.
      if let subject, !(error is CancellationError) {
        ErrorLog.write(.SQLITE_ABORT, "\(subject) has failed, and was rolled back.")
      }
      throw error
    }
  }
}
