import CofferVault

extension Database {
  /// Adds the reason to an error if the file's key was changed since the connection was opened.
  ///
  /// After another connection or process has re-encrypted the file, SQLite reports the same errors
  /// as for a wrong key.
  func explainingChangedKey(_ error: DatabaseError) -> DatabaseError {
    guard setup == nil, !isInMemory, error.cipherDiagnosis == nil, let given = keying.given else {
      return error
    }
    switch error.resultCode {
    case .SQLITE_NOTADB, .SQLITE_CORRUPT: break
    case .SQLITE_ERROR, .SQLITE_NOMEM:
      // Errors with other messages are about a statement.
      guard error.message == SQLite.errorString(error.resultCode.rawValue) else { return error }
    case .SQLITE_READONLY
    where error.extendedResultCode == .SQLITE_READONLY && !configuration.readonly
      && (!given.settings.usesHMAC || canBeRefusedPages):
      // Without HMACs, SQLite accepts pages decrypted with the wrong key as they are, and the zeros
      // of SQLCipher 4.19 in any case.
      break
    default: return error
    }
    guard hasChangedKey(given) else { return error }
    let explained = DatabaseError(
      error, diagnosis: CipherDiagnosis.wrongKey,
      hint: "The key of the file was changed after this connection had been opened, or the file "
        + "was replaced: close the database, and open it with the new key.")
    if !given.settings.usesHMAC { keying.failure = explained }
    return explained
  }

  /// Closes a connection without HMACs whose key no longer opens the file; later accesses throw the
  /// same error.
  ///
  /// One of 256 headers decrypted with the wrong key asks for a WAL. SQLite then holds a shared
  /// lock until the connection is closed, and nobody else could commit.
  func closeAfterChangedKey() {
    if keying.failure != nil { closeConnection() }
  }

  /// Whether no connection can open the file with the key any more, though it isn't damaged.
  private func hasChangedKey(_ given: (key: DatabaseKey, settings: CipherSettings)) -> Bool {
    guard let salt = (try? FileKey.salt(of: path)) ?? keying.derived?.salt,
      // A different salt means that the file was replaced: use the connection's own.
      let key = try? FileKey(
        given.key, settings: given.settings, salt: keying.derived?.salt ?? salt,
        derived: keying.derived),
      (try? FileConnection.opens(path, with: key)) == false
    else { return false }
    guard let derived = key.derived,
      let file = try? CipherFile(path: path, key: derived, settings: given.settings),
      given.settings.usesHMAC
    else { return true }
    // If any page is authentic, others are damaged.
    guard let count = try? file.wholePageCount(), count > 0 else { return true }
    return !(1...min(count, 16)).contains { (try? file.verify(page: $0)) == true }
  }
}
