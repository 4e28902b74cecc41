import CofferSQLite

/// Opens a damaged database as far as the key allows.
struct DamagedFile {
  let path: String
  let key: DatabaseKey?
  let settings: CipherSettings

  /// Reads all pages.
  ///
  /// - Parameter progress: Gets the fraction of the pages that are read.
  /// - Throws: ``DatabaseError`` if the key opens no page.
  func scan(progress: (Double) throws -> Void) throws -> SalvagePages {
    try requireFile()
    do {
      guard let key else {
        return try scan(try SalvageSource.plaintext(path, settings: settings), progress)
          ?? { throw try unreadable(nil) }()
      }
      let fileKey = try FileKey.existing(at: path, key: key, settings: settings)
      guard let derived = fileKey.derived else {
        throw DatabaseError(
          resultCode: .SQLITE_ERROR, message: "the pages can't be read here",
          hint: "No libcrypto has been found in the process.")
      }
      // The salt authenticates pages, but a raw key decrypts them without it.
      var attempts = [true]
      if case .raw = key.form, settings.usesHMAC { attempts.append(false) }
      for isAuthenticated in attempts {
        let source = try SalvageSource.encrypted(
          path, key: derived, settings: settings, isAuthenticated: isAuthenticated)
        if let source, let pages = try scan(source, progress) { return pages }
      }
      throw try unreadable(fileKey)
    } catch let error as ReadOnlyFileError {
      throw error.databaseError(path)
    }
  }

  private func requireFile() throws {
    let inspection = DatabaseFile.inspect(at: path)
    switch inspection.kind {
    case .missing:
      throw DatabaseError(
        resultCode: .SQLITE_CANTOPEN, message: "there is no file at \(path)", hint: nil)
    case .directory, .special, .unreadable:
      throw DatabaseError(
        resultCode: inspection.unreadableCode, message: "\(path) is \(inspection)", hint: nil)
    case .empty where !inspection.hasWAL:
      throw DatabaseError(
        resultCode: .SQLITE_NOTADB, message: "\(path) is not a database", hint: "It is empty.")
    default: break
    }
  }

  /// Returns nil if no page makes sense.
  private func scan(
    _ source: SalvageSource, _ progress: (Double) throws -> Void
  ) throws -> SalvagePages? {
    let pages = SalvagePages(source)
    try pages.scan { try progress(Double($0) / Double(source.storedCount)) }
    if source.isAuthenticated { return pages.readableCount > 0 ? pages : nil }
    let isEmptyDatabase = source.header != nil && pages.treeKind(1) != nil
    return pages.treePageCount > 0 || isEmptyDatabase ? pages : nil
  }

  /// - Throws: ``ReadOnlyFileError`` if the system can't read the file.
  private func unreadable(_ key: FileKey?) throws -> DatabaseError {
    try ReadOnlyFile(path: path).readAll()
    return DatabaseError(
      resultCode: .SQLITE_NOTADB, message: "no page of \(path) can be read",
      hint: "Check the path, the key and the cipher settings."
    ).diagnosed(path: path, key)
  }
}
