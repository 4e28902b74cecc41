import CofferVault

extension DatabaseFile {
  /// Saves what is left of a damaged or truncated database to a new file.
  ///
  /// The new file has the same key, settings and schema, and all rows whose pages are intact: those
  /// that the tables' b-trees lead to, and those behind an unreadable page of a b-tree, if it is
  /// certain to which table they belong. Other rows are in a table `lost_and_found`. A row of which
  /// only a part is intact is left out. The source isn't changed.
  ///
  /// ```swift
  /// let report = try DatabaseFile.salvage(at: "vault.db", key: key, to: "saved.db")
  /// print(report)
  /// ```
  ///
  /// Commits in a WAL, or a journal of an unfinished transaction, are taken into account as SQLite
  /// does. Rows are inserted without firing triggers or checking foreign keys. The new file is
  /// verified and synced before it gets its name.
  ///
  /// Memory doesn't grow with the file, except for a few bytes per page and the largest row. What a
  /// hostile file could make the new one grow to is limited in proportion to its own size: see
  /// ``SalvageLimit``.
  /// - Parameters:
  ///   - path: The damaged database, which no connection may use meanwhile.
  ///   - key: Its key; nil for a plaintext database. With a passphrase, or a raw key alone, the
  ///     file's first 16 bytes, its salt, are needed to authenticate pages. If they are lost, a raw
  ///     key still decrypts the pages, and only their structure is checked; a passphrase doesn't.
  ///   - settings: The settings with which the database was written.
  ///   - target: The path of the new file. No file may exist there.
  ///   - configuration: The application's configuration for the file, for its functions and
  ///     collations.
  ///   - liftedLimits: The limits that don't hold, for a file that is trusted.
  ///   - progress: Called from time to time. An error that it throws cancels the operation, and
  ///     leaves nothing behind; once the phase is `finished`, it is ignored.
  /// - Returns: What was saved and lost.
  /// - Throws: ``DatabaseError``, with a diagnosis if the key opens no page of the file.
  public static func salvage(
    at path: String, key: DatabaseKey?, settings: CipherSettings = .default, to target: String,
    configuration: Configuration = Configuration(), liftedLimits: Set<SalvageLimit> = [],
    progress: ((Progress) throws -> Void)? = nil
  ) throws -> SalvageReport {
    try Salvage(
      path: path, key: key, settings: settings, target: target,
      prepare: additions(of: configuration).preparation, liftedLimits: liftedLimits,
      progress: progress
    ).run()
  }
}
