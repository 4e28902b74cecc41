import CofferSQLite

/// Decrypts pages with a context of libcrypto that keeps the key from page to page.
///
/// One thread at a time uses a context; it holds what is derived from the key until it is freed,
/// which wipes it.
@safe final class PageDecryptor {
  private let functions: PageCrypto
  // SAFETY: this object owns the context, and frees it.
  private let context: PageCrypto.Context

  /// Returns nil if libcrypto fails.
  ///
  /// - Precondition: The key has 32 bytes.
  init?(key: SecureBytes, crypto: LibCrypto) {
    precondition(key.count == 32)
    let functions = unsafe crypto.pages
    guard let cipher = unsafe functions.aes256CBC(), let context = unsafe functions.makeCipher()
    else { return nil }
    let started = key.withUnsafeBytes { key in
      // SAFETY: the cipher takes a key of 32 bytes.
      unsafe functions.startCipher(
        context, cipher, nil, key.assumingMemoryBound(to: UInt8.self).baseAddress, nil, 0) == 1
        && functions.setPadding(context, 0) == 1
    }
    guard started else {
      unsafe functions.freeCipher(context)
      return nil
    }
    unsafe self.functions = unsafe functions
    unsafe self.context = unsafe context
  }

  deinit { unsafe functions.freeCipher(context) }

  /// Decrypts whole blocks with AES-256-CBC where they are, without padding.
  ///
  /// - Precondition: The IV has 16 bytes, and the blocks have a multiple of that.
  /// - Returns: False if libcrypto fails, which leaves the bytes without a meaning.
  @safe func decrypt(
    _ blocks: UnsafeMutableRawBufferPointer, iv: UnsafeRawBufferPointer
  ) -> Bool {
    precondition(iv.count == 16 && blocks.count % 16 == 0)
    let bytes = unsafe blocks.assumingMemoryBound(to: UInt8.self).baseAddress
    var count: CInt = 0
    // SAFETY: without padding, EVP_CipherUpdate writes as many bytes as it reads, which may be in
    // the same place: <https://docs.openssl.org/3.0/man3/EVP_EncryptInit/>. Without a key, the
    // context goes on with its own.
    return unsafe functions.startCipher(
      context, nil, nil, nil, iv.assumingMemoryBound(to: UInt8.self).baseAddress, 0) == 1
      && functions.updateCipher(context, bytes, &count, bytes, CInt(blocks.count)) == 1
      && Int(count) == blocks.count
  }
}
