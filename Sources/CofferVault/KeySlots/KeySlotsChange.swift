import CofferSQLite
import Glibc

/// New key slots that take the place of the old ones once the database has their key.
///
/// They wait in `<database>-keys-next`. A crash can leave them there: the next opening finds out
/// which of both files has the database's key.
package final class KeySlotsChange {
  /// The data key of the new slots, with the salt of the database.
  package let key: DatabaseKey
  private let path: String
  private var isFinished = false
  private var next: String { Self.next(path) }

  private static func next(_ path: String) -> String { path + "-next" }

  /// The files in which a database's slots can be.
  package static func files(forDatabaseAt path: String) -> [String] {
    let path = KeySlots.path(forDatabaseAt: path)
    return [path, next(path)]
  }

  /// Writes slots for a new data key.
  ///
  /// - Parameter currentKey: The database's data key as it is.
  package init(
    forDatabaseAt databasePath: String, salt: [UInt8], currentKey: SecureBytes?,
    unlocker: KeyUnlocker, label: String
  ) throws {
    path = KeySlots.path(forDatabaseAt: databasePath)
    try Self.finishInterrupted(path, databasePath: databasePath, key: currentKey)
    let dataKey = DatabaseKey.random().bytes
    do {
      try KeySlots.write(
        KeySlotsFile(databaseSalt: salt), dataKey: dataKey, unlocker: unlocker, label: label,
        derivation: nil, forDatabaseAt: databasePath, to: Self.next(path), replaces: true)
    } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_IOERR_DIR_FSYNC {
      PendingFile.remove(Self.next(path))
      throw error.beforeMainFile
    }
    key = DatabaseKey(form: .rawWithSalt(salt), bytes: dataKey)
  }

  /// Writes a copy of a database's slots for a copy of the database.
  ///
  /// - Returns: Nil if the key is in no slots.
  /// - Throws: An error if the slots can't be read: a copy without them could be one that nothing
  ///   opens.
  package init?(copying key: DatabaseKey, ofDatabaseAt source: String, toDatabaseAt target: String)
    throws
  {
    guard !PendingFile.areSame(source, target),
      let (file, isIntact) = try Self.read(
        KeySlots.path(forDatabaseAt: source), databasePath: nil),
      isIntact, file.isAuthentic(key.bytes)
    else { return nil }
    path = KeySlots.path(forDatabaseAt: target)
    self.key = key
    let pending = try PendingFile(for: next)
    try pending.write(file.bytes(authenticatedWith: key.bytes))
    do {
      try pending.moveToTarget(replaces: true)
    } catch {
      cancel()
      throw (error as? DatabaseError)?.beforeMainFile ?? error
    }
  }

  /// Reads slots.
  ///
  /// - Returns: Nil if there are none, or none that this version understands.
  /// - Throws: An error if they can't be read.
  private static func read(
    _ path: String, databasePath: String?
  ) throws -> (file: KeySlotsFile, isIntact: Bool)? {
    do {
      return try KeySlots.read(path, databasePath: databasePath)
    } catch .unreadable(let path, let reason) {
      throw DatabaseError(
        resultCode: .SQLITE_IOERR, message: "could not read the key slots in \(path): \(reason)",
        hint: "Nothing was changed. To go on without the slots, move the file away.")
    } catch {
      return nil
    }
  }

  /// Gives the new slots their name. What fails here is done at the next opening.
  package func finish() {
    isFinished = true
    Self.rename(path)
  }

  /// Removes the new slots, unless the database has their key.
  package func cancel() {
    if !isFinished { PendingFile.remove(next) }
  }

  private static func rename(_ path: String) {
    guard unsafe Glibc.rename(next(path), path) == 0 else { return }
    try? PendingFile.syncFolder(of: path)
  }

  /// Removes the slots of a database that got another key.
  ///
  /// - Parameter key: The key that was in the slots. Others are left alone.
  package static func removeSlots(ofDatabaseAt databasePath: String, key: SecureBytes) {
    let path = KeySlots.path(forDatabaseAt: databasePath)
    guard let file = try? KeySlots.read(path, databasePath: databasePath).file,
      file.isAuthentic(key)
    else { return }
    PendingFile.remove(path)
  }

  // MARK: After a crash

  /// Finishes an interrupted change if the database has the new key.
  private static func finishInterrupted(
    _ path: String, databasePath: String, key: SecureBytes?
  ) throws {
    guard let key, let file = try read(next(path), databasePath: databasePath)?.file,
      file.isAuthentic(key)
    else { return }
    rename(path)
  }

  /// Returns the key of a damaged database from its slots, which also hold its salt.
  package static func key(
    forDamagedDatabaseAt databasePath: String, _ unlocker: KeyUnlocker
  ) throws -> DatabaseKey {
    try KeySlots.unlock(
      KeySlots.path(forDatabaseAt: databasePath), databasePath: nil,
      unlocker.secret(forDatabaseAt: databasePath)
    ).databaseKey
  }

  /// Returns the database's key from its slots.
  package static func key(
    forDatabaseAt databasePath: String, settings: CipherSettings, _ unlocker: KeyUnlocker
  ) throws -> DatabaseKey {
    let path = KeySlots.path(forDatabaseAt: databasePath)
    // Before a person or a service is asked in vain.
    guard KeySlots.exist(forDatabaseAt: databasePath) else {
      throw KeySlotsError.missing(path: path)
    }
    let secret = try unlocker.secret(forDatabaseAt: databasePath)
    func key(in path: String) throws -> DatabaseKey {
      try KeySlots.unlock(path, databasePath: databasePath, secret).databaseKey
    }
    guard unsafe access(next(path), F_OK) == 0 else { return try key(in: path) }
    let current = Result { try key(in: path) }
    guard let new = try? key(in: next(path)),
      try FileConnection.opens(
        databasePath, with: .existing(at: databasePath, key: new, settings: settings))
    else {
      if case .failure(KeySlotsError.missing) = current {
        throw KeySlotsError.interrupted(path: path)
      }
      let old = try current.get()
      // The database may have the new key already, which another unlocker gives.
      guard
        try FileConnection.opens(
          databasePath, with: .existing(at: databasePath, key: old, settings: settings))
      else { throw KeySlotsError.noSlot(path: next(path)) }
      return old
    }
    rename(path)
    return new
  }
}

extension DatabaseError {
  /// The error of a companion that was to be in place before the main file.
  ///
  /// With the code `SQLITE_IOERR_DIR_FSYNC`, it would say that the main file is in place.
  package var beforeMainFile: DatabaseError {
    guard extendedResultCode == .SQLITE_IOERR_DIR_FSYNC else { return self }
    return DatabaseError(
      resultCode: .SQLITE_IOERR, message: "the folder of the key slots could not be synced",
      hint: "Nothing was changed. Check the disk.")
  }
}
