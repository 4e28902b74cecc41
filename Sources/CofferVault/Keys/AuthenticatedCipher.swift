import CofferSQLite

/// AES-256-GCM by libcrypto: encryption that notices each changed bit.
///
/// See <https://docs.openssl.org/3.0/man3/EVP_EncryptInit/>.
@safe package struct AuthenticatedCipher: Sendable {
  /// The process's cipher; nil if libcrypto's functions are missing or give wrong answers.
  package static let shared: AuthenticatedCipher? = {
    guard let found = AuthenticatedCipher(), found.givesKnownAnswer() else { return nil }
    return found
  }()

  package static let nonceSize = 12
  package static let tagSize = 16

  private typealias Control =
    @convention(c) @Sendable (OpaquePointer?, CInt, CInt, UnsafeMutableRawPointer?) -> CInt
  private typealias Finish =
    @convention(c) @Sendable (
      OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<CInt>?
    ) -> CInt
  // SAFETY: these are addresses of C functions with the signatures in OpenSSL's manual. They can be
  // called from any thread, and stay valid while libsqlcipher, which uses libcrypto, is loaded.
  private let functions: PageCrypto
  private let aes256GCM: PageCrypto.Find
  private let control: Control
  private let finish: Finish

  // EVP_CTRL_AEAD_GET_TAG and EVP_CTRL_AEAD_SET_TAG.
  private static let getTag: CInt = 0x10
  private static let setTag: CInt = 0x11

  private init?() {
    guard let functions = unsafe PageCrypto(),
      let aes256GCM = unsafe LibCrypto.find("EVP_aes_256_gcm", as: PageCrypto.Find.self),
      let control = unsafe LibCrypto.find("EVP_CIPHER_CTX_ctrl", as: Control.self),
      let finish = unsafe LibCrypto.find("EVP_CipherFinal_ex", as: Finish.self)
    else { return nil }
    unsafe self.functions = unsafe functions
    unsafe self.aes256GCM = unsafe aes256GCM
    unsafe self.control = unsafe control
    unsafe self.finish = unsafe finish
  }

  /// Encrypts, and returns the ciphertext and its tag of 16 bytes; nil if libcrypto fails.
  ///
  /// - Parameters:
  ///   - nonce: 12 bytes, never used twice with the same key.
  ///   - context: Bytes that aren't encrypted, and without which the result doesn't open.
  /// - Precondition: The key has 32 bytes, the nonce 12; there is less than 2 GiB of each.
  @safe package func seal(
    _ plaintext: UnsafeRawBufferPointer, key: SecureBytes, nonce: [UInt8], context: [UInt8]
  ) -> [UInt8]? {
    var sealed = [UInt8](repeating: 0, count: plaintext.count + Self.tagSize)
    let succeeded = unsafe sealed.withUnsafeMutableBytes { sealed in
      let tag = unsafe UnsafeMutableRawBufferPointer(rebasing: sealed[plaintext.count...])
      return run(
        encrypts: true, plaintext, into: sealed, key: key, nonce: nonce, context: context, tag: tag)
    }
    return succeeded ? sealed : nil
  }

  /// Decrypts what ``seal(_:key:nonce:context:)`` returned.
  ///
  /// - Returns: Nil if anything differs from what was sealed, or if libcrypto fails.
  @safe package func open(
    _ sealed: UnsafeRawBufferPointer, key: SecureBytes, nonce: [UInt8], context: [UInt8]
  ) -> SecureBytes? {
    let count = sealed.count - Self.tagSize
    guard count >= 0 else { return nil }
    var tag = unsafe [UInt8](sealed[count...])
    var succeeded = false
    let plaintext = SecureBytes(count: count) { target in
      let ciphertext = unsafe UnsafeRawBufferPointer(rebasing: sealed[..<count])
      succeeded = unsafe tag.withUnsafeMutableBytes { tag in
        run(
          encrypts: false, ciphertext, into: target, key: key, nonce: nonce, context: context,
          tag: tag)
      }
    }
    return succeeded ? plaintext : nil
  }

  /// - Precondition: `output` has room for the input, and `tag` has 16 bytes.
  @safe private func run(
    encrypts: Bool, _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer,
    key: SecureBytes, nonce: [UInt8], context: [UInt8], tag: UnsafeMutableRawBufferPointer
  ) -> Bool {
    precondition(key.count == 32 && nonce.count == Self.nonceSize && tag.count == Self.tagSize)
    precondition(output.count >= input.count && input.count < Int(CInt.max))
    guard let algorithm = unsafe aes256GCM(), let state = unsafe functions.makeCipher() else {
      return false
    }
    // Freeing the context wipes its key.
    defer { unsafe functions.freeCipher(state) }
    let started = key.withUnsafeBytes { key in
      unsafe nonce.withUnsafeBufferPointer { nonce in
        unsafe functions.startCipher(
          state, algorithm, nil, key.assumingMemoryBound(to: UInt8.self).baseAddress,
          nonce.baseAddress, encrypts ? 1 : 0) == 1
      }
    }
    guard started else { return false }
    // SAFETY: each address is passed with its length. GCM writes as many bytes as it reads, and
    // nothing at its end.
    var count: CInt = 0
    let isBound = unsafe context.withUnsafeBufferPointer { context in
      unsafe functions.updateCipher(
        state, nil, &count, context.baseAddress, CInt(context.count)) == 1
    }
    guard isBound || context.isEmpty else { return false }
    if input.count > 0 {
      let written = unsafe functions.updateCipher(
        state, output.assumingMemoryBound(to: UInt8.self).baseAddress, &count,
        input.assumingMemoryBound(to: UInt8.self).baseAddress, CInt(input.count))
      guard written == 1, Int(count) == input.count else { return false }
    }
    if !encrypts {
      guard unsafe control(state, Self.setTag, CInt(tag.count), tag.baseAddress) == 1 else {
        return false
      }
    }
    var last: (UInt64, UInt64) = (0, 0)
    let isDone = unsafe withUnsafeMutableBytes(of: &last) { last in
      unsafe finish(state, last.assumingMemoryBound(to: UInt8.self).baseAddress, &count) == 1
    }
    guard isDone, encrypts else { return isDone }
    return unsafe control(state, Self.getTag, CInt(tag.count), tag.baseAddress) == 1
  }

  /// Test case 16 of the GCM specification.
  private func givesKnownAnswer() -> Bool {
    let key: [UInt8] = [
      0xfe, 0xff, 0xe9, 0x92, 0x86, 0x65, 0x73, 0x1c, 0x6d, 0x6a, 0x8f, 0x94, 0x67, 0x30, 0x83,
      0x08,
    ]
    let secret = SecureBytes(copying: key + key)
    let nonce: [UInt8] = [
      0xca, 0xfe, 0xba, 0xbe, 0xfa, 0xce, 0xdb, 0xad, 0xde, 0xca, 0xf8, 0x88,
    ]
    let plaintext: [UInt8] = [
      0xd9, 0x31, 0x32, 0x25, 0xf8, 0x84, 0x06, 0xe5, 0xa5, 0x59, 0x09, 0xc5, 0xaf, 0xf5, 0x26,
      0x9a,
      0x86, 0xa7, 0xa9, 0x53, 0x15, 0x34, 0xf7, 0xda, 0x2e, 0x4c, 0x30, 0x3d, 0x8a, 0x31, 0x8a,
      0x72,
      0x1c, 0x3c, 0x0c, 0x95, 0x95, 0x68, 0x09, 0x53, 0x2f, 0xcf, 0x0e, 0x24, 0x49, 0xa6, 0xb5,
      0x25,
      0xb1, 0x6a, 0xed, 0xf5, 0xaa, 0x0d, 0xe6, 0x57, 0xba, 0x63, 0x7b, 0x39,
    ]
    let context: [UInt8] = [
      0xfe, 0xed, 0xfa, 0xce, 0xde, 0xad, 0xbe, 0xef, 0xfe, 0xed, 0xfa, 0xce, 0xde, 0xad, 0xbe,
      0xef,
      0xab, 0xad, 0xda, 0xd2,
    ]
    let tag: [UInt8] = [
      0x76, 0xfc, 0x6e, 0xce, 0x0f, 0x4e, 0x17, 0x68, 0xcd, 0xdf, 0x88, 0x53, 0xbb, 0x2d, 0x55,
      0x1b,
    ]
    let sealed = unsafe plaintext.withUnsafeBytes {
      seal($0, key: secret, nonce: nonce, context: context)
    }
    guard let sealed, sealed.suffix(16) == tag[...], sealed.starts(with: [0x52, 0x2d, 0xc1, 0xf0])
    else { return false }
    let opened = unsafe sealed.withUnsafeBytes {
      open($0, key: secret, nonce: nonce, context: context)
    }
    guard let opened, opened.isEqual(to: SecureBytes(copying: plaintext)) else { return false }
    return unsafe sealed.withUnsafeBytes { open($0, key: secret, nonce: nonce, context: []) == nil }
  }
}

extension LibCrypto {
  /// Derives a key of 32 bytes from a key by HKDF-SHA256 (RFC 5869); nil if libcrypto fails.
  ///
  /// - Parameters:
  ///   - key: Bytes that can't be guessed: a passphrase needs a slow derivation.
  ///   - purpose: What the result is for. Keys for different purposes tell nothing of each other.
  package func hkdf(_ key: SecureBytes, salt: [UInt8], purpose: String) -> SecureBytes? {
    let extracted = key.withUnsafeBytes { key in
      sha256HMAC(key: SecureBytes(copying: salt), message: key)
    }
    guard let extracted else { return nil }
    return unsafe (Array(purpose.utf8) + [1]).withUnsafeBytes {
      sha256HMAC(key: extracted, message: $0)
    }
  }

  /// Returns the HMAC-SHA256 of the message; nil if libcrypto fails.
  @safe package func sha256HMAC(
    key: SecureBytes, message: UnsafeRawBufferPointer
  ) -> SecureBytes? {
    var succeeded = false
    // An HMAC is written to a buffer of 64 bytes, the longest one's length.
    let code = SecureBytes(count: 64) { target in
      succeeded = hmac(.sha256, key: key, message: message, into: target)
    }
    return succeeded
      ? code.withUnsafeBytes {
        unsafe SecureBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<32]))
      }
      : nil
  }

  /// Returns the SHA-256 hash of the bytes; nil if libcrypto fails.
  package func sha256(_ bytes: [UInt8]) -> [UInt8]? {
    typealias Digest =
      @convention(c) @Sendable (
        UnsafeRawPointer?, Int, UnsafeMutableRawPointer?, UnsafeMutablePointer<CUnsignedInt>?,
        OpaquePointer?, OpaquePointer?
      ) -> CInt
    guard let digest = unsafe LibCrypto.find("EVP_Digest", as: Digest.self),
      let algorithm = unsafe algorithm(.sha256)
    else { return nil }
    var hash = [UInt8](repeating: 0, count: 32)
    // SAFETY: the bytes are passed with their length; a SHA-256 hash has 32.
    let result = unsafe bytes.withUnsafeBytes { bytes in
      unsafe hash.withUnsafeMutableBytes { hash in
        unsafe digest(bytes.baseAddress, bytes.count, hash.baseAddress, nil, algorithm, nil)
      }
    }
    return result == 1 ? hash : nil
  }
}
