import FoundationEssentials

/// Why a key can't be used. No message holds a byte of the key.
public enum DatabaseKeyError: Error, Hashable, Sendable {
  /// The passphrase is empty: SQLCipher would leave the file unencrypted.
  case emptyPassphrase
  /// A raw key that isn't 32 bytes long.
  case wrongKeyLength(byteCount: Int)
  /// A salt that isn't 16 bytes long.
  case wrongSaltLength(byteCount: Int)
  /// The passphrase has the form of SQLCipher's raw keys, `x'…'`, and there is no libcrypto to
  /// derive a key from it with: SQLCipher would take it for a raw key.
  case ambiguousPassphrase
  /// The key file couldn't be read.
  case unreadableKeyFile(path: String, reason: String)
  /// There is nothing in the key file.
  case emptyKeyFile(path: String)
  /// The key file is larger than ``DatabaseKey/largestKeyFile``, so that it is hardly one.
  case oversizedKeyFile(path: String)
  /// Every user of the machine may read or write the key file.
  case exposedKeyFile(path: String)
}

extension DatabaseKeyError: CustomStringConvertible, LocalizedError {
  /// What is wrong, and what to do about it.
  public var description: String {
    switch self {
    case .emptyPassphrase:
      "The passphrase is empty. SQLCipher would leave the file unencrypted; give a passphrase."
    case .wrongKeyLength(let count) where count == 64 || count == 96:
      "A raw key is 32 bytes, but \(count) were given. If they are hexadecimal digits, decode "
        + "them first."
    case .wrongKeyLength(let count):
      "A raw key is 32 bytes, but \(count) were given. For a secret of another length, use "
        + ".passphrase(bytes:)."
    case .wrongSaltLength(let count):
      "A salt is 16 bytes, but \(count) were given."
    case .ambiguousPassphrase:
      "The passphrase looks like a raw key in SQLCipher's notation (x'…'), which SQLCipher would "
        + "take it for. Give the decoded bytes to .raw(_:), or choose another passphrase."
    case .unreadableKeyFile(let path, let reason):
      "The key file \(path) can't be read: \(reason)."
    case .emptyKeyFile(let path):
      "The key file \(path) is empty."
    case .oversizedKeyFile(let path):
      "The key file \(path) is larger than \(DatabaseKey.largestKeyFile) bytes. Is it a key file?"
    case .exposedKeyFile(let path):
      "Every user of this machine can read or write the key file \(path). Run: chmod 600 \(path)"
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
