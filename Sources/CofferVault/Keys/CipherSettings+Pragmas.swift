import CofferSQLite
import FoundationEssentials

/// The reason why cipher settings can't be used.
public enum CipherSettingsError: Error, Hashable, Sendable {
  /// The page size is not supported.
  ///
  /// It isn't a power of two from 512 to 65536, or is 512 where SQLCipher doesn't support it.
  case invalidPageSize(Int)
  /// The number of iterations is below one, or more than SQLCipher can count.
  case invalidIterations(Int)
  /// The header size is neither 0 nor a multiple of 16 up to 96.
  case invalidPlaintextHeaderSize(Int)
  /// The settings have a plaintext header, but the key has no salt, for which the file has no room.
  case plaintextHeaderNeedsSalt
  /// The process's SQLCipher lacks the feature.
  case unsupported(feature: String, requires: String)
}

extension CipherSettingsError: CustomStringConvertible, LocalizedError {
  /// A description of the problem and its remedy.
  public var description: String {
    switch self {
    case .invalidPageSize(512):
      "A cipher page size of 512 bytes leaves SQLite too little of each page; use 1024 or more."
    case .invalidPageSize(let size):
      "The cipher page size is \(size), but it must be a power of two from 512 to 65536."
    case .invalidIterations(let count):
      "The key derivation has \(count) iterations, but it needs 1 to \(Int32.max)."
    case .invalidPlaintextHeaderSize(let size):
      "The plaintext header has \(size) bytes, but it must have 0, or a multiple of 16 up to 96."
    case .plaintextHeaderNeedsSalt:
      "A file with a plaintext header doesn't store its salt: open it with .raw(_:salt:)."
    case .unsupported(let feature, let requires):
      "\(feature) needs \(requires). Install a newer libsqlcipher, or change the cipher settings."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}

extension CipherSettings {
  /// Throws for values that no SQLCipher accepts.
  package func validate() throws(CipherSettingsError) {
    guard (512...65536).contains(pageSize), pageSize & (pageSize - 1) == 0,
      pageSize - reservedSize >= 480  // SQLite's minimum
    else { throw .invalidPageSize(pageSize) }
    guard (1...Int(Int32.max)).contains(kdfIterations) else {
      throw .invalidIterations(kdfIterations)
    }
    // With more plaintext than that, SQLCipher would expose the schema.
    guard (0...96).contains(plaintextHeaderSize), plaintextHeaderSize % 16 == 0 else {
      throw .invalidPlaintextHeaderSize(plaintextHeaderSize)
    }
  }

  /// Throws for values that no SQLCipher accepts, and for a key that these settings don't allow.
  package func validate(with key: DatabaseKey) throws(CipherSettingsError) {
    try validate()
    if plaintextHeaderSize > 0 && key.salt == nil { throw .plaintextHeaderNeedsSalt }
  }

  /// Returns the statements to run on a connection after `sqlite3_key` and before anything else.
  ///
  /// They name every setting, including the engine's defaults, so that a `cipher_default_…` pragma
  /// run by other code of the process has no effect.
  /// - Parameter schema: The name of an attached database; nil for the main one.
  /// - Throws: ``CipherSettingsError`` for values that the engine would ignore.
  package func pragmas(
    for generation: SQLCipherGeneration = .linked, schema: String? = nil
  ) throws(CipherSettingsError) -> [String] {
    try validate()
    try checkSupport(by: generation)
    let prefix =
      schema.map {
        "\"\($0.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\"."
      } ?? ""
    var settings = ["kdf_iter = \(kdfIterations)"]
    if generation >= .four {
      settings.append("cipher_kdf_algorithm = PBKDF2_HMAC_\(kdfAlgorithm.rawValue)")
      settings.append("cipher_hmac_algorithm = HMAC_\(hmacAlgorithm.rawValue)")
    }
    settings.append("cipher_use_hmac = \(usesHMAC ? "ON" : "OFF")")
    settings.append("cipher_page_size = \(pageSize)")
    if generation >= .four {
      settings.append("cipher_plaintext_header_size = \(plaintextHeaderSize)")
    }
    return settings.map { "PRAGMA \(prefix)\($0)" }
  }

  private func checkSupport(by generation: SQLCipherGeneration) throws(CipherSettingsError) {
    func unsupported(_ feature: String) -> CipherSettingsError {
      .unsupported(feature: feature, requires: "SQLCipher 4")
    }
    switch generation {
    case .three:
      if kdfAlgorithm != .sha1 {
        throw unsupported("Key derivation with \(kdfAlgorithm.rawValue)")
      }
      if usesHMAC && hmacAlgorithm != .sha1 {
        throw unsupported("Page authentication with \(hmacAlgorithm.rawValue)")
      }
      if plaintextHeaderSize > 0 { throw unsupported("A plaintext header") }
    case .four:
      // SQLCipher 4 damages the schema of such a file when it writes it.
      if pageSize < 1024 { throw .invalidPageSize(pageSize) }
    }
  }
}
