import CofferCore

extension DocumentStore {
  /// Executes `body` in a transaction, which is rolled back if it throws.
  ///
  /// ```swift
  /// try store.transaction {
  ///   guard var from = try accounts.filter(id: 1).fetchOne(), from.balance >= 10 else { return }
  ///   from.balance -= 10
  ///   try accounts.save(from)
  /// }
  /// ```
  ///
  /// The methods of collections take part in it, and no other connection or thread writes
  /// meanwhile. Inside another access on the same thread, it is a savepoint, which is rolled back
  /// alone. References are checked at its end, so documents can refer to documents inserted later.
  /// - Returns: What `body` returns.
  public func transaction<T>(_ body: () throws -> T) throws -> T {
    try write { _ in try body() }
  }

  /// Executes `body` in a transaction on another thread and rolls back if it throws.
  ///
  /// - Throws: `CancellationError`, after a rollback, if the task is cancelled before the commit.
  public func transaction<T: Sendable>(
    _ body: @escaping @Sendable () throws -> T
  ) async throws -> T {
    try await write { _ in try body() }
  }

  /// Executes `value` on one state of the database.
  ///
  /// Statements that write throw.
  ///
  /// The methods of collections take part in it, as does `db`. Inside another access on the same
  /// thread, it is part of that access.
  public func read<T>(_ value: (Database) throws -> T) throws -> T {
    guard let db = currentDatabase else { return try writer.read(value) }
    return try db.readOnly { try value(db) }
  }

  /// Executes `value` on another thread, on one state of the database.
  ///
  /// Statements that write throw.
  public func read<T: Sendable>(
    _ value: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await writer.read(value)
  }

  /// Executes `updates` in a transaction, which is rolled back if it throws.
  ///
  /// Documents, records and SQL share it:
  ///
  /// ```swift
  /// try store.write { db in
  ///   try books.insert(book)
  ///   try db.execute(sql: "INSERT INTO log (event) VALUES ('a book')")
  /// }
  /// ```
  ///
  /// Inside another access on the same thread, it is a savepoint, which is rolled back alone.
  public func write<T>(_ updates: (Database) throws -> T) throws -> T {
    guard let db = currentDatabase else {
      return try writer.write { db in try deferring(db) { try updates(db) } }
    }
    return try db.inSavepoint(returning: { try deferring(db) { try updates(db) } })
  }

  /// Executes `updates` in a transaction on another thread and rolls back if it throws.
  ///
  /// - Throws: `CancellationError`, after a rollback, if the task is cancelled before the commit.
  public func write<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await writer.write { db in try self.deferring(db) { try updates(db) } }
  }
}

extension DocumentStore {
  /// Executes `body` and checks references at its end, so documents can refer to later ones.
  private func deferring<T>(_ db: Database, _ body: () throws -> T) throws -> T {
    guard hasReferences else { return try body() }
    return try db.deferringReferences(body, explain: db.brokenReference)
  }
}
