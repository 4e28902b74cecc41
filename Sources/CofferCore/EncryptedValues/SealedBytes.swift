import CofferVault
import FoundationEssentials

/// The bytes of an encrypted value: see `Docs/Format.md`, "Encrypted values".
struct SealedBytes {
  /// What is encrypted.
  enum Content: UInt8 {
    /// A JSON list with the value as its only element.
    case json = 0
    /// The bytes of `Data`.
    case data = 1
  }

  static let magic: [UInt8] = Array("CFEV".utf8)
  static let version = 1
  static let keyIDSize = 8
  static let placeCheckSize = 8
  /// The most bytes that can be encrypted, a little less than SQLite's largest blob.
  static let largestContent = 999_999_900

  // Offsets in version 1.
  private static let keyIDOffset = 6
  private static let placeCheckOffset = keyIDOffset + keyIDSize
  private static let nonceOffset = placeCheckOffset + placeCheckSize
  private static let headerSize = nonceOffset + AuthenticatedCipher.nonceSize

  let content: Content
  let keyID: [UInt8]
  /// Tells a moved value from a damaged one.
  let placeCheck: [UInt8]
  let nonce: [UInt8]

  /// The header's bytes that are authenticated with the place.
  private var fields: [UInt8] {
    SealedBytes.magic + [UInt8(SealedBytes.version), content.rawValue] + keyID + placeCheck
  }

  var header: [UInt8] { fields + nonce }

  /// Returns the context of the encryption, for the bytes of a place.
  func context(_ place: [UInt8]) -> [UInt8] { fields + place }

  init(content: Content, keyID: [UInt8], placeCheck: [UInt8], nonce: [UInt8]) {
    self.content = content
    self.keyID = keyID
    self.placeCheck = placeCheck
    self.nonce = nonce
  }

  static func hexText(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Reads the header of an encrypted value.
  ///
  /// - Returns: The header, and the offset of the ciphertext.
  static func read(_ bytes: Data) throws(EncryptedValueError) -> (SealedBytes, offset: Int) {
    let start = Array(bytes.prefix(headerSize))
    guard start.starts(with: magic), start.count > magic.count else { throw .notEncrypted }
    let version = Int(start[magic.count])
    guard version == self.version else { throw .unknownFormat(version: version) }
    guard bytes.count >= headerSize + AuthenticatedCipher.tagSize,
      let content = Content(rawValue: start[magic.count + 1])
    else { throw .damaged }
    let header = SealedBytes(
      content: content, keyID: Array(start[keyIDOffset..<placeCheckOffset]),
      placeCheck: Array(start[placeCheckOffset..<nonceOffset]), nonce: Array(start[nonceOffset...]))
    return (header, headerSize)
  }
}
