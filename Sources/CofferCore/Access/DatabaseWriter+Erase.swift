import CofferVault

extension DatabaseWriter {
  // MARK: Erasing

  /// Deletes all tables, views, indexes and triggers.
  ///
  /// Also sets `user_version` and `application_id` to 0. The key is unchanged.
  public func erase() throws {
    try barrierWriteWithoutTransaction { try $0.erase() }
  }

  /// Deletes all tables, views, indexes and triggers, on another thread.
  public func erase() async throws {
    try await barrierWriteWithoutTransaction { try $0.erase() }
  }

  // MARK: Copying

  /// Writes a copy without free pages to a file that is empty or doesn't exist yet.
  ///
  /// The copy of an encrypted database has the same key and settings, which is verified.
  /// - Throws: ``DatabaseError``, for example if SQLite is older than 3.27. Use
  ///   ``DatabaseReader/backup(toPath:key:progress:)`` there.
  public func vacuum(into path: String) throws {
    try writeWithoutTransaction { try $0.vacuum(into: path) }
  }

  /// Writes a copy without free pages, on another thread.
  public func vacuum(into path: String) async throws {
    try await writeWithoutTransaction { try $0.vacuum(into: path) }
  }
}

extension Database {
  fileprivate func vacuum(into path: String) throws {
    try SQLiteFeatures.linked.require(
      SQLiteFeatures.linked.hasVacuumInto, "VACUUM INTO", "3.27")
    guard PendingFile.size(of: path) ?? 0 == 0 else {
      throw DatabaseError(
        resultCode: .SQLITE_CANTOPEN, message: "there is a file at \(path) already",
        hint: "Delete it first, or choose another path.")
    }
    let file = try PendingFile(for: path)
    let connection = try openConnection()
    try ReadOnlyFile.retryingReads(of: isInMemory ? [] : [self.path], undo: { try file.setSize(0) })
    {
      try LibrarySQL.run("VACUUM INTO ?", in: connection) { statement in
        SQLite.bind(SQLite.plainName(file.path), to: statement, at: 1)
      }
    }
    let key = try keying.given.map { key, settings in
      try FileKey.existing(at: file.path, key: key, settings: settings)
    }
    try Database.proveCopy(at: file.path, key, functions.additions)
    try file.moveToTarget(replaces: PendingFile.size(of: path) == 0)
  }

  /// Empties the database; see ``DatabaseWriter/erase()``.
  ///
  /// - Parameter condition: Evaluated once no other connection can write. If false, nothing is
  ///   erased.
  package func erase(if condition: () throws -> Bool = { true }) throws {
    guard !isInsideTransaction else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "a database can't be erased inside a transaction",
        hint: nil)
    }
    var isErased = false
    try withoutForeignKeys { _ in
      try inTransaction(.exclusive) {
        guard try condition() else { return .rollback }
        try dropEverything()
        try execute(sql: "PRAGMA user_version = 0; PRAGMA application_id = 0")
        isErased = true
        return .commit
      }
    }
    if isErased { try vacuum() }
  }

  private func dropEverything() throws {
    // Views and triggers go first, since they can refer to tables; virtual tables drop their own
    // tables.
    let kinds = [
      ("TRIGGER", "type = 'trigger'"), ("VIEW", "type = 'view'"),
      ("TABLE", "type = 'table' AND rootpage = 0"), ("TABLE", "type = 'table'"),
    ]
    for (kind, condition) in kinds {
      let names = try String.fetchAll(
        self,
        sql: """
          SELECT name FROM main.sqlite_master WHERE \(condition)
          AND (name NOT LIKE 'sqlite\\_%' ESCAPE '\\' OR name LIKE 'sqlite\\_stat%' ESCAPE '\\')
          """)
      for name in names {
        try execute(sql: "DROP \(kind) main.\(name.quotedDatabaseIdentifier)")
      }
    }
    let hasSequence = try Int.fetchOne(
      self, sql: "SELECT count(*) FROM main.sqlite_master WHERE name = 'sqlite_sequence'")
    if hasSequence == 1 { try execute(sql: "DELETE FROM main.sqlite_sequence") }
  }
}
