import CofferVault

/// A connection's key, and how far SQLCipher has it.
final class Keying {
  /// The key of the configuration, or the one that it leads to.
  var resolved: DatabaseKey?
  /// The file's key, as derived by another connection, or by this one before it was reopened.
  var known: KnownKey?
  /// The key and settings given to the connection.
  var given: (key: DatabaseKey, settings: CipherSettings)? {
    didSet { isGiven = given != nil }
  }
  /// Whether a key was given: each access asks, and a comparison with nil would copy the key.
  @safe @exclusivity(unchecked) private(set) var isGiven = false
  /// The derived key with which the file was opened, kept for further connections.
  var derived: DerivedKey?
  /// Whether that key has a salt of its own, since there was no file yet.
  var hasNewSalt = false
  /// How the key's provider works.
  var provision = CipherProvision()
  /// What decrypts pages of attached files ahead of scans.
  var attachedReadAhead: [ReadAhead] = []
  /// Whether the key has been given to SQLCipher while preparations can still change its settings.
  var isProvisional = false
  /// The cipher settings last set by SQL, where they can be read back.
  var requestedSettings: [String: String] = [:]
  /// Whether the library itself is setting the cipher up.
  var isBeingSet = false
  /// Whether a file with a key may have been attached.
  var mayHaveAttachedFile = false
  /// The reason why a connection without HMACs closes itself; later accesses throw it.
  var failure: DatabaseError?
  /// The error since which SQLCipher refuses all pages of the connection.
  var refusal: DatabaseError?
  /// How many pages had been read from the files when SQLCipher last said that it refuses none.
  @safe @exclusivity(unchecked) var checkedMisses: CInt = 0

  init(_ resolved: DatabaseKey?, known: KnownKey?) {
    (self.resolved, self.known) = (resolved, known)
  }

  /// Executes `body`, which reads the pages of the main database in the order of their numbers.
  ///
  /// - Parameter copy: See ``ReadAhead/readingInOrder(copyingTo:_:)``.
  func readingPagesInOrder<T>(
    copyingTo copy: ReadAhead? = nil, _ body: () throws -> T
  ) rethrows -> T {
    guard let readAhead = provision.readAhead else { return try body() }
    return try readAhead.readingInOrder(copyingTo: copy, body)
  }

  /// Begins with a key that the connection is given.
  func begin(_ key: DatabaseKey, _ settings: CipherSettings) {
    // A reopened connection has derived the key before.
    if let own { known = own }
    derived = nil
    hasNewSalt = false
    given = (key, settings)
    requestedSettings = [:]
    isProvisional = true
  }

  /// Adopts the key with which the file is opened from now on.
  func adopt(_ key: FileKey) {
    given = (key.key, key.settings)
    failure = nil
    derived = key.derived
    resolved = key.key
  }

  /// The connection's key, for other connections to the file; nil if SQLCipher has derived it.
  var own: KnownKey? {
    guard let given, let derived else { return nil }
    return KnownKey(key: given.key, settings: given.settings, derived: derived)
  }
}

/// A key derived by a connection.
struct KnownKey: Sendable {
  let key: DatabaseKey
  let settings: CipherSettings
  let derived: DerivedKey

  /// Whether deriving `other` with these settings results in this key.
  func isSame(as other: DatabaseKey, _ otherSettings: CipherSettings) -> Bool {
    settings.kdfIterations == otherSettings.kdfIterations
      && settings.kdfAlgorithm == otherSettings.kdfAlgorithm && key.isSameKey(as: other)
  }
}
