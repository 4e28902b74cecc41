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
  /// The methods of collections take part in it, and nobody else writes meanwhile. Inside another
  /// access of the same thread, it is a savepoint, which is rolled back alone. Documents may refer to
  /// later ones: references are looked at when it is over.
  /// - Returns: What `body` returns.
  public func transaction<T>(_ body: () throws -> T) throws -> T {
    try write { _ in try body() }
  }

  /// Executes `body` on another thread, in a transaction, which is rolled back if it throws.
  ///
  /// - Throws: `CancellationError`, after a rollback, where the task is cancelled before the commit.
  public func transaction<T: Sendable>(
    _ body: @escaping @Sendable () throws -> T
  ) async throws -> T {
    try await write { _ in try body() }
  }

  /// Executes `value`, in which statements that write throw, and all see the same state.
  ///
  /// The methods of collections take part in it, and so does `db`. Inside another access of the same
  /// thread, it is a part of that.
  public func read<T>(_ value: (Database) throws -> T) throws -> T {
    guard let db = currentDatabase else { return try writer.read(value) }
    return try db.readOnly { try value(db) }
  }

  /// Executes `value` on another thread, in which statements that write throw, and all see the same
  /// state.
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
  /// Inside another access of the same thread, it is a savepoint, which is rolled back alone.
  public func write<T>(_ updates: (Database) throws -> T) throws -> T {
    guard let db = currentDatabase else {
      return try writer.write { db in try deferring(db) { try updates(db) } }
    }
    return try db.inSavepoint(returning: { try deferring(db) { try updates(db) } })
  }

  /// Executes `updates` on another thread, in a transaction, which is rolled back if it throws.
  ///
  /// - Throws: `CancellationError`, after a rollback, where the task is cancelled before the commit.
  public func write<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await writer.write { db in try self.deferring(db) { try updates(db) } }
  }
}

extension DocumentStore {
  /// Executes `body` so that documents may refer to later ones.
  private func deferring<T>(_ db: Database, _ body: () throws -> T) throws -> T {
    guard hasReferences else { return try body() }
    return try db.deferringReferences(body, explain: db.brokenReference)
  }
}
