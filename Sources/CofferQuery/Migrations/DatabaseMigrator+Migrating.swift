import CofferCore

extension DatabaseMigrator {
  // MARK: Migrating

  /// Runs the migrations that the database has not gone through yet.
  ///
  /// Several processes may migrate a database at the same time: each migration is run by one of
  /// them, and the others wait for its end, as long as `Configuration.busyMode` says.
  /// - Throws: What a migration throws, after its rollback; migrations before it stay applied. A
  ///   ``DatabaseError`` says which migration it was.
  public func migrate(_ writer: any DatabaseWriter) throws {
    try writer.barrierWriteWithoutTransaction { try migrate($0) }
  }

  /// Runs the migrations that the database has not gone through yet, up to the given one.
  ///
  /// - Throws: What a migration throws, after its rollback; and a ``DatabaseError`` where the
  ///   database has gone through a later migration already.
  /// - Precondition: The migration is registered.
  public func migrate(_ writer: any DatabaseWriter, upTo targetIdentifier: String) throws {
    try writer.barrierWriteWithoutTransaction { try migrate($0, upTo: targetIdentifier) }
  }

  /// Schedules the migrations that the database has not gone through yet, and returns.
  ///
  /// - Parameter completion: Called when they are over, with the connection to the migrated
  ///   database, or with the error.
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

  /// Runs the migrations that the database has not gone through yet, on another thread.
  ///
  /// It has a name of its own so that ``migrate(_:)`` can be called without `await` everywhere.
  /// - Parameter targetIdentifier: The last one to run; nil for all.
  /// - Throws: What a migration throws, after its rollback, or `CancellationError`.
  /// - Precondition: The target is registered.
  public func asyncMigrate(
    _ writer: any DatabaseWriter, upTo targetIdentifier: String? = nil
  ) async throws {
    try await writer.barrierWriteWithoutTransaction { db in
      try migrate(db, upTo: targetIdentifier)
    }
  }

  /// - Parameter target: Nil for the last one.
  private func migrate(_ db: Database, upTo target: String? = nil) throws {
    guard let target = target ?? registered.last?.identifier else { return }
    if eraseDatabaseOnSchemaChange, try hasSchemaChanges(db) {
      // Another process may have done the same in between.
      try db.erase(if: { try hasSchemaChanges(db) })
    }
    try run(db, upTo: target)
  }

  /// Runs what isn't applied, and erases nothing.
  func run(_ db: Database, upTo target: String) throws {
    guard let end = registered.firstIndex(where: { $0.identifier == target }) else {
      preconditionFailure("no migration \(String(reflecting: target)) is registered")
    }
    func applied() throws -> Set<String> {
      let identifiers = try appliedIdentifiers(db)
      guard
        let later = registered[(end + 1)...].last(where: { identifiers.contains($0.identifier) })
      else { return identifiers }
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "the database is already migrated beyond \(String(reflecting: target))",
        hint: "It has gone through \(String(reflecting: later.identifier)), and there is no way "
          + "back: open a new database, or a copy from before.")
    }
    var identifiers = try explaining(nil, applied)
    for migration in registered[...end] {
      if case .nothing = migration.work(after: identifiers) { continue }
      try explaining(migration) {
        try migration.run(db) {
          identifiers = try applied()
          return identifiers
        }
      }
    }
  }

  /// Has an error say which migration has failed, and what to do about one that had to wait.
  private func explaining<T>(_ migration: Migration?, _ body: () throws -> T) throws -> T {
    let subject = migration.map { "The migration \(String(reflecting: $0.identifier))" }
    do {
      return try body()
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
      throw error.addingHint(
        "\(subject ?? "The migrator") has waited for another connection that writes, and may be "
          + "migrating the same database. Try again, or have Configuration.busyMode wait longer: "
          + "nothing is migrated twice.")
    } catch let error as DatabaseError {
      throw subject.map { error.addingHint("\($0) was rolled back.") } ?? error
    } catch {
      // Errors of other types are the caller's, and can't be told anything.
      if let subject, !(error is CancellationError) {
        Database.logError?(.SQLITE_ABORT, "\(subject) has failed, and was rolled back.")
      }
      throw error
    }
  }
}
