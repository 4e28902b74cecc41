import CofferVault

extension Database {
  /// The engine of this process: the linked SQLCipher, and the SQLite inside of it.
  public struct Engine: Sendable, Hashable {
    /// A fault of an engine that Coffer works around, where it can.
    public struct Fault: Sendable, Hashable, CustomStringConvertible {
      /// What can happen, when, and what is left of it under Coffer.
      public let description: String
      /// The page that describes it.
      public let link: String
    }

    /// SQLCipher's version, such as `4.6.1 community`; `none` if another library has taken its
    /// place.
    public let cipherVersion: String
    /// SQLite's version, such as `3.46.1`.
    public let sqliteVersion: String
    /// The provider of keyed connections, as
    /// ``Database/cipherProviderDescription-swift.type.property``.
    public let cipherProviderDescription: String
    /// The known faults.
    public let faults: [Fault]
  }

  /// The engine of this process, with its known faults.
  ///
  /// ```swift
  /// for fault in Database.engine.faults { print(fault, fault.link) }
  /// ```
  public static let engine: Engine = {
    let version = try? DatabaseQueue().inDatabase {
      try LibrarySQL.scalar("PRAGMA cipher_version", in: $0.openConnection())
    }
    let features = SQLiteFeatures.linked
    let number = features.version
    return Engine(
      cipherVersion: version.flatMap(\.self) ?? "none",
      sqliteVersion: "\(number / 1_000_000).\(number / 1_000 % 1_000).\(number % 1_000)",
      cipherProviderDescription: cipherProviderDescription, faults: Engine.faults(of: features))
  }()
}

extension Database.Engine {
  static func faults(of features: SQLiteFeatures) -> [Fault] {
    guard features.losesCommitsAtCheckpoints else { return [] }
    return [
      Fault(
        description: "SQLite before 3.51.3 can lose commits when a checkpoint begins while another "
          + "connection's commit restarts the log. Coffer's checkpoints keep others from committing; "
          + "other programs that write the same file with such an engine don't.",
        link: "https://sqlite.org/wal.html#walresetbug")
    ]
  }
}
