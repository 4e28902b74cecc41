#if S3
  import CofferCore
  import FoundationEssentials

  /// SHA-256 of requests' bodies.
  struct S3BodyHash: Sendable {
    /// Nil without the functions of libcrypto, which an archive's seals need, too.
    static let shared = LibCrypto.shared.map { S3BodyHash(crypto: $0) }

    private let crypto: LibCrypto

    /// Returns the 64 hexadecimal digits of the SHA-256; nil if libcrypto fails.
    func hex(_ bytes: Data) -> String? {
      let digits = Array("0123456789abcdef".utf8)
      return crypto.sha256(Array(bytes)).map { hash in
        String(
          decoding: hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
      }
    }
  }
#endif
