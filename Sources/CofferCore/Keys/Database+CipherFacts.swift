import CofferVault

extension Database {
  // MARK: SQLCipher's facts

  /// SQLCipher's version, such as `4.6.1 community`.
  public var cipherVersion: String {
    get throws { try cipherFact("cipher_version") ?? "" }
  }

  /// The name of the library behind the connection's cryptographic provider, such as `openssl`.
  ///
  /// Nil for a connection without a key. ``cipherProviderDescription-swift.property`` tells whether
  /// it is Coffer's own provider, too.
  public var cipherProvider: String? {
    get throws { try cipherFact("cipher_provider") }
  }

  /// The version of the library behind the connection's cryptographic provider.
  ///
  /// Nil for a connection without a key.
  public var cipherProviderVersion: String? {
    get throws { try cipherFact("cipher_provider_version") }
  }

  /// `1` if the cryptographic library runs in FIPS mode, and `0` if not.
  ///
  /// Nil for a connection without a key, and with SQLCipher 3.
  public var cipherFipsStatus: String? {
    get throws { try cipherFact("cipher_fips_status") }
  }

  private func cipherFact(_ pragma: String) throws -> String? {
    guard pragma == "cipher_version" || isKeyed else { return nil }
    return try LibrarySQL.scalar("PRAGMA \(pragma)", in: openConnection())
  }

  // MARK: SQLCipher's log

  /// How much SQLCipher writes to its log; each level includes those before it.
  public struct SQLCipherLogLevel: RawRepresentable, Sendable, Hashable {
    /// SQLCipher's name.
    public var rawValue: String

    /// Creates a level from SQLCipher's name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Nothing.
    public static let none = Self(rawValue: "NONE")
    /// Failures.
    public static let error = Self(rawValue: "ERROR")
    /// Unusual conditions.
    public static let warn = Self(rawValue: "WARN")
    /// What happens to keys and settings.
    public static let info = Self(rawValue: "INFO")
    /// Details for developers of SQLCipher.
    public static let debug = Self(rawValue: "DEBUG")
    /// Each step.
    public static let trace = Self(rawValue: "TRACE")
  }

  /// Where SQLCipher writes its log.
  public struct SQLCipherLogTarget: Sendable, Hashable {
    /// SQLCipher's name, or the path of a file.
    public var rawValue: String

    /// Creates a target from SQLCipher's name, or the path of a file.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Standard output.
    public static let stdout = Self(rawValue: "stdout")
    /// Standard error.
    public static let stderr = Self(rawValue: "stderr")
    /// The log of the system, which on Linux is standard error.
    public static let device = Self(rawValue: "device")

    /// A file, to which the log is appended.
    public static func file(_ path: String) -> Self { Self(rawValue: path) }
  }

  /// Makes SQLCipher write a log, for all connections of the process.
  ///
  /// Coffer keeps SQLCipher from writing to standard error otherwise. The log tells what SQLCipher
  /// does and why it fails; keep it from others, as the files themselves. Needs SQLCipher 4.
  /// - Precondition: The connection has a key.
  /// - Throws: ``DatabaseError`` if SQLCipher can't open the target, or has a version that crashes
  ///   when it writes this level.
  public func enableCipherLogging(
    logLevel: SQLCipherLogLevel = .debug, target: SQLCipherLogTarget = .device
  ) throws {
    let features = SQLiteFeatures.linked
    try features.require(features.logsToStandardError, "SQLCipher's log", "3.20")
    if logLevel.rawValue.uppercased() == "TRACE", Engine.crashesInTrace(try cipherVersion) {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "SQLCipher 4.19 crashes when it logs each step",
        hint: "Use the level .debug.")
    }
    let target = target == .device ? SQLCipherLogTarget.stderr : target
    try LibrarySQL.run(
      "PRAGMA cipher_log = \(target.rawValue.databaseValue.sqlLiteral)", in: openConnection())
    try setCipherLogLevel(logLevel)
  }

  /// Ends SQLCipher's log.
  public func disableCipherLogging() throws { try setCipherLogLevel(.none) }

  private func setCipherLogLevel(_ level: SQLCipherLogLevel) throws {
    CipherLog.level = level.rawValue.uppercased()
    try CipherLog.setLevel(of: openConnection())
  }
}
