extension Database {
  /// Re-encrypts the file in place, and verifies the result.
  ///
  /// SQLCipher can report success after doing nothing, and leaves the connection with the new key
  /// for later writes. So the lock is taken first, the result is verified with separate
  /// connections, and a connection whose change couldn't be verified never writes again.
  /// - Throws: An error with nothing changed and the connection intact, or an error that states
  ///   which key opens the file, after the connection was reopened with that key, or
  ///   closed.
  func changeKey(to newKey: DatabaseKey) throws {
    try checkAccess()
    guard let (old, new) = try prepareKeyChange(to: newKey) else { return }
    guard !old.isSame(as: new) else { return adopt(new) }
    try checkpointForKeyChange()
    try beginTransaction(.exclusive)
    let connection = try openConnection()
    let code = new.spec.withUnsafeBytes { SQLite.rekey(connection, $0) }
    var failure: (any Error)?
    if code != SQLite.ok {
      failure = DatabaseError(code: code, connection: connection)
    } else {
      do { try commit() } catch { failure = error }
    }
    if failure == nil {
      do { try proveKeyChange(from: old, to: new) } catch { failure = error }
    }
    if let failure { throw giveUpConnection(old: old, new: new, failure) }
    adopt(new)
    // The log holds every page: truncate it, which a reader can prevent.
    _ = SQLite.checkpoint(connection, schema: "main", mode: SQLite.truncatingCheckpoint)
  }

  /// Adopts the key with which the file is opened from now on.
  private func adopt(_ key: FileKey) {
    keying = (key.key, key.settings)
    derivedKey = key.derived
    configuration.replaceKey(with: key.key)
  }

  // MARK: Before

  /// Throws if the key can't be changed; changes nothing.
  private func prepareKeyChange(to newKey: DatabaseKey) throws -> (old: FileKey, new: FileKey)? {
    func refusal(_ code: ResultCode, _ message: String, _ hint: String) -> DatabaseError {
      DatabaseError(resultCode: code, message: message, hint: hint)
    }
    let connection = try openConnection()
    guard let (key, settings) = keying else {
      throw refusal(
        .SQLITE_MISUSE, "the database is not encrypted: there is no key to change",
        isInMemory
          ? "It is never written to a file." : "Encrypt the file with DatabaseFile.encrypt.")
    }
    guard !isInMemory else {
      throw refusal(
        .SQLITE_MISUSE, "a database in memory can't change its key",
        "It is never written to a file.")
    }
    guard !configuration.readonly, !accessState.contains(.readOnly),
      SQLite.isReadOnly(connection, schema: "main") == false
    else {
      throw refusal(
        .SQLITE_READONLY, "attempt to change the key of a readonly database",
        "Use a connection that can write, outside of reads.")
    }
    guard !isInsideTransaction else {
      throw refusal(
        .SQLITE_MISUSE, "the key can't be changed inside a transaction",
        "SQLCipher would commit it. Use changeKey(to:) of the queue or the pool.")
    }
    var statement = SQLite.nextStatement(in: connection, after: nil)
    while let current = unsafe statement {
      if SQLite.isBusy(current) {
        throw refusal(
          .SQLITE_BUSY, "the key can't be changed while a cursor is being read",
          "End the iteration first.")
      }
      unsafe statement = SQLite.nextStatement(in: connection, after: current)
    }
    if try setting("PRAGMA main.locking_mode") == "exclusive" {
      throw refusal(
        .SQLITE_MISUSE, "the key can't be changed in the exclusive locking mode",
        "No other connection could verify the change. Run PRAGMA locking_mode = NORMAL first.")
    }
    guard let salt = derivedKey?.salt ?? key.salt ?? Database.salt(of: path) else {
      throw refusal(
        .SQLITE_CANTOPEN, "the file of the database can't be read", "The file is \(path).")
    }
    if let given = newKey.salt, given != salt {
      throw refusal(
        .SQLITE_MISUSE, "changing the key keeps the file's salt, but another salt was given",
        "Pass the raw key without a salt.")
    }
    let old = try FileKey(key, settings: settings, salt: salt, derived: derivedKey)
    return (old, try FileKey(newKey, settings: settings, salt: salt))
  }

  /// Empties the WAL, which is possible only while no connection reads the database.
  private func checkpointForKeyChange() throws {
    guard try setting("PRAGMA main.journal_mode") == "wal" else { return }
    let connection = try openConnection()
    let (code, _, _) = SQLite.checkpoint(
      connection, schema: "main", mode: SQLite.truncatingCheckpoint)
    guard code == SQLite.ok else {
      throw DatabaseError(
        code: code, connection: connection,
        hint: "The key was not changed: another connection uses the database.")
    }
  }

  // MARK: After

  private func proveKeyChange(from old: FileKey, to new: FileKey) throws {
    guard try FileConnection.opens(path, with: new) else {
      throw DatabaseError(
        resultCode: .SQLITE_ERROR, message: "SQLCipher has not changed the key",
        hint: "Another connection may use the database, or the disk may be full.")
    }
    guard try !FileConnection.opens(path, with: old) else {
      throw DatabaseError(
        resultCode: .SQLITE_ERROR, message: "the old key still opens the database", hint: nil)
    }
  }

  /// Closes the connection, which might mix the keys, and reopens the file with its current key.
  func giveUpConnection(
    old: FileKey, new: FileKey, _ failure: any Error
  ) -> DatabaseError {
    closeConnection()
    let opensNew = try? FileConnection.opens(path, with: new)
    let opensOld = try? FileConnection.opens(path, with: old)
    var hint: String
    switch (opensOld, opensNew) {
    case (true?, false?): hint = "The database has its old key."
    case (false?, true?): hint = "The database has the new key."
    default: hint = "Which key the database has could not be determined."
    }
    if opensOld == true || opensNew == true {
      adopt(opensNew == true ? new : old)
      do { try reopenConnection() } catch { hint += " The connection is closed." }
    } else {
      hint += " The connection is closed."
    }
    let error = failure as? DatabaseError
    return DatabaseError(
      resultCode: error?.extendedResultCode ?? .SQLITE_ERROR,
      message: "could not change the key: \(error?.message ?? "\(failure)")", hint: hint)
  }

  /// Reopens the file for a closed connection, and prepares it as before, with its current key.
  ///
  /// Temporary tables, attached databases, and anything else added to the connection after it was
  /// opened are lost.
  private func reopenConnection() throws {
    let connection = try Database.connect(to: path, flags: .readWrite)
    sqliteConnection = unsafe connection
    arrays.reconnect(to: connection)
    interruption.connect(to: connection)
    schemaDidChange()
    do {
      try setUp()
    } catch {
      closeConnection()
      throw error
    }
  }
}

extension DatabaseQueue {
  /// Re-encrypts the file in place with another key.
  ///
  /// Verifies that the new key opens the file and the old key doesn't. ``configuration`` has the
  /// new key from then on.
  ///
  /// Takes one key derivation, and rewrites the whole file. If the process is killed meanwhile, the
  /// file has one of the two keys. Other open connections fail from then on, and have to be
  /// reopened.
  /// - Throws: ``DatabaseError``; the key is unchanged unless the error says otherwise. Fails for
  ///   example for a read-only or plaintext database, and if another connection uses the file.
  public func changeKey(to key: DatabaseKey) throws {
    try barrierWriteWithoutTransaction { db in try db.changeKey(to: key) }
  }
}
