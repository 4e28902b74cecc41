extension Database {
  /// The pages of the file, from 1 on, whose authentication code is wrong: what a disk or somebody
  /// without the key has changed. Reads the whole file.
  ///
  /// What a WAL holds is newer than the file, and isn't looked at: SQLite drops the commits whose
  /// pages in it are damaged. `PRAGMA integrity_check` checks the structure besides.
  /// - Throws: ``DatabaseError`` for a database without a key, or one that keeps no codes.
  public func checkCipherIntegrity() throws -> [Int] {
    try checkAccess()
    guard let (key, settings) = keying else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "the database is not encrypted",
        hint: "Use PRAGMA integrity_check, which checks the structure.")
    }
    guard settings.usesHMAC else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "the pages of the database are not authenticated",
        hint: "Its cipher settings say usesHMAC: false.")
    }
    guard !isInMemory else { return [] }
    let fileKey = try FileKey(
      key, settings: settings, salt: derivedKey?.salt ?? Database.salt(of: path) ?? [],
      derived: derivedKey)
    guard let derived = fileKey.derived else {
      throw DatabaseError(
        resultCode: .SQLITE_ERROR, message: "the pages can't be authenticated here",
        hint: "No libcrypto has been found in the process.")
    }
    // A read transaction keeps others from changing the file, or, with a WAL, from writing pages
    // that are newer than it.
    let needsTransaction = !isInsideTransaction
    if needsTransaction { try beginTransaction(.deferred) }
    defer { if needsTransaction { rollbackAfterError() } }
    // A damaged schema is a result, not a failure.
    do {
      _ = try Row.fetchOne(self, sql: "SELECT count(*) FROM sqlite_master")
    } catch let error as DatabaseError
      where error.resultCode == .SQLITE_NOTADB || error.resultCode == .SQLITE_CORRUPT
    {
      // The pages are looked at all the same.
    }
    do {
      return try CipherFile(path: path, key: derived, settings: settings)?.verifyAll() ?? []
    } catch let error as ReadOnlyFileError {
      throw DatabaseError(
        resultCode: .SQLITE_IOERR, message: "could not read \(path): \(error.reason)", hint: nil)
    }
  }
}
