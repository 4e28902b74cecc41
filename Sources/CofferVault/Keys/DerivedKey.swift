import CofferSQLite
import Synchronization

/// The key and salt of one file, derived once: `sqlite3_key` accepts them without another
/// derivation.
package struct DerivedKey: Sendable {
  /// The 32-byte key that encrypts pages.
  package let key: SecureBytes

  /// The 16-byte salt with which the key and the HMAC key are derived.
  package let salt: [UInt8]

  package init(key: SecureBytes, salt: [UInt8]) {
    precondition(key.count == 32 && salt.count == 16)
    self.key = key
    self.salt = salt
  }

  /// Derives the key of a file with this salt.
  ///
  /// A raw key needs no derivation; a salt given with it takes precedence over `salt`.
  /// - Parameter salt: The first 16 bytes of the file, or ``randomSalt()`` for a new one.
  /// - Returns: Nil if a passphrase needs a derivation and there is no libcrypto.
  /// - Throws: ``DatabaseKeyError`` for an empty passphrase, or a salt of another length.
  package static func derive(
    from key: DatabaseKey, salt: [UInt8], settings: CipherSettings
  ) throws(DatabaseKeyError) -> DerivedKey? {
    try key.validate()
    guard salt.count == 16 else { throw .wrongSaltLength(byteCount: salt.count) }
    switch key.form {
    case .raw: return DerivedKey(key: key.bytes, salt: salt)
    case .rawWithSalt(let given): return DerivedKey(key: key.bytes, salt: given)
    case .passphrase: break
    case .slots, .provider: throw .unresolvedKey
    }
    guard let crypto = LibCrypto.shared else { return nil }
    DerivationCount.add(salt: salt)
    let derived = crypto.pbkdf2(
      settings.kdfAlgorithm, password: key.bytes, salt: salt, iterations: settings.kdfIterations)
    return derived.map { DerivedKey(key: $0, salt: salt) }
  }

  /// Returns the bytes for `sqlite3_key`: `x'…'` around 64 digits of key and 32 of salt.
  package func sqlcipherKeySpec() -> SecureBytes { makeKeySpec(key: key, salt: salt) }

  /// Returns 16 random bytes for a new file.
  package static func randomSalt() -> [UInt8] {
    var salt = [UInt8](repeating: 0, count: 16)
    unsafe salt.withUnsafeMutableBytes { unsafe fillWithRandomBytes($0) }
    return salt
  }

  /// Derives the key that authenticates pages; nil if libcrypto fails.
  package func hmacKey(_ settings: CipherSettings, crypto: LibCrypto) -> SecureBytes? {
    crypto.pbkdf2(
      settings.kdfAlgorithm, password: key, salt: salt.map { $0 ^ 0x3a }, iterations: 2)
  }
}

extension DerivedKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "DerivedKey(redacted)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

/// Counts the derivations from passphrases in this process.
enum DerivationCount {
  private static let counter = Atomic<Int>(0)
  private static let countsBySalt = Mutex<[[UInt8]: Int]?>(nil)

  /// The number of all derivations.
  static var total: Int { counter.load(ordering: .relaxed) }

  /// Starts counting per salt as well, so that a test can count its own file's derivations.
  static func startCountingBySalt() {
    countsBySalt.withLock { if $0 == nil { $0 = [:] } }
  }

  /// Returns the number of derivations with this salt since ``startCountingBySalt()``.
  static func count(salt: [UInt8]) -> Int {
    countsBySalt.withLock { $0?[salt] ?? 0 }
  }

  static func add(salt: [UInt8]) {
    counter.add(1, ordering: .relaxed)
    countsBySalt.withLock { $0?[salt, default: 0] += 1 }
  }
}
