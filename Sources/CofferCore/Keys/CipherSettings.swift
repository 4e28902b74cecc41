/// How a file is encrypted: what SQLCipher doesn't store in it and has to be told at every
/// opening.
///
/// Leave it at ``default`` unless the file was made with something else. Settings other than a
/// generation's own can't be opened by tools that don't know them.
public struct CipherSettings: Hashable, Sendable {
  /// A hash algorithm.
  public enum Hash: String, Hashable, Sendable, CaseIterable {
    /// SHA-1, all that SQLCipher 3 knows.
    case sha1 = "SHA1"
    /// SHA-256.
    case sha256 = "SHA256"
    /// SHA-512, SQLCipher 4's own.
    case sha512 = "SHA512"

    /// The length of its value, in bytes.
    var byteCount: Int {
      switch self {
      case .sha1: 20
      case .sha256: 32
      case .sha512: 64
      }
    }
  }

  /// Bytes in a page: a power of two from 512 to 65536.
  ///
  /// 512 works in SQLCipher 3 without HMAC only.
  public var pageSize: Int

  /// Rounds of PBKDF2 that turn a passphrase into a key. Opening takes time in proportion.
  public var kdfIterations: Int

  /// The hash of the derivation.
  public var kdfAlgorithm: Hash

  /// The hash that authenticates pages.
  public var hmacAlgorithm: Hash

  /// Whether pages are authenticated. Without it a changed byte goes unnoticed.
  public var usesHMAC: Bool

  /// How many bytes at the beginning of the file are left in plaintext: 0, or a multiple of 16 up
  /// to 96, so that other programs see an SQLite file. Such a file doesn't store its salt:
  /// it needs ``DatabaseKey/raw(_:salt:)``.
  public var plaintextHeaderSize: Int

  /// Settings, SQLCipher 4's own where nothing else is said.
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

  /// What the SQLCipher that this process runs uses by itself, so that its shell opens the file
  /// with nothing but the key: ``sqlcipher4``, or ``sqlcipher3`` on 3.4.1.
  public static var `default`: CipherSettings { .default(for: .linked) }

  package static func `default`(for generation: SQLCipherGeneration) -> CipherSettings {
    generation == .four ? .sqlcipher4 : .sqlcipher3
  }

  /// SQLCipher 4's own settings.
  public static let sqlcipher4 = CipherSettings()

  /// SQLCipher 3's own settings.
  public static let sqlcipher3 = CipherSettings(
    pageSize: 1024, kdfIterations: 64_000, kdfAlgorithm: .sha1, hmacAlgorithm: .sha1)

  /// SQLCipher 2's own settings.
  package static let sqlcipher2 = CipherSettings(
    pageSize: 1024, kdfIterations: 4_000, kdfAlgorithm: .sha1, hmacAlgorithm: .sha1)

  /// SQLCipher 1's own settings.
  package static let sqlcipher1 = CipherSettings(
    pageSize: 1024, kdfIterations: 4_000, kdfAlgorithm: .sha1, hmacAlgorithm: .sha1,
    usesHMAC: false)

  /// The bytes at the end of each page that hold its IV and its HMAC, up to a whole block.
  package var reservedSize: Int { (16 + hmacSize + 15) / 16 * 16 }

  /// The bytes of a page's HMAC; 0 without.
  package var hmacSize: Int { usesHMAC ? hmacAlgorithm.byteCount : 0 }

  /// Where the ciphertext of page 1 begins: after the salt, or after the plaintext header.
  package var firstCiphertextOffset: Int { plaintextHeaderSize == 0 ? 16 : plaintextHeaderSize }
}

extension CipherSettings: CustomStringConvertible {
  /// A generation's name, or each setting in SQLCipher's words.
  public var description: String {
    if let name = generationName { return name }
    var parts = [
      "page size \(pageSize)", "\(kdfIterations) iterations of \(kdfAlgorithm.rawValue)",
    ]
    parts.append(usesHMAC ? "HMAC of \(hmacAlgorithm.rawValue)" : "no HMAC")
    if plaintextHeaderSize > 0 { parts.append("\(plaintextHeaderSize) bytes in plaintext") }
    return parts.joined(separator: ", ")
  }

  /// "SQLCipher 3" where the settings are that generation's own.
  package var generationName: String? {
    switch self {
    case .sqlcipher4: "SQLCipher 4"
    case .sqlcipher3: "SQLCipher 3"
    case .sqlcipher2: "SQLCipher 2"
    case .sqlcipher1: "SQLCipher 1"
    default: nil
    }
  }

  /// The expression that makes these settings, for messages.
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
