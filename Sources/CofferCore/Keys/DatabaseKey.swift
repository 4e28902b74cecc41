/// The key that opens an encrypted database: a passphrase, or 32 bytes.
///
/// The key's bytes are copied once, into memory that is locked, kept out of core dumps, and
/// wiped with the last copy of the value. The caller's own `String` or `Data` is the caller's to
/// wipe. No description, mirror or dump shows them.
///
/// Keys can't be compared with `==`, and can't be encoded, on purpose.
public struct DatabaseKey: Sendable {
  /// What the bytes are.
  package enum Form: Sendable, Hashable {
    /// Bytes to derive a key from.
    case passphrase
    /// The 32 bytes of a key.
    case raw
    /// The 32 bytes of a key, to be used with this salt of 16 bytes.
    case rawWithSalt([UInt8])
  }

  package let form: Form
  package let bytes: SecureBytes

  package init(form: Form, bytes: SecureBytes) {
    self.form = form
    self.bytes = bytes
  }

  /// A passphrase, from whose UTF-8 bytes SQLCipher derives the key (about 0.1 s in SQLCipher 4).
  ///
  /// The bytes are taken as they are: "é" in one scalar and "é" in two are different passphrases.
  /// An empty passphrase is refused when the database is opened.
  public static func passphrase(_ string: String) -> DatabaseKey {
    DatabaseKey(form: .passphrase, bytes: SecureBytes(copying: string.utf8))
  }

  /// A passphrase of any bytes, UTF-8 or not, NULs included.
  ///
  /// An empty one is refused when the database is opened.
  public static func passphrase(bytes: some Collection<UInt8>) -> DatabaseKey {
    DatabaseKey(form: .passphrase, bytes: SecureBytes(copying: bytes))
  }

  /// The 32 bytes of a key, which is used without derivation.
  ///
  /// They have to come from a good source of randomness, or a good derivation: guessing them
  /// costs nothing.
  /// - Throws: ``DatabaseKeyError`` unless there are 32 bytes.
  public static func raw(
    _ bytes: some Collection<UInt8>
  ) throws(DatabaseKeyError) -> DatabaseKey {
    guard bytes.count == 32 else { throw .wrongKeyLength(byteCount: bytes.count) }
    return DatabaseKey(form: .raw, bytes: SecureBytes(copying: bytes))
  }

  /// The 32 bytes of a key, and the 16 bytes of the file's salt.
  ///
  /// A new file gets that salt; an existing one must have it. Files with a plaintext header don't
  /// store their salt and can be opened in this way only.
  /// - Throws: ``DatabaseKeyError`` unless there are 32 and 16 bytes.
  public static func raw(
    _ bytes: some Collection<UInt8>, salt: some Collection<UInt8>
  ) throws(DatabaseKeyError) -> DatabaseKey {
    guard bytes.count == 32 else { throw .wrongKeyLength(byteCount: bytes.count) }
    guard salt.count == 16 else { throw .wrongSaltLength(byteCount: salt.count) }
    return DatabaseKey(form: .rawWithSalt(Array(salt)), bytes: SecureBytes(copying: bytes))
  }

  /// A raw key of 32 bytes from the system's source of randomness.
  ///
  /// Nothing keeps it: store it with ``withUnsafeRawKey(_:)``, or the data is lost with it.
  public static func random() -> DatabaseKey {
    let bytes = SecureBytes(count: 32) { fillWithRandomBytes($0) }
    return DatabaseKey(form: .raw, bytes: bytes)
  }

  /// A raw key and a salt, for a file that nobody opens again, whatever its settings.
  static func randomWithSalt() -> DatabaseKey {
    DatabaseKey(form: .rawWithSalt(DerivedKey.randomSalt()), bytes: random().bytes)
  }

  /// Lends the 32 bytes of a raw key to `body`, to store them where secrets are kept; nil for a
  /// passphrase.
  public func withUnsafeRawKey<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    if case .passphrase = form { return nil }
    return try bytes.withUnsafeBytes(body)
  }

  /// The salt that was given with a raw key.
  package var salt: [UInt8]? {
    if case .rawWithSalt(let salt) = form { salt } else { nil }
  }

  package var isPassphrase: Bool { form == .passphrase }

  /// Throws for a key that must not reach SQLCipher: an empty passphrase.
  package func validate() throws(DatabaseKeyError) {
    if isPassphrase && bytes.count == 0 { throw .emptyPassphrase }
  }

  /// Whether both are the same key, in the same form; in constant time.
  package func isSameKey(as other: DatabaseKey) -> Bool {
    form == other.form && bytes.isEqual(to: other.bytes)
  }
}

extension DatabaseKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `DatabaseKey(redacted)`, always.
  public var description: String { "DatabaseKey(redacted)" }

  /// `DatabaseKey(redacted)`, always.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

// MARK: - What sqlite3_key takes

extension DatabaseKey {
  /// The bytes for `sqlite3_key` where SQLCipher itself is to derive the key: the passphrase, or
  /// `x'…'` with the digits of a raw key and its salt.
  ///
  /// - Throws: ``DatabaseKeyError`` for an empty passphrase, and for one that SQLCipher would
  ///   take for a raw key. Keys derived by ``DerivedKey`` know no such ambiguity.
  package func keySpec() throws(DatabaseKeyError) -> SecureBytes {
    try validate()
    switch form {
    case .passphrase:
      if looksLikeKeySpec { throw .ambiguousPassphrase }
      return bytes
    case .raw:
      return makeKeySpec(key: bytes, salt: [])
    case .rawWithSalt(let salt):
      return makeKeySpec(key: bytes, salt: salt)
    }
  }

  /// Whether SQLCipher would take the passphrase for a raw key. It looks at the length, the
  /// beginning and the digits, and doesn't look at the closing quote.
  var looksLikeKeySpec: Bool {
    guard isPassphrase, bytes.count == 67 || bytes.count == 99 else { return false }
    return bytes.withUnsafeBytes { bytes in
      (bytes[0] == 0x78 || bytes[0] == 0x58) && bytes[1] == 0x27
        && bytes[2..<(bytes.count - 1)].allSatisfy { hexValue($0) != nil }
    }
  }
}

/// The text `x'…'` of a key and its salt, made in secure memory.
func makeKeySpec(key: SecureBytes, salt: [UInt8]) -> SecureBytes {
  SecureBytes(count: 3 + 2 * (key.count + salt.count)) { target in
    target[0] = 0x78
    target[1] = 0x27
    let afterKey = key.withUnsafeBytes { writeHex($0, into: target, at: 2) }
    let end = salt.withUnsafeBytes { writeHex($0, into: target, at: afterKey) }
    target[end] = 0x27
  }
}

/// Fills the buffer from the system's source (`getrandom`).
func fillWithRandomBytes(_ target: UnsafeMutableRawBufferPointer) {
  var generator = SystemRandomNumberGenerator()
  for index in target.indices { target[index] = generator.next() }
}
