import CofferSQLite
import Glibc

/// The contexts of one encrypted file of a connection, kept from page to page.
///
/// SQLCipher makes and frees libcrypto's contexts for each page, which takes longer than the
/// cryptography itself. With the same key as for the last page, a kept context only needs a new IV.
///
/// What must hold:
/// - A result never depends on what is kept: each call compares its key with the kept one.
/// - No key outlives SQLCipher's own: a call with another key wipes whatever holds the last one,
///   and the memory is wiped when SQLCipher frees the context, as the connection closes. Only while
///   a key is changed, both are kept.
/// - Whatever isn't expected here is left to SQLCipher's provider.
/// - Pages that were decrypted ahead are taken only with the kept keys, see ``ReadAhead``.
///
/// A context is used by one thread at a time, since SQLCipher calls it for its connection.
@unsafe struct CipherContext {
  /// What the contexts of a process have in common.
  @unsafe struct Functions {
    let stock: SQLCipherProvider
    let crypto: PageCrypto
  }

  private static let keySize: CInt = 32
  private static let blockSize: CInt = 16

  let functions: UnsafePointer<Functions>
  /// The context of SQLCipher's provider.
  var stock: UnsafeMutableRawPointer?

  /// What encrypts and decrypts pages with one key.
  @unsafe private struct KeptCipher {
    var key = KeptKey()
    var encryption: OpaquePointer?
    var decryption: OpaquePointer?
    var canEncrypt = false
    var canDecrypt = false
  }

  /// What authenticates pages with one key.
  @unsafe private struct KeptHMAC {
    var key = KeptKey()
    var algorithm: CInt = -1
    var context: OpaquePointer?
  }

  private var ivs = PageIVs()
  private var cipher = unsafe KeptCipher()
  private var hmac = unsafe KeptHMAC()
  // Those of the key before, while the file gets another one.
  private var otherCipher = unsafe KeptCipher()
  private var otherHMAC = unsafe KeptHMAC()
  private var hasOtherKey = false

  /// The pages that are decrypted ahead; nil for none.
  private var readAhead: Unmanaged<ReadAhead>?

  init(_ functions: UnsafePointer<Functions>) { unsafe self.functions = unsafe functions }

  /// Frees and wipes all that is kept.
  mutating func free() {
    let crypto = unsafe functions.pointee.crypto
    unsafe ivs.free()
    unsafe crypto.freeCipher(cipher.encryption)
    unsafe crypto.freeCipher(cipher.decryption)
    unsafe crypto.freeHMAC(hmac.context)
    unsafe crypto.freeCipher(otherCipher.encryption)
    unsafe crypto.freeCipher(otherCipher.decryption)
    unsafe crypto.freeHMAC(otherHMAC.context)
    unsafe (cipher, otherCipher) = unsafe (KeptCipher(), KeptCipher())
    unsafe (hmac, otherHMAC) = unsafe (KeptHMAC(), KeptHMAC())
    unsafe setReadAhead(nil)
  }

  /// Sets who decrypts pages ahead; the former one ends.
  mutating func setReadAhead(_ new: ReadAhead?) {
    if let former = unsafe readAhead?.takeRetainedValue() { former.close() }
    unsafe readAhead = unsafe new.map { unsafe Unmanaged.passRetained($0) }
  }

  // MARK: Pages

  /// Writes random bytes for a page.
  ///
  /// - Returns: SQLite's OK; nil for SQLCipher's provider to do it.
  @inline(__always)
  mutating func random(_ output: UnsafeMutableRawPointer?, _ count: CInt) -> CInt? {
    guard let output = unsafe output, count == CInt(PageIVs.size), unsafe ivs.takeNext(output)
    else { return nil }
    return SQLite.ok
  }

  /// Encrypts or decrypts whole blocks with AES-256-CBC.
  ///
  /// - Returns: SQLite's OK or ERROR; nil for SQLCipher's provider to do it.
  @inline(__always)
  mutating func crypt(
    _ mode: CInt, _ key: UnsafePointer<UInt8>?, _ keySize: CInt, _ iv: UnsafePointer<UInt8>?,
    _ input: UnsafePointer<UInt8>?, _ count: CInt, _ output: UnsafeMutablePointer<UInt8>?
  ) -> CInt? {
    guard unsafe keySize == CipherContext.keySize, let key = unsafe key, unsafe iv != nil,
      unsafe input != nil, unsafe output != nil, count > 0,
      unsafe count % CipherContext.blockSize == 0, mode == 0 || mode == 1
    else { return nil }
    let wanted = unsafe KeptKey(key)
    if unsafe hasOtherKey { unsafe forgetOtherKey() }
    if unsafe !cipher.key.isSame(as: wanted) { unsafe usePageKey(wanted) }
    guard let readAhead = unsafe readAhead else {
      return unsafe cryptNow(mode, key, iv!, input!, count, output!)
    }
    // SAFETY: the context has retained it.
    return unsafe readAhead._withUnsafeGuaranteedRef { readAhead in
      if mode == 1 {
        if unsafe readAhead.encrypt(
          ReadAheadWindow.Keys(page: wanted, hmac: hmac.key), input!, count, iv!, output!)
        {
          return SQLite.ok
        }
        return unsafe cryptNow(mode, key, iv!, input!, count, output!)
      }
      var code = SQLite.ok
      if unsafe !readAhead.decrypt(wanted, input!, count, iv!, output!) {
        guard let result = unsafe cryptNow(mode, key, iv!, input!, count, output!) else {
          return nil
        }
        code = result
      }
      if code == SQLite.ok, unsafe readAhead.note(input!, output!, count) {
        unsafe readAhead.begin(with: ReadAheadWindow.Keys(page: wanted, hmac: hmac.key))
      }
      return code
    }
  }

  @inline(__always)
  private mutating func cryptNow(
    _ mode: CInt, _ key: UnsafePointer<UInt8>, _ iv: UnsafePointer<UInt8>,
    _ input: UnsafePointer<UInt8>, _ count: CInt, _ output: UnsafeMutablePointer<UInt8>
  ) -> CInt? {
    let context =
      unsafe mode == 1
      ? CipherContext.started(
        &cipher.encryption, &cipher.canEncrypt, functions, mode, key, iv)
      : CipherContext.started(
        &cipher.decryption, &cipher.canDecrypt, functions, mode, key, iv)
    guard let context = unsafe context else {
      unsafe forgetPageKey()
      return nil
    }
    var written: CInt = 0
    // SAFETY: SQLCipher passes `count` bytes of input and room for as many, the same or others.
    // Without padding, whole blocks result in as many bytes.
    let code = unsafe functions.pointee.crypto.updateCipher(
      context, output, &written, input, count)
    guard code == 1, written == count else {
      unsafe forgetPageKey()
      return SQLite.error
    }
    return SQLite.ok
  }

  /// Returns a context that is ready for a page with this IV; nil if libcrypto fails.
  @inline(__always)
  private static func started(
    _ context: inout OpaquePointer?, _ isReady: inout Bool, _ functions: UnsafePointer<Functions>,
    _ mode: CInt, _ key: UnsafePointer<UInt8>, _ iv: UnsafePointer<UInt8>?
  ) -> OpaquePointer? {
    if isReady {
      guard unsafe functions.pointee.crypto.startCipher(context, nil, nil, nil, iv, mode) == 1
      else {
        return nil
      }
      return unsafe context
    }
    if unsafe context == nil { unsafe context = functions.pointee.crypto.makeCipher() }
    let aes = unsafe functions.pointee.crypto.aes256CBC()
    guard unsafe context != nil,
      unsafe functions.pointee.crypto.startCipher(context, aes, nil, key, iv, mode) == 1,
      unsafe functions.pointee.crypto.setPadding(context, 0) == 1
    else { return nil }
    isReady = true
    return unsafe context
  }

  /// Takes what is kept for a key, or wipes whatever holds the last one.
  private mutating func usePageKey(_ key: KeptKey) {
    guard unsafe keepsOtherKey, unsafe cipher.key.isSet else {
      return unsafe forgetPageKey(for: key)
    }
    unsafe swap(&cipher, &otherCipher)
    unsafe hasOtherKey = true
    if unsafe !cipher.key.isSame(as: key) {
      unsafe CipherContext.reset(&cipher, for: key, functions)
    }
  }

  /// Wipes whatever holds the last page key.
  private mutating func forgetPageKey(for nextKey: KeptKey = KeptKey()) {
    unsafe readAhead?.takeUnretainedValue().stop()
    unsafe CipherContext.reset(&cipher, for: nextKey, functions)
  }

  private static func reset(
    _ cipher: inout KeptCipher, for key: KeptKey, _ functions: UnsafePointer<Functions>
  ) {
    let crypto = unsafe functions.pointee.crypto
    unsafe cipher.key = key
    unsafe (cipher.canEncrypt, cipher.canDecrypt) = (false, false)
    if unsafe cipher.encryption != nil { _ = unsafe crypto.resetCipher(cipher.encryption) }
    if unsafe cipher.decryption != nil { _ = unsafe crypto.resetCipher(cipher.decryption) }
  }

  /// Whether the file is getting another key.
  private var keepsOtherKey: Bool {
    guard let readAhead = unsafe readAhead else { return false }
    return unsafe readAhead._withUnsafeGuaranteedRef { $0.readsInOrder }
  }

  /// Wipes whatever holds the key before, once the file has another one.
  private mutating func forgetOtherKey() {
    guard unsafe !keepsOtherKey else { return }
    unsafe hasOtherKey = false
    unsafe CipherContext.reset(&otherCipher, for: KeptKey(), functions)
    unsafe CipherContext.reset(&otherHMAC, functions)
  }

  // MARK: Codes

  /// Writes the HMAC of two inputs.
  ///
  /// - Returns: SQLite's OK or ERROR; nil for SQLCipher's provider to do it.
  @inline(__always)
  mutating func authenticate(
    _ algorithm: CInt, _ key: UnsafePointer<UInt8>?, _ keySize: CInt,
    _ input: UnsafePointer<UInt8>?, _ count: CInt, _ more: UnsafePointer<UInt8>?,
    _ moreCount: CInt, _ output: UnsafeMutablePointer<UInt8>?
  ) -> CInt? {
    guard unsafe keySize == CipherContext.keySize, let key = unsafe key, unsafe input != nil,
      count >= 0,
      unsafe more == nil || moreCount >= 0, unsafe output != nil
    else { return nil }
    let wanted = unsafe KeptKey(key)
    if unsafe hasOtherKey { unsafe forgetOtherKey() }
    if unsafe !hmac.key.isSame(as: wanted) || hmac.algorithm != algorithm {
      unsafe useHMACKey(wanted, algorithm)
    }
    if unsafe hmac.key.isSame(as: wanted) {
      // Pages are authenticated with their number.
      if let readAhead = unsafe readAhead, moreCount == 4, let more = unsafe more,
        // SAFETY: the context has retained it.
        unsafe readAhead._withUnsafeGuaranteedRef({
          unsafe $0.authenticate(algorithm, wanted, input!, count, more, output!)
        })
      {
        return SQLite.ok
      }
      guard unsafe functions.pointee.crypto.startHMAC(hmac.context, nil, 0, nil, nil) == 1 else {
        unsafe forgetHMACKey()
        return nil
      }
    } else {
      guard let hash = unsafe functions.pointee.crypto.hash(algorithm) else { return nil }
      if unsafe hmac.context == nil {
        unsafe hmac.context = functions.pointee.crypto.makeHMAC()
      }
      guard unsafe hmac.context != nil,
        unsafe functions.pointee.crypto.startHMAC(hmac.context, key, keySize, hash, nil) == 1
      else { return nil }
      unsafe hmac.key = wanted
      unsafe hmac.algorithm = algorithm
    }
    let context = unsafe hmac.context
    var length: CUnsignedInt = 0
    // SAFETY: SQLCipher passes inputs with their lengths, and room for the code of the algorithm.
    guard unsafe functions.pointee.crypto.updateHMAC(context, input, Int(count)) == 1,
      unsafe more == nil
        || functions.pointee.crypto.updateHMAC(context, more, Int(moreCount)) == 1,
      unsafe functions.pointee.crypto.finishHMAC(context, output, &length) == 1
    else {
      unsafe forgetHMACKey()
      return SQLite.error
    }
    return SQLite.ok
  }

  /// Takes what is kept for a key, or wipes whatever holds the last one.
  private mutating func useHMACKey(_ key: KeptKey, _ algorithm: CInt) {
    guard unsafe keepsOtherKey, unsafe hmac.key.isSet else { return unsafe forgetHMACKey() }
    unsafe swap(&hmac, &otherHMAC)
    unsafe hasOtherKey = true
    if unsafe !hmac.key.isSame(as: key) || hmac.algorithm != algorithm {
      unsafe CipherContext.reset(&hmac, functions)
    }
  }

  /// Wipes whatever holds the last HMAC key.
  private mutating func forgetHMACKey() {
    unsafe readAhead?.takeUnretainedValue().stop()
    unsafe CipherContext.reset(&hmac, functions)
  }

  private static func reset(_ hmac: inout KeptHMAC, _ functions: UnsafePointer<Functions>) {
    unsafe hmac.key = KeptKey()
    unsafe hmac.algorithm = -1
    if unsafe hmac.context != nil {
      _ = unsafe functions.pointee.crypto.resetHMAC(hmac.context)
    }
  }
}

/// A key of 32 bytes.
struct KeptKey {
  private(set) var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
  private(set) var isSet = false

  // SAFETY: the caller passes the address of 32 bytes.
  @inline(__always)
  init(_ bytes: UnsafePointer<UInt8>) {
    let raw = unsafe UnsafeRawPointer(bytes)
    words = unsafe (
      raw.loadUnaligned(as: UInt64.self),
      raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
      raw.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
      raw.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
    )
    isSet = true
  }

  init() {}

  @inline(__always)
  func isSame(as other: KeptKey) -> Bool { isSet && words == other.words }
}
