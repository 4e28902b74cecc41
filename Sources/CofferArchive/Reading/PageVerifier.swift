import CofferCore

/// Verifies pages of an archive on any thread.
struct PageVerifier: Sendable {
  private let settings: CipherSettings
  private let hmacKey: SecureBytes
  private let crypto: LibCrypto

  /// - Throws: ``DatabaseError`` if there is no libcrypto.
  init(key: DerivedKey, settings: CipherSettings) throws {
    guard let crypto = LibCrypto.shared, let hmacKey = key.hmacKey(settings, crypto: crypto) else {
      throw DatabaseError.archiveNeedsLibCrypto
    }
    (self.settings, self.hmacKey, self.crypto) = (settings, hmacKey, crypto)
  }

  /// A page that isn't authentic.
  struct DamagedPage: Sendable {
    let number: Int
    /// Where its frame begins.
    let index: Int
  }

  /// Returns the pages that aren't authentic; none without HMAC.
  ///
  /// - Parameter frames: Each a page's number, of 4 bytes, and the page as it is stored.
  func damagedPages(in frames: ArraySlice<UInt8>) throws -> [DamagedPage] {
    guard settings.usesHMAC else { return [] }
    guard
      let authenticator = PageAuthenticator(key: hmacKey, settings: settings, crypto: crypto)
    else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
    let size = settings.pageSize + 4
    precondition(frames.count % size == 0)
    return unsafe frames.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: size).compactMap { start in
        let number = frames.littleEndian32(at: frames.startIndex + start)
        let page = unsafe UnsafeRawBufferPointer(rebasing: bytes[(start + 4)..<(start + size)])
        return authenticator.isAuthentic(page, number: number)
          ? nil : DamagedPage(number: number, index: frames.startIndex + start)
      }
    }
  }
}
