import CofferVault
import Synchronization

/// A key for values, and the keys derived from it.
final class ValueKey: Sendable {
  /// Which key it is: derived from the key, and not secret.
  let id: [UInt8]
  let encryption: SecureBytes
  private let placeKey: SecureBytes
  private let source: SecureBytes
  private let crypto: LibCrypto
  /// The keys of indexes that were used, by their names.
  private let indexKeys = Mutex<[String: SecureBytes]>([:])
  /// More names than a program writes down: each key takes a page of locked memory.
  private static let mostIndexKeys = 64

  init(_ key: DatabaseKey) throws(EncryptedValueError) {
    switch key.form {
    case .raw, .rawWithSalt: break
    default: throw .passphraseGiven
    }
    guard let crypto = LibCrypto.shared,
      let id = ValueKey.derive(from: key.bytes, for: "key id", crypto),
      let encryption = ValueKey.derive(from: key.bytes, for: "encryption", crypto),
      let placeKey = ValueKey.derive(from: key.bytes, for: "place", crypto)
    else { throw .unavailable }
    self.id = id.withUnsafeBytes { unsafe Array($0.prefix(SealedBytes.keyIDSize)) }
    self.encryption = encryption
    self.placeKey = placeKey
    self.crypto = crypto
    source = key.bytes
  }

  private static func derive(
    from key: SecureBytes, for purpose: String, _ crypto: LibCrypto
  ) -> SecureBytes? {
    crypto.hkdf(key, salt: [], purpose: "Coffer encrypted value 1: " + purpose)
  }

  /// Returns the bytes by which a value's place is recognized.
  func placeCheck(_ place: [UInt8]) throws(EncryptedValueError) -> [UInt8] {
    Array(try code(placeKey, place).prefix(SealedBytes.placeCheckSize))
  }

  /// Returns the keyed hash of a value, for the index with this name.
  func indexHash(_ value: [UInt8], name: String) throws(EncryptedValueError) -> [UInt8] {
    try code(indexKey(name), value)
  }

  private func indexKey(_ name: String) throws(EncryptedValueError) -> SecureBytes {
    if let known = indexKeys.withLock({ $0[name] }) { return known }
    guard let key = ValueKey.derive(from: source, for: "index " + name, crypto) else {
      throw .unavailable
    }
    indexKeys.withLock { keys in
      if keys.count < ValueKey.mostIndexKeys { keys[name] = key }
    }
    return key
  }

  /// Returns the HMAC-SHA256 of a message.
  private func code(
    _ key: SecureBytes, _ message: [UInt8]
  ) throws(EncryptedValueError) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: 64)
    let succeeded = unsafe code.withUnsafeMutableBytes { code in
      unsafe message.withUnsafeBytes { message in
        crypto.hmac(.sha256, key: key, message: message, into: code)
      }
    }
    guard succeeded else { throw .unavailable }
    return Array(code.prefix(32))
  }
}
