extension Database {
  /// Opens a file of which the state of now is to be kept.
  static func openForSnapshot(_ path: String, _ configuration: Configuration) throws -> Database {
    var configuration = configuration
    configuration.journalMode = .default
    configuration.allowsUnsafeTransactions = false
    let database = try Database.open(path: path, configuration: configuration)
    try database.gate.withAccess { () throws in try database.requireWAL() }
    return database
  }

  private func requireWAL() throws {
    let mode = try String.fetchOne(self, sql: "PRAGMA journal_mode")
    guard mode?.lowercased() == "wal" else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "a snapshot needs a file in WAL mode",
        hint: "The journal mode of \(path) is \(mode ?? "unknown"). Open it with a DatabasePool.")
    }
  }

  func requireNoTransaction(_ what: String) throws {
    guard !isInsideTransaction else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "\(what) can't be made inside a transaction",
        hint: "Other connections don't see yet what the transaction has written.")
    }
  }

  /// Opens connections that all see the last commit.
  ///
  /// Nobody can commit while they begin: this connection has the right to write.
  func openSnapshots(_ configuration: Configuration?) throws -> [SerializedDatabase] {
    try checkAccess()
    try requireNoTransaction("a snapshot pool")
    let count = max(1, (configuration ?? self.configuration).maximumReaderCount)
    guard !self.configuration.readonly else {
      throw DatabaseError(
        resultCode: .SQLITE_READONLY, message: "a snapshot pool needs a connection that can write",
        hint: "Use DatabaseSnapshot.")
    }
    let settings = sharedConfiguration.value
    var reader = configuration ?? settings.configuration
    reader.key = reader.key ?? settings.configuration.key
    reader.readonly = true
    reader.journalMode = .default
    reader.allowsUnsafeTransactions = false
    try beginTransaction(.immediate)
    defer { rollbackAfterError() }
    return try (0..<count).map { _ in
      let access = SerializedDatabase(
        try Database.open(
          path: path, configuration: reader, queue: reader.readQueue, knownKey: settings.knownKey))
      try access.beginSnapshot()
      return access
    }
  }

  /// Executes `body` inside the transaction of a snapshot.
  func snapshotRead<T>(_ body: (Database) throws -> T) throws -> T {
    try requireSnapshot()
    let misses = cacheMisses
    let result = try isolatedRead(body)
    try checkDamage(since: misses)
    try requireSnapshot()
    return result
  }

  private func requireSnapshot() throws {
    guard isInsideTransaction else {
      throw DatabaseError(
        resultCode: .SQLITE_ABORT, message: "the snapshot is lost",
        hint: "A statement has ended its transaction, or an error has. Make another one.")
    }
  }
}

extension Result<Database, any Error> {
  /// Executes `value`, which is called once, as a read of a snapshot.
  func snapshotRead(reporting value: (Result<Database, any Error>) -> Void) {
    var isOver = false
    do {
      try get().snapshotRead { db in
        isOver = true
        value(.success(db))
      }
    } catch {
      // What may fail after `value` is a look at the snapshot.
      if !isOver { value(.failure(error)) }
    }
  }
}
