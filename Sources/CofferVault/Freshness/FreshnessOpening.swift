import CofferSQLite

/// A database whose files are compared with its anchor and its record.
package struct FreshnessOpening {
  let path: String
  let freshness: Freshness
  let settings: CipherSettings
  let salt: [UInt8]
  let keys: FreshnessKeys
  let tagFile: TagFile?
  private let verifier: FreshnessVerifier
  private let records: [SealedState]

  /// - Parameter writes: Whether to lock the database for one writer.
  package init(
    path: String, freshness: Freshness, key: DerivedKey, settings: CipherSettings, writes: Bool
  ) throws {
    self.path = path
    self.freshness = freshness
    self.settings = settings
    salt = key.salt
    keys = try FreshnessKeys(key)
    tagFile = try TagFile(forDatabaseAt: path, writes: writes)
    records = try tagFile?.records(keys) ?? []
    verifier = try FreshnessVerifier(path: path, settings: settings, keys: keys)
  }

  /// Whether the key is that of the first page which SQLite will read, in the log or in the file.
  package func isKeyRight(_ key: DerivedKey) throws -> Bool {
    guard let file = try CipherFile(path: path, key: key, settings: settings) else {
      throw Freshness.needsLibCrypto
    }
    return try file.verify(page: 1)
  }

  /// What is known of files that are the newest.
  package struct Verified {
    let current: FreshnessVerifier.Current
    let anchor: SealedState
    /// The state in the files, which is the anchor's or follows it.
    let state: FreshnessState
  }

  /// Compares the files with the anchor.
  ///
  /// - Returns: Nil if the database has no anchor yet, and may get one.
  /// - Throws: ``DatabaseError`` if the files were replaced; ``FreshnessError``.
  package func verify() throws -> Verified? {
    guard let bytes = try Freshness.load(freshness.anchor, forDatabaseAt: path) else {
      guard freshness.createsAnchor, try tagFile?.hasHadAnchor(records) != true else {
        throw FreshnessError.anchorMissing
      }
      return nil
    }
    guard let anchor = try SealedState(bytes, keys: keys) else {
      let states = try FreshnessState.blocks(of: bytes).compactMap { try FreshnessState($0) }
      // The key of another file with the same passphrase is another one.
      guard let state = states.first, state.salt != salt else {
        throw FreshnessError.anchorDamaged
      }
      throw FreshnessDifference(.otherDatabase).error
    }
    let expected = try newestState(anchor)
    guard !verifier.hasJournal else { throw FreshnessDifference(.olderPage).error }
    if let current = try verifier.verify(expected.state) {
      return Verified(current: current, anchor: anchor, state: expected.state)
    }
    throw try verifier.difference(
      from: expected.state, expected: tagFile?.tags(of: expected.state, keys),
      others: records.map(\.state).filter { $0 != expected.state }
    ).error
  }

  /// The anchor's state, or that of a record that follows the anchor.
  private func newestState(_ anchor: SealedState) throws(FreshnessError) -> SealedState {
    let own = records.filter { $0.state.identity == anchor.state.identity }
    guard let last = own.first, last.state.counter > anchor.state.counter else { return anchor }
    guard last.state.base == anchor.digest || last.state.pending == anchor.digest else {
      throw .anchorOlder
    }
    return last
  }

  /// Begins a session on files that are verified.
  package func begin(_ verified: Verified) throws -> FreshnessSession? {
    guard let tagFile else { return nil }
    let known = try tagFile.tags(of: verified.state, keys)
    let counter = max(
      verified.anchor.state.counter, records.first?.state.counter ?? 0)
    return try FreshnessSession(
      path: path, freshness: freshness, settings: settings, keys: keys, tagFile: tagFile,
      current: verified.current, known: known.map { ($0, verified.state.commit) },
      stored: verified.anchor, counter: counter + 1)
  }

  /// Begins the first session, and stores the first anchor.
  package func beginFirst() throws -> FreshnessSession? {
    guard let tagFile else { return nil }
    let current = try verifier.current(after: Freshness.firstState(salt: salt, settings))
    let session = try FreshnessSession(
      path: path, freshness: freshness, settings: settings, keys: keys, tagFile: tagFile,
      current: current, known: nil, stored: nil, counter: 1)
    try session.storeFirstAnchor()
    return session
  }
}
