import CofferSQLite
import FoundationEssentials

/// The reason why a key can't be used. No message contains any byte of the key.
public enum DatabaseKeyError: Error, Hashable, Sendable {
  /// The passphrase is empty; SQLCipher would leave the file unencrypted.
  case emptyPassphrase
  /// The raw key isn't 32 bytes long.
  case wrongKeyLength(byteCount: Int)
  /// The salt isn't 16 bytes long.
  case wrongSaltLength(byteCount: Int)
  /// The passphrase has the form of a raw key, `x'…'`.
  ///
  /// SQLCipher would use it as a raw key, and without libcrypto Coffer can't derive a key from it
  /// first.
  case ambiguousPassphrase
  /// The key is in a slot or with a provider, and this use of it can't ask for it.
  case unresolvedKey
  /// The key file couldn't be read.
  case unreadableKeyFile(path: String, reason: String)
  /// The key file is empty.
  case emptyKeyFile(path: String)
  /// The key file is larger than ``DatabaseKey/largestKeyFile``, and so probably isn't one.
  case oversizedKeyFile(path: String)
  /// The key file is binary, but not the 32 bytes of a raw key.
  case binaryKeyFile(path: String, byteCount: Int)
  /// All users of the machine can read or write the key file.
  case exposedKeyFile(path: String)
}

extension DatabaseKeyError: CustomStringConvertible, LocalizedError {
  /// A description of the problem and its remedy.
  public var description: String {
    switch self {
    case .emptyPassphrase:
      "The passphrase is empty. SQLCipher would leave the file unencrypted; give a passphrase."
    case .wrongKeyLength(let count) where count == 64 || count == 96:
      "A raw key is 32 bytes, but \(count) were given. If they are hexadecimal digits, decode "
        + "them first."
    case .wrongKeyLength(let count) where count == 80 || count == 160:
      "A raw key is 32 bytes, but there are \(count == 80 ? "80" : "160"), which SQLCipher 4.7 takes "
        + "for a key, a salt and an HMAC key. Coffer opens files whose HMAC key is derived: give "
        + "the first 32 bytes, and the salt. For a passphrase of 160 digits, use "
        + ".passphrase(_:)."
    case .wrongKeyLength(let count):
      "A raw key is 32 bytes, but \(count) were given. For a secret of another length, use "
        + ".passphrase(bytes:)."
    case .wrongSaltLength(let count):
      "A salt is 16 bytes, but \(count) were given."
    case .ambiguousPassphrase:
      "The passphrase looks like a raw key in SQLCipher's notation (x'…'), and SQLCipher would "
        + "use it as one. Pass the decoded bytes to .raw(_:), or choose another passphrase."
    case .unresolvedKey:
      "The key is in a key slot or with a provider, which can't be asked here. Give the key itself."
    case .unreadableKeyFile(let path, let reason):
      "The key file \(path) can't be read: \(reason)."
    case .emptyKeyFile(let path):
      "The key file \(path) is empty."
    case .oversizedKeyFile(let path):
      "The key file \(path) is larger than \(DatabaseKey.largestKeyFile) bytes. Is it a key file?"
    case .binaryKeyFile(let path, let count):
      "The key file \(path) is neither text nor the 32 bytes of a raw key: it has \(count) bytes. "
        + "Check that it is the right file and complete."
    case .exposedKeyFile(let path):
      "Every user of this machine can read or write the key file \(path). Run: chmod 600 \(path)"
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
