@_exported import CofferSQLite

/// The key that opens an encrypted database: a passphrase, or 32 bytes.
///
/// The key's bytes are copied once, into memory that is locked, excluded from core dumps, and wiped
/// when the last copy of the value is released. The caller is responsible for wiping the original
/// `String` or `Data`. Descriptions, mirrors and dumps never show the bytes.
///
/// By design, keys can't be compared with `==` or encoded.
public struct DatabaseKey: Sendable {
  /// The meaning of the bytes.
  package enum Form: Sendable {
    /// The bytes of a passphrase, from which a key is derived.
    case passphrase
    /// A key of 32 bytes.
    case raw
    /// A key of 32 bytes, and its salt of 16 bytes.
    case rawWithSalt([UInt8])
    /// A random key of 32 bytes, in a slot that this unlocker opens.
    case slots(KeyUnlocker, label: String)
    /// A key that is asked for at each opening.
    case provider(any KeyProvider)
  }

  package let form: Form
  package let bytes: SecureBytes

  package init(form: Form, bytes: SecureBytes) {
    self.form = form
    self.bytes = bytes
  }

  /// Creates a passphrase.
  ///
  /// SQLCipher derives the key from its UTF-8 bytes, which takes about 0.1 s in SQLCipher 4.
  ///
  /// The bytes aren't normalized: "é" as one scalar and "é" as two are different passphrases.
  /// Opening a database with an empty passphrase throws.
  public static func passphrase(_ string: String) -> DatabaseKey {
    DatabaseKey(form: .passphrase, bytes: SecureBytes(copying: string.utf8))
  }

  /// Creates a passphrase from any bytes, including NULs and invalid UTF-8.
  ///
  /// Opening a database with an empty passphrase throws.
  public static func passphrase(bytes: some Collection<UInt8>) -> DatabaseKey {
    DatabaseKey(form: .passphrase, bytes: SecureBytes(copying: bytes))
  }

  /// Creates a key from 32 bytes, which are used without derivation.
  ///
  /// They must come from a good random source or a good key derivation, since no derivation
  /// slows down guessing.
  /// - Throws: ``DatabaseKeyError`` unless there are 32 bytes.
  public static func raw(
    _ bytes: some Collection<UInt8>
  ) throws(DatabaseKeyError) -> DatabaseKey {
    guard bytes.count == 32 else { throw .wrongKeyLength(byteCount: bytes.count) }
    return DatabaseKey(form: .raw, bytes: SecureBytes(copying: bytes))
  }

  /// Creates a key from its 32 bytes and the file's salt of 16 bytes.
  ///
  /// A new file gets this salt; an existing one must have it. Files with a plaintext header don't
  /// store their salt, and can be opened only with such a key.
  /// - Throws: ``DatabaseKeyError`` unless there are 32 and 16 bytes.
  public static func raw(
    _ bytes: some Collection<UInt8>, salt: some Collection<UInt8>
  ) throws(DatabaseKeyError) -> DatabaseKey {
    guard bytes.count == 32 else { throw .wrongKeyLength(byteCount: bytes.count) }
    guard salt.count == 16 else { throw .wrongSaltLength(byteCount: salt.count) }
    return DatabaseKey(form: .rawWithSalt(Array(salt)), bytes: SecureBytes(copying: bytes))
  }

  /// Creates a raw key of 32 bytes from the system's random source.
  ///
  /// The key isn't stored anywhere. Store it with ``withUnsafeRawKey(_:)``; without it the data is
  /// lost.
  public static func random() -> DatabaseKey {
    let bytes = SecureBytes(count: 32) { unsafe fillWithRandomBytes($0) }
    return DatabaseKey(form: .raw, bytes: bytes)
  }

  /// Creates a raw key and a salt, which work with any settings, for a file that is never reopened.
  package static func randomWithSalt() -> DatabaseKey {
    DatabaseKey(form: .rawWithSalt(DerivedKey.randomSalt()), bytes: random().bytes)
  }

  /// Calls `body` with the 32 bytes of a raw key.
  ///
  /// `body` can store them in a safe place. Returns nil for a passphrase, and for a key that isn't
  /// known yet.
  @safe public func withUnsafeRawKey<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    switch form {
    case .raw, .rawWithSalt: try bytes.withUnsafeBytes(body)
    case .passphrase, .slots, .provider: nil
    }
  }

  /// The salt given with a raw key; nil otherwise.
  package var salt: [UInt8]? {
    if case .rawWithSalt(let salt) = form { salt } else { nil }
  }

  package var isPassphrase: Bool { if case .passphrase = form { true } else { false } }

  /// Throws for a key that must not reach SQLCipher, which is an empty passphrase.
  package func validate() throws(DatabaseKeyError) {
    if isPassphrase && bytes.count == 0 { throw .emptyPassphrase }
  }

  /// Whether both keys have the same bytes and form. The comparison takes constant time.
  package func isSameKey(as other: DatabaseKey) -> Bool {
    switch (form, other.form) {
    case (.passphrase, .passphrase), (.raw, .raw): bytes.isEqual(to: other.bytes)
    case (.rawWithSalt(let mine), .rawWithSalt(let theirs)):
      mine == theirs && bytes.isEqual(to: other.bytes)
    default: false
    }
  }
}

extension DatabaseKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Always `DatabaseKey(redacted)`.
  public var description: String { "DatabaseKey(redacted)" }

  /// Always `DatabaseKey(redacted)`.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

// MARK: - The argument of sqlite3_key

extension DatabaseKey {
  /// The bytes for `sqlite3_key` if SQLCipher itself derives the key: the passphrase, or `x'…'`
  /// with the hexadecimal digits of a raw key and its salt.
  ///
  /// - Throws: ``DatabaseKeyError`` for an empty passphrase, and for one that SQLCipher would
  ///   interpret as a raw key. Keys derived by ``DerivedKey`` aren't ambiguous.
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
    case .slots, .provider:
      throw .unresolvedKey
    }
  }

  /// Whether SQLCipher would take the passphrase for a raw key, from 4.7 on also with an HMAC key.
  ///
  /// It checks the length, the prefix and the digits, and only from 4.7 on the closing quote.
  var looksLikeKeySpec: Bool {
    guard isPassphrase, [67, 99, 163].contains(bytes.count) else { return false }
    return bytes.withUnsafeBytes { bytes in
      unsafe (bytes[0] == 0x78 || bytes[0] == 0x58) && bytes[1] == 0x27
        && bytes[2..<(bytes.count - 1)].allSatisfy { hexValue($0) != nil }
    }
  }
}

/// Returns the text `x'…'` of a key and its salt, built in secure memory.
func makeKeySpec(key: SecureBytes, salt: [UInt8]) -> SecureBytes {
  SecureBytes(count: 3 + 2 * (key.count + salt.count)) { target in
    unsafe target[0] = 0x78
    unsafe target[1] = 0x27
    let afterKey = key.withUnsafeBytes { unsafe writeHex($0, into: target, at: 2) }
    let end = unsafe salt.withUnsafeBytes { unsafe writeHex($0, into: target, at: afterKey) }
    unsafe target[end] = 0x27
  }
}

/// Fills the buffer from the system's random source (`getrandom`).
func fillWithRandomBytes(_ target: UnsafeMutableRawBufferPointer) {
  var generator = SystemRandomNumberGenerator()
  for index in target.indices { unsafe target[index] = generator.next() }
}
