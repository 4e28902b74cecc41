import CofferCore

/// Authenticates the objects of an archive with a key that is derived from the database's.
struct ArchiveSeal: Sendable {
  static let size = 32

  private let key: SecureBytes
  private let crypto: LibCrypto

  /// - Throws: ``DatabaseError`` if there is no libcrypto.
  init(_ derived: DerivedKey) throws {
    guard let crypto = LibCrypto.shared,
      let key = crypto.hkdf(derived.key, salt: derived.salt, purpose: "coffer archive 1")
    else {
      throw DatabaseError.archiveNeedsLibCrypto
    }
    self.key = key
    self.crypto = crypto
  }

  /// Returns the bytes with their seal at the end, without a copy of bytes that have one owner.
  func sealed(_ bytes: consuming [UInt8]) throws -> [UInt8] {
    guard let code = unsafe bytes.withUnsafeBytes({ crypto.sha256HMAC(key: key, message: $0) })
    else { throw DatabaseError(resultCode: .SQLITE_ERROR, message: "libcrypto has failed") }
    code.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    return bytes
  }

  /// Whether the bytes end with their seal.
  func isSealed(_ bytes: [UInt8]) -> Bool {
    let end = bytes.count - Self.size
    guard end >= 0 else { return false }
    return unsafe bytes.withUnsafeBytes { bytes in
      let message = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<end])
      guard let code = crypto.sha256HMAC(key: key, message: message) else { return false }
      return code.withUnsafeBytes {
        unsafe constantTimeEqual($0, UnsafeRawBufferPointer(rebasing: bytes[end...]))
      }
    }
  }
}

extension DatabaseError {
  static let archiveNeedsLibCrypto = DatabaseError(
    resultCode: .SQLITE_ERROR, message: "an archive needs the functions of libcrypto")
}
