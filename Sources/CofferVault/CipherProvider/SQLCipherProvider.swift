import CofferSQLite

/// SQLCipher's table of cryptographic functions, `sqlcipher_provider`.
///
/// No installed header declares it, and versions lay it out in different ways: see ``Layout``. What
/// follows the first two functions is the same in each layout that Coffer knows.
@unsafe struct SQLCipherProvider: Sendable {
  /// The data that a provider keeps for one encrypted file of a connection.
  typealias Context = UnsafeMutableRawPointer
  typealias Bytes = UnsafePointer<UInt8>
  typealias MutableBytes = UnsafeMutablePointer<UInt8>

  typealias Status = @convention(c) @Sendable (Context?) -> CInt
  typealias Text = @convention(c) @Sendable (Context?) -> UnsafePointer<CChar>?
  typealias AddRandom = @convention(c) @Sendable (Context?, UnsafeRawPointer?, CInt) -> CInt
  typealias Random = @convention(c) @Sendable (Context?, UnsafeMutableRawPointer?, CInt) -> CInt
  typealias HMAC =
    @convention(c) @Sendable (
      Context?, _ algorithm: CInt, _ key: Bytes?, CInt, _ input: Bytes?, CInt, _ more: Bytes?,
      CInt, _ output: MutableBytes?
    ) -> CInt
  typealias KeyDerivation =
    @convention(c) @Sendable (
      Context?, _ algorithm: CInt, _ password: Bytes?, CInt, _ salt: MutableBytes?, CInt,
      _ iterations: CInt, CInt, _ key: MutableBytes?
    ) -> CInt
  typealias Cipher =
    @convention(c) @Sendable (
      Context?, _ mode: CInt, _ key: Bytes?, CInt, _ iv: Bytes?, _ input: Bytes?, CInt,
      _ output: MutableBytes?
    ) -> CInt
  typealias HMACSize = @convention(c) @Sendable (Context?, _ algorithm: CInt) -> CInt
  typealias ContextChange = @convention(c) @Sendable (UnsafeMutablePointer<Context?>?) -> CInt

  /// How a version of SQLCipher lays out a table, and how long it uses it.
  enum Layout {
    /// Versions 4.4.0 to 4.6.1. Each key copies the registered table, which SQLCipher owns.
    ///
    /// <https://github.com/sqlcipher/sqlcipher/blob/v4.6.1/src/sqlcipher.h>
    case copied
    /// Version 4.3.0. The same with two functions more at the end, which stay SQLCipher's.
    ///
    /// <https://github.com/sqlcipher/sqlcipher/blob/v4.3.0/src/crypto.h>
    case tailed
    /// Version 4.7.0 and later. The first two functions are for the process, and null in
    /// SQLCipher's table. A word more lists the tables. Each key refers to the registered table.
    ///
    /// <https://github.com/sqlcipher/sqlcipher/blob/v4.7.0/src/sqlcipher.h>
    case listed
  }

  /// For each encrypted file in ``Layout/copied``, and null in ``Layout/listed``.
  var activate: Status?
  var deactivate: Status?
  var name: Text
  var addRandom: AddRandom
  var random: Random
  var hmac: HMAC
  var deriveKey: KeyDerivation
  var cipher: Cipher
  var cipherName: Text
  var keySize: Status
  var ivSize: Status
  var blockSize: Status
  var hmacSize: HMACSize
  var makeContext: ContextChange
  var freeContext: ContextChange
  var isFIPS: Status
  var version: Text
}
