import CofferSQLite

/// Verifies pages with a context of libcrypto that keeps the key from page to page.
///
/// To set up an HMAC for each page takes longer than to compute it. One thread at a time uses a
/// context; it holds what is derived from the key until it is freed, which wipes it.
@safe package final class PageAuthenticator {
  private let settings: CipherSettings
  private let functions: PageCrypto
  // SAFETY: this object owns the context, and frees it.
  private let context: PageCrypto.Context

  /// Returns nil if libcrypto fails.
  package init?(key: SecureBytes, settings: CipherSettings, crypto: LibCrypto) {
    let functions = unsafe crypto.pages
    guard let algorithm = unsafe crypto.algorithm(settings.hmacAlgorithm),
      let context = unsafe functions.makeHMAC()
    else { return nil }
    let started = key.withUnsafeBytes { key in
      // SAFETY: the address is passed with its length.
      unsafe functions.startHMAC(
        context, key.assumingMemoryBound(to: UInt8.self).baseAddress, CInt(key.count), algorithm,
        nil) == 1
    }
    guard started else {
      unsafe functions.freeHMAC(context)
      return nil
    }
    self.settings = settings
    unsafe self.functions = unsafe functions
    unsafe self.context = unsafe context
  }

  deinit { unsafe functions.freeHMAC(context) }

  /// Whether the page, numbered from 1, is authentic.
  ///
  /// A page consists of the ciphertext, the IV of 16 bytes, the HMAC and padding. The HMAC covers
  /// the ciphertext, the IV, and the page number as four bytes, lowest first. On page 1, the bytes
  /// before the ciphertext aren't covered.
  @safe package func isAuthentic(_ page: UnsafeRawBufferPointer, number: Int) -> Bool {
    precondition(page.count == settings.pageSize)
    let start = number == 1 ? settings.firstCiphertextOffset : 0
    let end = page.count - settings.reservedSize + 16
    let stored = unsafe UnsafeRawBufferPointer(rebasing: page[end..<(end + settings.hmacSize)])
    return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { code in
      var tail = UInt32(truncatingIfNeeded: number).littleEndian
      var count: CUnsignedInt = 0
      // SAFETY: each address is passed with its length; no HMAC is longer than 64 bytes. Without a
      // key, HMAC_Init_ex begins anew with the last one.
      let succeeded = unsafe withUnsafeBytes(of: &tail) { tail in
        unsafe functions.startHMAC(context, nil, 0, nil, nil) == 1
          && functions.updateHMAC(
            context, page[start..<end].assumingMemoryBound(to: UInt8.self).baseAddress, end - start)
            == 1
          && functions.updateHMAC(
            context, tail.assumingMemoryBound(to: UInt8.self).baseAddress, tail.count) == 1
          && functions.finishHMAC(context, code.baseAddress, &count) == 1
      }
      guard succeeded, Int(count) == stored.count else { return false }
      return unsafe constantTimeEqual(
        stored, UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(code)[..<stored.count]))
    }
  }
}
