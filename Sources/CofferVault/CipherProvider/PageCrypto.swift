import CofferSQLite
import Glibc

/// The functions of libcrypto that encrypt and authenticate pages with kept contexts.
///
/// See <https://docs.openssl.org/3.0/man3/EVP_EncryptInit/> and
/// <https://docs.openssl.org/3.0/man3/HMAC/>.
@unsafe struct PageCrypto: Sendable {
  typealias Context = OpaquePointer
  typealias Algorithm = OpaquePointer
  typealias Find = @convention(c) @Sendable () -> Algorithm?
  typealias Make = @convention(c) @Sendable () -> Context?
  typealias Free = @convention(c) @Sendable (Context?) -> Void
  typealias Reset = @convention(c) @Sendable (Context?) -> CInt
  typealias StartCipher =
    @convention(c) @Sendable (
      Context?, Algorithm?, OpaquePointer?, _ key: UnsafePointer<UInt8>?,
      _ iv: UnsafePointer<UInt8>?, _ encrypts: CInt
    ) -> CInt
  typealias SetPadding = @convention(c) @Sendable (Context?, CInt) -> CInt
  typealias UpdateCipher =
    @convention(c) @Sendable (
      Context?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<CInt>?, UnsafePointer<UInt8>?,
      CInt
    ) -> CInt
  typealias StartHMAC =
    @convention(c) @Sendable (
      Context?, _ key: UnsafePointer<UInt8>?, CInt, Algorithm?, OpaquePointer?
    ) -> CInt
  typealias UpdateHMAC = @convention(c) @Sendable (Context?, UnsafePointer<UInt8>?, Int) -> CInt
  typealias FinishHMAC =
    @convention(c) @Sendable (
      Context?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<CUnsignedInt>?
    ) -> CInt

  let makeCipher: Make
  let resetCipher: Reset
  let freeCipher: Free
  let startCipher: StartCipher
  let setPadding: SetPadding
  let updateCipher: UpdateCipher
  let makeHMAC: Make
  let resetHMAC: Reset
  let freeHMAC: Free
  let startHMAC: StartHMAC
  let updateHMAC: UpdateHMAC
  let finishHMAC: FinishHMAC

  let aes256CBC: Find
  let sha1: Find
  let sha256: Find
  let sha512: Find

  /// Nil if a function is missing.
  init?() {
    guard
      let makeCipher = unsafe LibCrypto.find("EVP_CIPHER_CTX_new", as: Make.self),
      let resetCipher = unsafe LibCrypto.find("EVP_CIPHER_CTX_reset", as: Reset.self),
      let freeCipher = unsafe LibCrypto.find("EVP_CIPHER_CTX_free", as: Free.self),
      let startCipher = unsafe LibCrypto.find("EVP_CipherInit_ex", as: StartCipher.self),
      let setPadding = unsafe LibCrypto.find("EVP_CIPHER_CTX_set_padding", as: SetPadding.self),
      let updateCipher = unsafe LibCrypto.find("EVP_CipherUpdate", as: UpdateCipher.self),
      let makeHMAC = unsafe LibCrypto.find("HMAC_CTX_new", as: Make.self),
      let resetHMAC = unsafe LibCrypto.find("HMAC_CTX_reset", as: Reset.self),
      let freeHMAC = unsafe LibCrypto.find("HMAC_CTX_free", as: Free.self),
      let startHMAC = unsafe LibCrypto.find("HMAC_Init_ex", as: StartHMAC.self),
      let updateHMAC = unsafe LibCrypto.find("HMAC_Update", as: UpdateHMAC.self),
      let finishHMAC = unsafe LibCrypto.find("HMAC_Final", as: FinishHMAC.self),
      let aes256CBC = unsafe LibCrypto.find("EVP_aes_256_cbc", as: Find.self),
      let sha1 = unsafe LibCrypto.find("EVP_sha1", as: Find.self),
      let sha256 = unsafe LibCrypto.find("EVP_sha256", as: Find.self),
      let sha512 = unsafe LibCrypto.find("EVP_sha512", as: Find.self)
    else { return nil }
    unsafe self.makeCipher = makeCipher
    unsafe self.resetCipher = unsafe resetCipher
    unsafe self.freeCipher = unsafe freeCipher
    unsafe self.startCipher = unsafe startCipher
    unsafe self.setPadding = unsafe setPadding
    unsafe self.updateCipher = unsafe updateCipher
    unsafe self.makeHMAC = makeHMAC
    unsafe self.resetHMAC = unsafe resetHMAC
    unsafe self.freeHMAC = unsafe freeHMAC
    unsafe self.startHMAC = unsafe startHMAC
    unsafe self.updateHMAC = unsafe updateHMAC
    unsafe self.finishHMAC = unsafe finishHMAC
    unsafe self.aes256CBC = unsafe aes256CBC
    unsafe self.sha1 = unsafe sha1
    unsafe self.sha256 = unsafe sha256
    unsafe self.sha512 = unsafe sha512
  }

  /// Returns the hash algorithm with SQLCipher's number; nil if there is none.
  func hash(_ algorithm: CInt) -> Algorithm? {
    switch algorithm {
    case 0: unsafe sha1()
    case 1: unsafe sha256()
    case 2: unsafe sha512()
    default: nil
    }
  }
}
