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
    /// Whether FTS5 can be used: SQLCipher 3 and that of Ubuntu 24.04 lack it, and have FTS4.
    public let hasFTS5: Bool
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
    let cipherVersion = version.flatMap(\.self) ?? "none"
    let features = SQLiteFeatures.linked
    return Engine(
      cipherVersion: cipherVersion, sqliteVersion: features.name,
      cipherProviderDescription: cipherProviderDescription, hasFTS5: features.hasFTS5,
      faults: Engine.faults(of: features, cipherVersion: cipherVersion))
  }()
}

extension Database.Engine {
  static func faults(of features: SQLiteFeatures, cipherVersion: String) -> [Fault] {
    var faults: [Fault] = []
    if features.losesCommitsAtCheckpoints {
      faults.append(
        Fault(
          description: "SQLite before 3.51.3 can lose commits when a checkpoint begins while "
            + "another connection's commit restarts the log. Coffer's checkpoints keep others from "
            + "committing; other programs that write the same file with such an engine don't.",
          link: "https://sqlite.org/wal.html#walresetbug"))
    }
    if features.deletesDamagedJournals {
      faults.append(
        Fault(
          description: "SQLite 3.53.0 to 3.53.3 can delete a hot rollback journal, and not undo a "
            + "transaction of several files, after a power cut during its commit. Coffer attaches "
            + "no file there while another one has such a journal; WAL mode isn't affected.",
          link: "https://gitlab.com/cznic/sqlite/commit/cc920f9b5d957059ff73ff5600f8c80ef440d3af"))
    }
    if features.hasFTS5, SQLCipherLibrary.isVersion(cipherVersion, before: (4, 17)) {
      for number in ["CVE-2026-11822", "CVE-2026-11824"] {
        faults.append(
          Fault(
            description:
              "FTS5 of SQLCipher before 4.17.0 can leave the bounds of its memory with a "
              + "damaged full-text index (\(number)). Coffer reads no page without its key's code, "
              + "but can't help where somebody with the key made the index to do harm.",
            link: "https://nvd.nist.gov/vuln/detail/\(number)"))
      }
    }
    if features.refusesPagesAfterFailure {
      faults.append(
        Fault(
          description: "SQLCipher since 4.7.0 refuses all pages of a connection after one that it "
            + "couldn't read; before 4.18 it calls that exhausted memory, and 4.19 returns zeros. "
            + "Coffer asks it at the end of each transaction, repeats the first error, and opens the "
            + "file again for the next access, unless its log is archived.",
          link: "https://github.com/sqlcipher/sqlcipher/blob/v4.7.0/src/sqlcipher.c"))
    }
    if crashesInTrace(cipherVersion) {
      faults.append(
        Fault(
          description: "SQLCipher 4.19 crashes when it logs each step. Coffer refuses the level "
            + "`trace` of its log there.",
          link: "https://github.com/sqlcipher/sqlcipher/blob/v4.19.0/src/sqlcipher.c"))
    }
    return faults
  }

  static func crashesInTrace(_ cipherVersion: String) -> Bool {
    SQLCipherLibrary.isVersion(cipherVersion, before: (4, 20))
      && !SQLCipherLibrary.isVersion(cipherVersion, before: (4, 19))
  }
}
