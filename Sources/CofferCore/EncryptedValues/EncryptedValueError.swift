import FoundationEssentials

/// The reason why a value can't be sealed or opened.
///
/// No error contains a value, a key or a row's key.
public enum EncryptedValueError: Error, Hashable, Sendable {
  /// The key is a passphrase, not a raw key.
  case passphraseGiven
  /// The process has no libcrypto with AES-256-GCM.
  case unavailable
  /// The place has no row, or one whose key is NULL.
  case noRow
  /// The type's own code can't encode the value, or it is too large.
  case unencodable(type: String)
  /// What is stored isn't an encrypted value.
  case notEncrypted
  /// The value has a format that this version of Coffer doesn't know.
  case unknownFormat(version: Int)
  /// The value was sealed with another key, which has this identifier.
  case wrongKey(keyID: String)
  /// The value was sealed for another place: another table, column or row.
  case moved
  /// The value's bytes were changed.
  case damaged
  /// The value was opened, and isn't one of this type.
  case otherType(type: String)
}

extension EncryptedValueError: CustomStringConvertible, LocalizedError {
  /// A description of the problem and its remedy.
  public var description: String {
    switch self {
    case .passphraseGiven:
      "A passphrase can't encrypt values: it would have to be derived slowly, with a salt that is "
        + "stored somewhere. Use a raw key: .random(), stored in a key file, or .raw(_:)."
    case .unavailable:
      "Values can't be encrypted: libcrypto's AES-256-GCM and HMAC can't be found in this process, "
        + "or give wrong answers. Check which libcrypto libsqlcipher is linked to."
    case .noRow:
      "An encrypted value needs the key of its row, which is missing or NULL. Give the row a key "
        + "before it is inserted, such as a UUID, or insert it without the value, and seal that in "
        + "an update."
    case .unencodable(let type):
      "The value of \(type) can't be encoded as JSON, or has more than "
        + "\(SealedBytes.largestContent) bytes."
    case .notEncrypted:
      "The stored value isn't an encrypted one. Check the column. If the value is older than the "
        + "encryption, read it with its former type and seal it."
    case .unknownFormat(let version):
      "The value has version \(version) of the format for encrypted values, and this Coffer knows "
        + "version \(SealedBytes.version). Use the version of Coffer that wrote it, or a newer one."
    case .wrongKey(let keyID):
      "The value was sealed with another key, whose keyID is \(keyID). Use that key, or add it to "
        + "the cipher's previousKeys."
    case .moved:
      "The value was sealed for another table, column or row: somebody moved or copied it, or the "
        + "table, the column or the row's key was changed. If you changed it, open the value at "
        + "its former place and seal it for the new one."
    case .damaged:
      "The value's key and place are right, but its bytes were changed. Restore it from a backup."
    case .otherType(let type):
      "The value was opened, but it can't be decoded as \(type). Use the type with which it was "
        + "sealed, or one that decodes the same JSON."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
