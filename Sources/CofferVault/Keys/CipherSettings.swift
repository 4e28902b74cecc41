import CofferSQLite

/// The encryption settings of a file, which SQLCipher doesn't store and needs at every opening.
///
/// Use ``default`` unless the file was created with other settings. A file with settings other than
/// a generation's defaults can be opened only by tools that accept such settings.
public struct CipherSettings: Hashable, Sendable {
  /// A hash algorithm.
  public enum Hash: String, Hashable, Sendable, CaseIterable {
    /// SHA-1, the only algorithm of SQLCipher 3.
    case sha1 = "SHA1"
    /// SHA-256.
    case sha256 = "SHA256"
    /// SHA-512, the default of SQLCipher 4.
    case sha512 = "SHA512"

    /// The length of a hash value, in bytes.
    var byteCount: Int {
      switch self {
      case .sha1: 20
      case .sha256: 32
      case .sha512: 64
      }
    }
  }

  /// The number of bytes in a page: a power of two from 512 to 65536.
  ///
  /// 512 works only in SQLCipher 3 without HMAC.
  public var pageSize: Int

  /// The number of PBKDF2 iterations that derive the key from a passphrase.
  ///
  /// The time to open a file is proportional to it.
  public var kdfIterations: Int

  /// The hash algorithm of the key derivation.
  public var kdfAlgorithm: Hash

  /// The hash algorithm that authenticates pages.
  public var hmacAlgorithm: Hash

  /// Whether pages are authenticated. Without authentication, a changed byte goes unnoticed.
  public var usesHMAC: Bool

  /// The number of bytes at the beginning of the file that stay in plaintext.
  ///
  /// 0, or a multiple of 16 up to 96. Other programs recognize a file with a plaintext header as an
  /// SQLite file. Such a file doesn't store its salt, and needs ``DatabaseKey/raw(_:salt:)``.
  public var plaintextHeaderSize: Int

  /// Creates settings, by default those of SQLCipher 4.
  public init(
    pageSize: Int = 4096, kdfIterations: Int = 256_000, kdfAlgorithm: Hash = .sha512,
    hmacAlgorithm: Hash = .sha512, usesHMAC: Bool = true, plaintextHeaderSize: Int = 0
  ) {
    self.pageSize = pageSize
    self.kdfIterations = kdfIterations
    self.kdfAlgorithm = kdfAlgorithm
    self.hmacAlgorithm = hmacAlgorithm
    self.usesHMAC = usesHMAC
    self.plaintextHeaderSize = plaintextHeaderSize
  }

  /// The defaults of the process's SQLCipher.
  ///
  /// They are ``sqlcipher4``, or ``sqlcipher3`` on 3.4.1. The shell of the same SQLCipher opens the
  /// file with only the key.
  public static var `default`: CipherSettings { .default(for: .linked) }

  package static func `default`(for generation: SQLCipherGeneration) -> CipherSettings {
    generation == .four ? .sqlcipher4 : .sqlcipher3
  }

  /// The defaults of SQLCipher 4.
  public static let sqlcipher4 = CipherSettings()

  /// The defaults of SQLCipher 3.
  public static let sqlcipher3 = CipherSettings(
    pageSize: 1024, kdfIterations: 64_000, kdfAlgorithm: .sha1, hmacAlgorithm: .sha1)

  /// The defaults of SQLCipher 4 with HMAC-SHA256, with which pages are authenticated in about half
  /// the time.
  ///
  /// A file needs the same settings at each opening. Other tools open it with
  /// `PRAGMA cipher_hmac_algorithm = HMAC_SHA256` after the key. The shorter hash is as hard to
  /// forge in practice; it is faster only on a processor with SHA instructions (`sha_ni` in
  /// `/proc/cpuinfo`, `sha2` on ARM). SQLCipher 3 doesn't have it.
  ///
  /// ```swift
  /// var configuration = Configuration()
  /// configuration.cipher = .fast
  /// let queue = try DatabaseQueue(path: "vault.db", key: key, configuration: configuration)
  /// ```
  public static let fast = CipherSettings(hmacAlgorithm: .sha256)

  /// The defaults of SQLCipher 2.
  static let sqlcipher2 = CipherSettings(
    pageSize: 1024, kdfIterations: 4_000, kdfAlgorithm: .sha1, hmacAlgorithm: .sha1)

  /// The defaults of SQLCipher 1.
  static let sqlcipher1 = CipherSettings(
    pageSize: 1024, kdfIterations: 4_000, kdfAlgorithm: .sha1, hmacAlgorithm: .sha1,
    usesHMAC: false)

  /// The number of bytes at the end of each page for its IV and HMAC, rounded up to whole blocks.
  package var reservedSize: Int { (16 + hmacSize + 15) / 16 * 16 }

  /// The number of bytes of a page's HMAC; 0 without HMAC.
  var hmacSize: Int { usesHMAC ? hmacAlgorithm.byteCount : 0 }

  /// The offset of the ciphertext in page 1: after the salt, or after the plaintext header.
  var firstCiphertextOffset: Int { plaintextHeaderSize == 0 ? 16 : plaintextHeaderSize }
}

extension CipherSettings: CustomStringConvertible {
  /// The generation's name, or a list of the settings in SQLCipher's terms.
  public var description: String {
    if let name = generationName { return name }
    var parts = [
      "page size \(pageSize)", "\(kdfIterations) iterations of \(kdfAlgorithm.rawValue)",
    ]
    parts.append(usesHMAC ? "HMAC of \(hmacAlgorithm.rawValue)" : "no HMAC")
    if plaintextHeaderSize > 0 { parts.append("\(plaintextHeaderSize) bytes in plaintext") }
    return parts.joined(separator: ", ")
  }

  /// The generation's name, such as "SQLCipher 3"; nil unless these are its defaults.
  var generationName: String? {
    switch self {
    case .sqlcipher4: "SQLCipher 4"
    case .sqlcipher3: "SQLCipher 3"
    case .sqlcipher2: "SQLCipher 2"
    case .sqlcipher1: "SQLCipher 1"
    default: nil
    }
  }

  /// The Swift expression for these settings, for messages.
  package var expression: String {
    switch self {
    case .sqlcipher4: return ".sqlcipher4"
    case .sqlcipher3: return ".sqlcipher3"
    default: break
    }
    let standard = CipherSettings()
    var arguments: [String] = []
    func add(_ name: String, _ path: KeyPath<CipherSettings, some Equatable>, _ text: String) {
      if self[keyPath: path] != standard[keyPath: path] { arguments.append("\(name): \(text)") }
    }
    add("pageSize", \.pageSize, "\(pageSize)")
    add("kdfIterations", \.kdfIterations, "\(kdfIterations)")
    add("kdfAlgorithm", \.kdfAlgorithm, ".\(kdfAlgorithm)")
    add("hmacAlgorithm", \.hmacAlgorithm, ".\(hmacAlgorithm)")
    add("usesHMAC", \.usesHMAC, "\(usesHMAC)")
    add("plaintextHeaderSize", \.plaintextHeaderSize, "\(plaintextHeaderSize)")
    return "CipherSettings(\(arguments.joined(separator: ", ")))"
  }
}
