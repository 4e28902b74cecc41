import CofferSQLite

/// Detection of older files, pages and logs that were put back, and of other databases.
///
/// ```swift
/// var configuration = Configuration()
/// configuration.key = key
/// configuration.freshness = Freshness(anchor: FileAnchor(path: "/srv/anchors/vault"))
/// let queue = try DatabaseQueue(path: "vault.db", configuration: configuration)
/// ```
///
/// Opening compares the file and its log with the ``FreshnessAnchor``, and throws a
/// ``DatabaseError`` whose ``DatabaseError/cipherDiagnosis`` is ``CipherDiagnosis/replaced(_:)`` if
/// they aren't the newest. If the anchor itself is missing, damaged or out of reach, it throws a
/// ``FreshnessError``.
///
/// While the database is open, the anchor is written at most once a second, and never holds up a
/// commit. Closing always writes it, and throws if that fails; the commits are safe then, and the
/// next opening accepts them.
///
/// A database with freshness is encrypted, with HMACs, and in WAL mode. One queue or pool in one
/// process can have it open for writing; the log, and the record in `<database>-tags`, belong to it
/// and move with it. Coffer's security guide says what isn't detected.
public struct Freshness: Sendable {
  /// The place of the newest state.
  public let anchor: any FreshnessAnchor

  /// Whether opening makes the anchor of a database that has never had one.
  ///
  /// True by default. If false, an attacker who removes both the anchor and the record beside the
  /// database doesn't get a new anchor for an old file.
  public let createsAnchor: Bool

  /// The least time between two writes of the anchor.
  package var minimumInterval = Duration.seconds(1)

  /// Creates the setting for ``Configuration/freshness``.
  public init(anchor: some FreshnessAnchor, createsAnchor: Bool = true) {
    self.anchor = anchor
    self.createsAnchor = createsAnchor
  }

  /// Accepts a database as it is, and makes it the newest state.
  ///
  /// Call this after you have replaced the database on purpose, such as by a backup, or if its
  /// anchor is lost. Nothing shows whether the database is the right one.
  /// - Parameters:
  ///   - path: The path of the database, which no connection may have open.
  ///   - cipher: The settings of the file.
  /// - Throws: ``DatabaseError`` or ``FreshnessError``; the anchor is unchanged then.
  public func accept(
    databaseAt path: String, key: DatabaseKey, cipher: CipherSettings = .default
  ) throws {
    guard cipher.usesHMAC else { throw Self.needsHMAC }
    let fileKey = try FileKey.existing(at: path, key: key, settings: cipher)
    guard let derived = fileKey.derived else { throw Self.needsLibCrypto }
    let path = PendingFile.resolved(path)
    // First, since the tag file would be made.
    guard try FileConnection.opens(path, with: fileKey) else {
      let failure = DatabaseError(
        resultCode: .SQLITE_NOTADB, message: "the database can't be accepted")
      throw failure.diagnosed(path: path, fileKey)
    }
    guard let tagFile = try TagFile(forDatabaseAt: path, writes: true) else { return }
    let keys = try FreshnessKeys(derived)
    let records = try tagFile.records(keys)
    let bytes = try Self.load(anchor, forDatabaseAt: path)
    let previous = bytes.flatMap { FreshnessState.counter(of: $0) }
    let verifier = try FreshnessVerifier(path: path, settings: cipher, keys: keys)
    var current = try verifier.current(after: Self.firstState(salt: derived.salt, cipher))
    current.state.flags = .closed
    current.state.counter = max(previous ?? 0, records.first?.state.counter ?? 0) + 1
    current.state.root = try current.tags.root(keys)
    let state = try SealedState(current.state, keys: keys)
    try tagFile.write(current.tags, pages: 1..<(current.tags.count + 1))
    // Whatever the database has now, the archive had that commit.
    let archived = try bytes.flatMap { try SealedState($0, keys: keys) }
      .flatMap { try ArchivedEnd(after: $0, with: keys) }
    let next = try archived.map { try SealedState(state, and: $0, keys: keys) } ?? state
    guard try Self.store(next, in: anchor, replacing: previous, forDatabaseAt: path) else {
      throw FreshnessError.anchorTaken
    }
    try tagFile.write(state)
  }

  /// The state of a database before its first anchor.
  static func firstState(salt: [UInt8], _ settings: CipherSettings) -> FreshnessState {
    FreshnessState(
      pageSize: settings.pageSize, salt: salt, identity: DerivedKey.randomSalt())
  }

  package static let needsHMAC = FreshnessError.unsupported(
    reason: "the pages have no HMACs. Convert the file with DatabaseFile.convert")
  package static let needsLibCrypto = FreshnessError.unsupported(
    reason: "libcrypto isn't available")

  // MARK: The anchor's errors

  package static func load(
    _ anchor: any FreshnessAnchor, forDatabaseAt path: String
  ) throws(FreshnessError) -> [UInt8]? {
    do {
      return try anchor.load(forDatabaseAt: path)
    } catch {
      throw .anchorUnavailable(reason: "\(error)")
    }
  }

  static func store(
    _ state: SealedState, in anchor: any FreshnessAnchor, replacing previous: UInt64?,
    forDatabaseAt path: String
  ) throws(FreshnessError) -> Bool {
    do {
      return try anchor.store(
        state.bytes, counter: state.state.counter, replacing: previous, forDatabaseAt: path)
    } catch {
      throw .anchorUnavailable(reason: "\(error)")
    }
  }
}
