import CofferVault

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
    guard let (old, new, slots) = try prepareKeyChange(to: newKey) else { return }
    guard !old.isSame(as: new) else { return adopt(new, as: newKey) }
    try waitingForDisk { try changeKey(from: old, to: new, as: newKey, slots) }
  }

  /// Executes `body`, whose commits wait for the disk.
  ///
  /// A pool's others don't: the old key would be the right one again after a power cut, if a reader
  /// keeps the log from being checkpointed.
  private func waitingForDisk(_ body: () throws -> Void) throws {
    let pragma = "PRAGMA main.synchronous"
    let old = try withoutTracing { try setting(pragma) }
    guard let old, ["0", "1"].contains(old) else { return try body() }
    try withoutTracing { try runSetting("\(pragma) = FULL") }
    defer { try? withoutTracing { try runSetting("\(pragma) = \(old)") } }
    try body()
  }

  private func changeKey(
    from old: FileKey, to new: FileKey, as newKey: DatabaseKey, _ slots: KeySlotsChange?
  ) throws {
    var isChanged: Bool? = false
    // If it isn't certain which key the file has, the next opening finds out.
    defer { if isChanged == false { slots?.cancel() } }
    try checkpointForKeyChange()
    try beginTransaction(.exclusive)
    let connection = try openConnection()
    do {
      try freshness.session?.willChangeKey(to: derivedKey(of: new))
    } catch {
      rollbackAfterError()
      try? freshness.session?.didNotChangeKey()
      throw error
    }
    let code = spilling {
      keying.readingPagesInOrder { new.spec.withUnsafeBytes { SQLite.rekey(connection, $0) } }
    }
    var failure: (any Error)?
    if code != SQLite.ok {
      failure = DatabaseError(code: code, connection: connection)
    } else {
      do { try commit() } catch { failure = error }
    }
    if failure == nil {
      do { try proveKeyChange(from: old, to: new) } catch { failure = error }
    }
    if let failure {
      let (error, hasNewKey) = giveUpConnection(old: old, new: new, as: newKey, failure)
      isChanged = hasNewKey
      if hasNewKey == true { slots?.finish() }
      throw error
    }
    isChanged = true
    slots?.finish()
    if slots == nil { KeySlotsChange.removeSlots(ofDatabaseAt: path, key: old.key.bytes) }
    adopt(new, as: newKey)
    do {
      try freshness.session?.didChangeKey(to: derivedKey(of: new))
    } catch {
      try restartFreshness()
    }
    // The log holds every page: truncate it, which a reader can prevent.
    tryCheckpoint(mode: SQLite.truncatingCheckpoint)
  }

  /// Opens the file again with the new key, since freshness can't go on with it.
  ///
  /// The anchor allows for the new key, and opening settles the rest.
  private func restartFreshness() throws {
    freshness.session?.finishWork()
    abandonFreshness()
    closeConnection()
    do {
      try Opening.reopen(self)
    } catch {
      let code = (error as? DatabaseError)?.extendedResultCode ?? .SQLITE_ERROR
      throw DatabaseError(
        resultCode: code,
        message: "the key was changed, but the file can't be opened again: \(error)",
        hint: "The database has the new key. The connection is closed.")
    }
  }

  private func derivedKey(of key: FileKey) throws(FreshnessError) -> DerivedKey {
    guard let derived = key.derived else { throw Freshness.needsLibCrypto }
    return derived
  }

  /// Adopts the key with which the file is opened from now on.
  ///
  /// - Parameter given: The key as it was given, which may be one to be asked for.
  private func adopt(_ key: FileKey, as given: DatabaseKey) {
    keying.adopt(key)
    configuration.replaceKey(with: given)
  }

  // MARK: Before

  /// Throws if the key can't be changed; changes nothing.
  private func prepareKeyChange(
    to newKey: DatabaseKey
  ) throws -> (old: FileKey, new: FileKey, slots: KeySlotsChange?)? {
    func refusal(_ code: ResultCode, _ message: String, _ hint: String) -> DatabaseError {
      DatabaseError(resultCode: code, message: message, hint: hint)
    }
    let connection = try openConnection()
    guard let (key, settings) = keying.given else {
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
    guard let salt = try keying.derived?.salt ?? key.salt ?? FileKey.salt(of: path) else {
      throw refusal(
        .SQLITE_CANTOPEN, "the file of the database can't be read", "The file is \(path).")
    }
    if let given = newKey.salt, given != salt {
      throw refusal(
        .SQLITE_MISUSE, "changing the key keeps the file's salt, but another salt was given",
        "Pass the raw key without a salt.")
    }
    let old = try FileKey(key, settings: settings, salt: salt, derived: keying.derived)
    if case .slots(let unlocker, let label) = newKey.form {
      let slots = try KeySlotsChange(
        forDatabaseAt: path, salt: salt, currentKey: old.derived?.key, unlocker: unlocker,
        label: label)
      return (old, try FileKey(slots.key, settings: settings, salt: salt), slots)
    }
    let resolved = try newKey.resolved(forDatabaseAt: path, settings: settings)
    return (old, try FileKey(resolved, settings: settings, salt: salt), nil)
  }

  /// Empties the WAL, which is possible only while no connection reads the database.
  private func checkpointForKeyChange() throws {
    guard try setting("PRAGMA main.journal_mode") == "wal" else { return }
    let connection = try openConnection()
    let (code, _, _) = try runCheckpoint(schema: "main", mode: SQLite.truncatingCheckpoint)
    guard code == SQLite.ok else {
      throw DatabaseError(
        code: code, connection: connection,
        hint: "The key was not changed: another connection uses the database.")
    }
  }

  // MARK: After

  private func proveKeyChange(from old: FileKey, to new: FileKey) throws {
    // SQLCipher stops without a word at a page that it can't read. With a rollback journal, the
    // connection then keeps its lock after the commit, and others would wait for it.
    guard try !SQLite.hasWriteLock(openConnection()), try FileConnection.opens(path, with: new)
    else {
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
  ///
  /// - Returns: The error, and whether the file has the new key; nil if that isn't known.
  func giveUpConnection(
    old: FileKey, new: FileKey, as given: DatabaseKey, _ failure: any Error
  ) -> (error: DatabaseError, hasNewKey: Bool?) {
    abandonFreshness()
    closeConnection()
    let opensNew = try? FileConnection.opens(path, with: new)
    let opensOld = try? FileConnection.opens(path, with: old)
    var hint: String
    let hasNewKey: Bool?
    switch (opensOld, opensNew) {
    case (true?, false?):
      if (try? FileConnection.removeFailedCommit(at: path, key: old)) == true {
        (hint, hasNewKey) = ("The database has its old key.", false)
      } else {
        // A log can have a commit that failed, which recovery after a crash would take for one.
        (hint, hasNewKey) = (
          "The database has its old key, but could have the new one after a crash. Keep both until "
            + "something has been written.", nil
        )
      }
    case (false?, true?): (hint, hasNewKey) = ("The database has the new key.", true)
    default: (hint, hasNewKey) = ("Which key the database has could not be determined.", nil)
    }
    let error = failure as? DatabaseError
    var explained = DatabaseError(
      resultCode: error?.extendedResultCode ?? .SQLITE_ERROR,
      message: "could not change the key: \(error?.message ?? "\(failure)")", hint: nil)
    // SQLCipher stops without a word at a page that it can't read.
    if hasNewKey == false, explained.canBeDiagnosed {
      explained = explained.diagnosed(path: path, old)
    }
    if opensOld == true || opensNew == true {
      if opensNew == true { adopt(new, as: given) } else { adopt(old, as: old.key) }
      do { try Opening.reopen(self) } catch { hint += " The connection is closed." }
    } else {
      hint += " The connection is closed."
    }
    return (explained.addingHint(hint), hasNewKey)
  }
}

extension DatabaseQueue {
  /// Re-encrypts the file in place with another key.
  ///
  /// Verifies that the new key opens the file and the old key doesn't. ``configuration`` has the
  /// new key from then on.
  ///
  /// Takes one key derivation, rewrites the whole file, and waits for the disk. If the process is
  /// killed meanwhile, the file has one of the two keys. Other open connections fail from then on,
  /// and have to be reopened.
  /// - Throws: ``DatabaseError``; the key is unchanged unless the error says otherwise, or that
  ///   both keys have to be kept, since a crash can still bring the new one. Fails for example for
  ///   a read-only or plaintext database, and if another connection uses the file.
  public func changeKey(to key: DatabaseKey) throws {
    try barrierWriteWithoutTransaction { db in try db.changeKey(to: key) }
  }
}
