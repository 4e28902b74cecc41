import CofferSQLite
import Glibc

/// Argon2id by the process's OpenSSL (3.2 or later), or by libargon2.
///
/// See <https://docs.openssl.org/3.2/man7/EVP_KDF-ARGON2/> and
/// <https://github.com/P-H-C/phc-winner-argon2>.
@safe struct Argon2: Sendable {
  /// Nil if neither library is there, or gives the known answer.
  static let shared: Argon2? = [Argon2(OpenSSL.self), Argon2(LibArgon2.self)]
    .lazy.compactMap(\.self).first { $0.givesKnownAnswer() }

  /// Fills the key; returns whether it could.
  typealias Derive =
    @Sendable (
      _ password: UnsafeRawBufferPointer, _ salt: UnsafeRawBufferPointer, _ memory: Int,
      _ passes: Int, _ key: UnsafeMutableRawBufferPointer
    ) -> Bool

  private let derive: Derive

  private init?(_ library: any Argon2Library.Type) {
    guard let derive = unsafe library.load() else { return nil }
    unsafe self.derive = unsafe derive
  }

  /// Derives 32 bytes with one lane; nil if memory is exhausted.
  ///
  /// - Parameter memory: In KiB.
  func derive(_ password: SecureBytes, salt: [UInt8], memory: Int, passes: Int) -> SecureBytes? {
    var succeeded = false
    let key = SecureBytes(count: 32) { key in
      succeeded = password.withUnsafeBytes { password in
        unsafe salt.withUnsafeBytes { unsafe derive(password, $0, memory, passes, key) }
      }
    }
    return succeeded ? key : nil
  }

  private func givesKnownAnswer() -> Bool {
    let expected: [UInt8] = [
      0x9d, 0xfe, 0xb9, 0x10, 0xe8, 0x0b, 0xad, 0x03, 0x11, 0xfe, 0xe2, 0x0f, 0x9c, 0x0e, 0x2b,
      0x12,
      0xc1, 0x79, 0x87, 0xb4, 0xca, 0xc9, 0x0c, 0x2e, 0xf5, 0x4d, 0x5b, 0x30, 0x21, 0xc6, 0x8b,
      0xfe,
    ]
    let password = SecureBytes(copying: Array("password".utf8))
    let key = derive(password, salt: Array("somesalt".utf8), memory: 256, passes: 2)
    return key?.isEqual(to: SecureBytes(copying: expected)) == true
  }
}

private protocol Argon2Library {
  /// Finds the functions; nil if they are missing.
  static func load() -> Argon2.Derive?
}

private enum LibArgon2: Argon2Library {
  private typealias Hash =
    @convention(c) @Sendable (
      _ passes: UInt32, _ memory: UInt32, _ lanes: UInt32, UnsafeRawPointer?, Int,
      UnsafeRawPointer?, Int, UnsafeMutableRawPointer?, Int
    ) -> CInt

  static func load() -> Argon2.Derive? {
    // SAFETY: the library is never closed. The type is that of argon2id_hash_raw in argon2.h.
    guard let library = unsafe dlopen("libargon2.so.1", RTLD_NOW | RTLD_LOCAL),
      let symbol = unsafe dlsym(library, "argon2id_hash_raw")
    else { return nil }
    let hash = unsafe unsafeBitCast(symbol, to: Hash.self)
    return { password, salt, memory, passes, key in
      unsafe hash(
        UInt32(passes), UInt32(memory), 1, password.baseAddress, password.count, salt.baseAddress,
        salt.count, key.baseAddress, key.count) == 0
    }
  }
}

private enum OpenSSL: Argon2Library {
  private typealias Fetch =
    @convention(c) @Sendable (OpaquePointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?) ->
    OpaquePointer?
  private typealias Make = @convention(c) @Sendable (OpaquePointer?) -> OpaquePointer?
  private typealias Free = @convention(c) @Sendable (OpaquePointer?) -> Void
  private typealias Run =
    @convention(c) @Sendable (
      OpaquePointer?, UnsafeMutableRawPointer?, Int, UnsafeRawPointer?
    ) -> CInt

  /// The layout of OSSL_PARAM in OpenSSL's core.h, which is part of its ABI since 3.0.
  @unsafe private struct Parameter {
    var key: UnsafePointer<CChar>?
    var type: CUnsignedInt = 0
    var data: UnsafeMutableRawPointer?
    var size = 0
    var returnedSize = Int(bitPattern: UInt.max)

    // OSSL_PARAM_UNSIGNED_INTEGER and OSSL_PARAM_OCTET_STRING.
    static let integer: CUnsignedInt = 2
    static let bytes: CUnsignedInt = 5
  }

  static func load() -> Argon2.Derive? {
    guard let fetch = unsafe LibCrypto.findNewer("EVP_KDF_fetch", as: Fetch.self),
      let make = unsafe LibCrypto.findNewer("EVP_KDF_CTX_new", as: Make.self),
      let free = unsafe LibCrypto.findNewer("EVP_KDF_CTX_free", as: Free.self),
      let run = unsafe LibCrypto.findNewer("EVP_KDF_derive", as: Run.self),
      unsafe MemoryLayout<Parameter>.size == 40,
      // The algorithm is kept for the process's life.
      let argon2 = unsafe fetch(nil, "ARGON2ID", nil)
    else { return nil }
    // SAFETY: libcrypto doesn't change an algorithm once it is fetched.
    nonisolated(unsafe) let algorithm = unsafe argon2
    return { password, salt, memory, passes, key in
      guard let context = unsafe make(algorithm) else { return false }
      defer { unsafe free(context) }
      var numbers: [UInt32] = [UInt32(passes), UInt32(memory), 1]
      // SAFETY: the names are literals; the numbers, password and salt outlive the call, which only
      // reads them.
      return unsafe numbers.withUnsafeMutableBytes { numbers in
        func integer(_ name: StaticString, _ index: Int) -> Parameter {
          unsafe Parameter(
            key: UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self),
            type: Parameter.integer, data: numbers.baseAddress.map { unsafe $0 + 4 * index },
            size: 4)
        }
        func bytes(_ name: StaticString, _ bytes: UnsafeRawBufferPointer) -> Parameter {
          unsafe Parameter(
            key: UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self),
            type: Parameter.bytes, data: UnsafeMutableRawPointer(mutating: bytes.baseAddress),
            size: bytes.count)
        }
        let parameters = unsafe [
          bytes("pass", password), bytes("salt", salt), integer("iter", 0), integer("memcost", 1),
          integer("lanes", 2), Parameter(),
        ]
        return unsafe parameters.withUnsafeBytes { parameters in
          unsafe run(context, key.baseAddress, key.count, parameters.baseAddress) == 1
        }
      }
    }
  }
}
