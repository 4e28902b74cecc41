#if S3
  import FoundationEssentials
  import Glibc

  /// SHA-256 of libcrypto, which libcurl has loaded.
  ///
  /// It is looked up at run time, since the package links only libcurl, and tested on a known answer.
  @safe struct S3BodyHash: Sendable {
    private typealias Algorithm = @convention(c) @Sendable () -> OpaquePointer?
    private typealias Digest =
      @convention(c) @Sendable (
        UnsafeRawPointer?, Int, UnsafeMutableRawPointer?, UnsafeMutablePointer<CUnsignedInt>?,
        OpaquePointer?, OpaquePointer?
      ) -> CInt

    /// The process's SHA-256; nil if it is missing or returns a wrong answer.
    static let shared: S3BodyHash? = {
      let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
      guard let found = S3BodyHash(), found.hex(Data()) == empty else { return nil }
      return found
    }()

    // SAFETY: these are addresses of C functions with the signatures in OpenSSL's manual. They can be
    // called from any thread, and stay valid while libcurl, which uses them, is loaded.
    private let sha256: Algorithm
    private let digest: Digest

    private init?() {
      // SAFETY: nil is RTLD_DEFAULT; the types are those of the functions.
      guard let sha256 = unsafe dlsym(nil, "EVP_sha256"),
        let digest = unsafe dlsym(nil, "EVP_Digest")
      else { return nil }
      // SAFETY: as above.
      unsafe self.sha256 = unsafe unsafeBitCast(sha256, to: Algorithm.self)
      unsafe self.digest = unsafe unsafeBitCast(digest, to: Digest.self)
    }

    /// Returns the 64 hexadecimal digits of the SHA-256; nil if libcrypto fails.
    func hex(_ bytes: Data) -> String? {
      var result = [UInt8](repeating: 0, count: 64)
      var count: CUnsignedInt = 0
      // SAFETY: the bytes are passed with their length; no digest of libcrypto is longer than 64 bytes.
      let code = unsafe bytes.withUnsafeBytes { bytes in
        unsafe result.withUnsafeMutableBytes { result in
          unsafe digest(
            bytes.baseAddress ?? UnsafeRawPointer(result.baseAddress), bytes.count,
            result.baseAddress, &count, sha256(), nil)
        }
      }
      guard code == 1, count == 32 else { return nil }
      let digits = Array("0123456789abcdef".utf8)
      let hex = result.prefix(32).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
      return String(decoding: hex, as: UTF8.self)
    }
  }
#endif
