import CofferSQLite
import Glibc

/// Functions of the libcrypto that libsqlcipher has loaded.
///
/// They are looked up at run time, since the package links only libsqlcipher, and tested on known
/// answers before use.
@safe package struct LibCrypto: Sendable {
  /// The process's libcrypto; nil if its functions are missing or return wrong answers.
  package static let shared: LibCrypto? = {
    guard let found = LibCrypto(), found.givesKnownAnswers() else { return nil }
    return found
  }()

  typealias Algorithm = PageCrypto.Algorithm
  private typealias PBKDF2 =
    @convention(c) @Sendable (
      UnsafeRawPointer?, CInt, UnsafeRawPointer?, CInt, CInt, Algorithm, CInt,
      UnsafeMutableRawPointer?
    ) -> CInt
  private typealias HMAC =
    @convention(c) @Sendable (
      Algorithm, UnsafeRawPointer?, CInt, UnsafeRawPointer?, Int, UnsafeMutableRawPointer?,
      UnsafeMutablePointer<CUnsignedInt>?
    ) -> UnsafeMutableRawPointer?
  // SAFETY: these are addresses of C functions with the signatures in OpenSSL's manual. They can be
  // called from any thread, and stay valid while libsqlcipher, which uses them, is loaded.
  private let pbkdf2: PBKDF2
  private let hmac: HMAC
  let pages: PageCrypto

  /// Returns a C function that the process has loaded; nil if it is missing.
  ///
  // SAFETY: nil is RTLD_DEFAULT; each call names the C type of its function.
  @unsafe static func find<Function>(_ name: String, as type: Function.Type) -> Function? {
    unsafe dlsym(nil, name).map { unsafe unsafeBitCast($0, to: type) }
  }

  /// Returns a function that only newer versions of libcrypto have.
  ///
  /// A process can have a second libcrypto inside of another library. They must not be mixed: the
  /// functions of one call some of the other, whose objects are laid out otherwise.
  @unsafe static func findNewer<Function>(_ name: String, as type: Function.Type) -> Function? {
    let function = unsafe UInt(bitPattern: dlsym(nil, name))
    let older = unsafe UInt(bitPattern: dlsym(nil, "EVP_CipherInit_ex"))
    guard let place = library(of: function), place == library(of: older) else { return nil }
    return unsafe find(name, as: type)
  }

  /// Returns the address at which the library begins that has a function; nil if none has.
  static func library(of function: UInt) -> UInt? {
    typealias Locate = @convention(c) (UnsafeRawPointer?, UnsafeMutableRawPointer?) -> CInt
    guard let locate = unsafe find("dladdr", as: Locate.self) else { return nil }
    // SAFETY: `dladdr` takes any address, and fills a structure of four words, the second of which
    // is where the library begins: <https://man7.org/linux/man-pages/man3/dladdr.3.html>.
    var info = [UInt](repeating: 0, count: 4)
    let code = unsafe info.withUnsafeMutableBytes { info in
      unsafe locate(UnsafeRawPointer(bitPattern: function), info.baseAddress)
    }
    return code == 0 ? nil : info[1]
  }

  /// The library's name, version and date; nil if there is none.
  static let version: String? = {
    typealias Version = @convention(c) @Sendable (CInt) -> UnsafePointer<CChar>?
    let text = unsafe find("OpenSSL_version", as: Version.self)?(0)
    return unsafe text.map { unsafe String(cString: $0) }
  }()

  private init?() {
    guard
      let pbkdf2 = unsafe LibCrypto.find("PKCS5_PBKDF2_HMAC", as: PBKDF2.self),
      let hmac = unsafe LibCrypto.find("HMAC", as: HMAC.self), let pages = unsafe PageCrypto()
    else { return nil }
    unsafe self.pbkdf2 = unsafe pbkdf2
    unsafe self.hmac = unsafe hmac
    unsafe self.pages = unsafe pages
  }

  @unsafe func algorithm(_ hash: CipherSettings.Hash) -> Algorithm? {
    switch hash {
    case .sha1: unsafe pages.sha1()
    case .sha256: unsafe pages.sha256()
    case .sha512: unsafe pages.sha512()
    }
  }

  /// Derives bytes from a password with PBKDF2, into secure memory; nil if libcrypto fails.
  ///
  /// - Precondition: Neither the password nor the salt is longer than 2 GiB.
  func pbkdf2(
    _ hash: CipherSettings.Hash, password: SecureBytes, salt: [UInt8], iterations: Int,
    byteCount: Int = 32
  ) -> SecureBytes? {
    guard let algorithm = unsafe algorithm(hash) else { return nil }
    var succeeded = false
    let derived = SecureBytes(count: byteCount) { target in
      password.withUnsafeBytes { password in
        unsafe salt.withUnsafeBytes { salt in
          // SAFETY: each address is passed with its length, and outlives the call.
          succeeded =
            unsafe pbkdf2(
              password.baseAddress, CInt(password.count), salt.baseAddress, CInt(salt.count),
              CInt(iterations), algorithm, CInt(byteCount), target.baseAddress) == 1
        }
      }
    }
    return succeeded ? derived : nil
  }

  /// Writes the HMAC of `message` to the beginning of `target`; returns false if libcrypto fails.
  ///
  /// - Precondition: `target` has room for 64 bytes.
  @safe package func hmac(
    _ hash: CipherSettings.Hash, key: SecureBytes, message: UnsafeRawBufferPointer,
    into target: UnsafeMutableRawBufferPointer
  ) -> Bool {
    precondition(target.count >= 64)
    guard let algorithm = unsafe algorithm(hash) else { return false }
    return key.withUnsafeBytes { key in
      var count: CUnsignedInt = 0
      // SAFETY: each address is passed with its length; no HMAC is longer than 64 bytes.
      let result = unsafe hmac(
        algorithm, key.baseAddress, CInt(key.count), message.baseAddress, message.count,
        target.baseAddress, &count)
      return unsafe result != nil && Int(count) == hash.byteCount
    }
  }

  /// Decrypts whole blocks with AES-256-CBC, without padding; nil if libcrypto fails.
  ///
  /// - Precondition: The key has 32 bytes, the IV 16, and the ciphertext a multiple of 16.
  @safe func decryptAES256CBC(
    _ ciphertext: UnsafeRawBufferPointer, key: SecureBytes, iv: UnsafeRawBufferPointer
  ) -> [UInt8]? {
    var bytes = unsafe Array(ciphertext)
    guard let decryptor = PageDecryptor(key: key, crypto: self),
      unsafe bytes.withUnsafeMutableBytes({ decryptor.decrypt($0, iv: iv) })
    else { return nil }
    return bytes
  }

  /// Tests each function, since another library of the process can export the same names.
  private func givesKnownAnswers() -> Bool {
    let key = SecureBytes(copying: [UInt8](0..<32))
    let expected: [(CipherSettings.Hash, [UInt8])] = [
      (.sha1, [0x4a, 0xdf, 0x69, 0x01, 0x98, 0x58, 0x47, 0x72]),
      (.sha256, [0x96, 0x80, 0x3d, 0x29, 0xc9, 0x12, 0xd1, 0x54]),
      (.sha512, [0xd7, 0x9d, 0xbd, 0x99, 0x33, 0xd9, 0x18, 0xbe]),
    ]
    for (hash, bytes) in expected {
      let salt = [UInt8](0..<16)
      guard let derived = pbkdf2(hash, password: key, salt: salt, iterations: 2, byteCount: 8),
        derived.isEqual(to: SecureBytes(copying: bytes))
      else { return false }
    }
    var code = [UInt8](repeating: 0, count: 64)
    let authenticated = unsafe code.withUnsafeMutableBytes { code in
      unsafe [UInt8](0..<16).withUnsafeBytes { hmac(.sha256, key: key, message: $0, into: code) }
    }
    guard authenticated, code.starts(with: [0xd8, 0xb9, 0x9f, 0x27, 0x09, 0xa3, 0xca, 0x74]) else {
      return false
    }
    let block: [UInt8] = [
      0x29, 0xed, 0x65, 0x0a, 0x02, 0x8d, 0x16, 0x02, 0xb4, 0x2b, 0xb1, 0xf2, 0xd5, 0x91, 0xed,
      0xbc,
    ]
    let plaintext = unsafe block.withUnsafeBytes { block in
      unsafe [UInt8](0..<16).withUnsafeBytes { decryptAES256CBC(block, key: key, iv: $0) }
    }
    return plaintext == [UInt8](repeating: 0x5a, count: 16)
  }
}
