import CofferVault

extension Database {
  /// Attaches another database file, whose tables can then be used as `name.table`.
  ///
  /// ```swift
  /// try db.attach("archive.db", as: "archive", key: .passphrase("…"))
  /// ```
  ///
  /// The key isn't written in SQL text. SQL's `ATTACH` without a key uses the main database's key,
  /// which is rarely intended; without a key, this method attaches a plaintext file. Each
  /// connection attaches files separately; for a pool, do it in `Configuration.prepareDatabase`.
  /// - Parameters:
  ///   - path: The file, which is created if it doesn't exist.
  ///   - key: The file's key; nil for a plaintext file.
  ///   - cipher: The file's settings; nil for those of the main database. SQLCipher can attach an
  ///     existing file only if the file has the default page size and HMAC of the process's
  ///     SQLCipher.
  /// - Throws: ``DatabaseError``, with nothing attached.
  public func attach(
    _ path: String, as name: String, key: DatabaseKey?, cipher: CipherSettings? = nil
  ) throws {
    try checkAccess()
    try CName.check(path)
    try CName.check(name, "name of the attached database")
    let connection = try openConnection()
    let settings = cipher ?? openingSettings
    let isMemory = path == ":memory:" || path.isEmpty
    let isNew = isMemory || DatabaseFile.inspect(at: path).size == 0
    let fileKey = try key.map { key in
      try isNew
        ? FileKey.new(key, settings: settings, at: path)
        : FileKey.existing(at: path, key: key, settings: settings)
    }
    if fileKey != nil, !isNew, !settings.hasSameLayout(as: .default) {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "SQLCipher can't attach a file with other settings than its own (\(settings))",
        hint: "Open it with a separate connection, or convert it with DatabaseFile.convert.")
    }
    if isNew, !isMemory { try refuseSecondJournal() }
    if key != nil { keying.mayHaveAttachedFile = true }
    do {
      let readAhead = try FileKey.attach(
        path, as: name, spec: fileKey?.spec, readsAhead: configuration.readsAhead, to: connection)
      keying.attachedReadAhead.removeAll(where: \.isClosed)
      if let readAhead { keying.attachedReadAhead.append(readAhead) }
    } catch let error as DatabaseError {
      throw explainedAttachError(error, path, fileKey)
    }
    schemaDidChange()
    // In the end, as the mode of the journal isn't known before the file is read.
    defer { if setup == nil { keepAttachedPages() } }
    do {
      if !isNew { try refuseSecondJournal(of: name) }
      guard fileKey != nil else { return }
      if isNew {
        keying.isBeingSet = true
        defer { keying.isBeingSet = false }
        for pragma in try settings.pragmas(schema: name) { try runSetting(pragma) }
      }
      let canCreate =
        !isInsideTransaction && SQLite.isReadOnly(connection, schema: name) == false
      if !isMemory, !isNew || canCreate {
        try createFile(at: path, schema: name, settings)
      }
    } catch {
      try? detach(name)
      throw error
    }
  }

  /// Detaches a database attached by ``attach(_:as:key:cipher:)``.
  public func detach(_ name: String) throws {
    try checkAccess()
    try CName.check(name, "name of the attached database")
    // Cached statements would keep it locked.
    statementCache.removeAll()
    try execute(sql: "DETACH DATABASE \(name.quotedDatabaseIdentifier)")
    schemaDidChange()
  }

  /// Throws if a transaction could have two rollback journals, where SQLite can lose one.
  ///
  /// - Parameter attached: The schema that was attached; nil for one that will be.
  func refuseSecondJournal(of attached: String? = nil) throws {
    guard SQLiteFeatures.linked.deletesDamagedJournals else { return }
    let others = ["main"] + attachedSchemas.filter { $0 != attached }
    guard try attached.map(hasRollbackJournal) ?? true,
      let other = try others.first(where: hasRollbackJournal)
    else { return }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "\(attached ?? "a file") isn't attached while \(other) has a rollback journal, too",
      hint: "SQLite 3.53.0 to 3.53.3 can lose it in a power cut. Use WAL mode for all but one of "
        + "the files, or another version of SQLCipher.")
  }

  private func hasRollbackJournal(_ schema: String) throws -> Bool {
    let mode = try setting("PRAGMA \(schema.quotedDatabaseIdentifier).journal_mode")
    return try ["delete", "truncate", "persist"].contains(mode)
      && SQLite.isReadOnly(openConnection(), schema: schema) == false
  }

  private func explainedAttachError(
    _ error: DatabaseError, _ path: String, _ key: FileKey?
  ) -> DatabaseError {
    switch error.resultCode {
    case .SQLITE_NOTADB, .SQLITE_CORRUPT:
      return error.diagnosed(path: path, key)
    case .SQLITE_ERROR where isInsideTransaction:
      return DatabaseError(
        resultCode: error.extendedResultCode, message: error.message ?? "", sql: error.sql,
        hint: "SQLite before 3.21 attaches outside of transactions only.")
    default: return error
    }
  }
}

extension CipherSettings {
  /// Whether pages have the same layout and authentication, regardless of the key derivation.
  func hasSameLayout(as other: CipherSettings) -> Bool {
    pageSize == other.pageSize && usesHMAC == other.usesHMAC
      && (!usesHMAC || hmacAlgorithm == other.hmacAlgorithm)
      && plaintextHeaderSize == other.plaintextHeaderSize
  }
}
