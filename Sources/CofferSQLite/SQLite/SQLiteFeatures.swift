import CSQLCipher

/// The features of the SQLite inside the linked SQLCipher.
///
/// Code that depends on the version checks it here, and throws an error that names the feature and
/// the required version.
package struct SQLiteFeatures: Sendable {
  /// SQLite's version number, such as 3046001.
  package let version: Int
  /// Whether it was built with FTS5, which Ubuntu's SQLCipher lacks.
  private let isBuiltWithFTS5: Bool

  /// The version of the header that this was compiled with.
  static var headerVersion: Int { Int(SQLITE_VERSION_NUMBER) }

  package static let linked = SQLiteFeatures(
    version: SQLite.versionNumber, isBuiltWithFTS5: SQLite.isCompiled(with: "ENABLE_FTS5"))

  /// Why a library can't serve code that was compiled with a header; nil if it can.
  ///
  /// SQLite keeps its functions: a library that is newer than the header serves it, also one that
  /// isn't SQLCipher, until a key is given. An older one lacks some of those that `shim.h` calls.
  static func mismatch(
    header: Int = headerVersion, library: Int = SQLite.versionNumber
  ) -> String? {
    let lacks = [3_020_000, 3_037_000, 3_038_000].contains { header >= $0 && library < $0 }
    guard lacks else { return nil }
    return "Coffer was compiled with the header of SQLite \(SQLiteFeatures(version: header).name), "
      + "but the program has loaded libsqlcipher with SQLite "
      + "\(SQLiteFeatures(version: library).name). Compile it again, or install the other one."
  }

  /// The version, such as `3.46.1`.
  package var name: String { "\(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000)" }

  package init(version: Int, isBuiltWithFTS5: Bool = true) {
    self.version = version
    self.isBuiltWithFTS5 = isBuiltWithFTS5
  }

  private func isAtLeast(_ minor: Int) -> Bool { version >= 3_000_000 + minor * 1000 }

  package var hasUpsert: Bool { isAtLeast(24) }
  package var hasColumnRenaming: Bool { isAtLeast(25) }
  /// Whether a pragma lists generated and hidden columns.
  package var hasExtendedTableInfo: Bool { isAtLeast(26) }
  package var hasWindowFunctions: Bool { isAtLeast(25) }
  package var hasAggregateFilter: Bool { isAtLeast(30) }
  package var hasNullsOrdering: Bool { isAtLeast(30) }
  package var hasAggregateOrdering: Bool { isAtLeast(44) }
  /// Whether `"alias"."column"` of a view or a subquery gives a result column the name of the
  /// column.
  ///
  /// Versions as old as 3.15 name it by the alias.
  package var namesColumnsOfViews: Bool { isAtLeast(25) }
  package var hasVacuumInto: Bool { isAtLeast(27) }
  package var hasGeneratedColumns: Bool { isAtLeast(31) }
  /// Whether `sqlite_schema` is an alias of `sqlite_master`.
  package var hasSchemaTableAlias: Bool { isAtLeast(33) }
  package var hasReturning: Bool { isAtLeast(35) }
  package var hasColumnDropping: Bool { isAtLeast(35) }
  package var hasSharedMemoryDatabases: Bool { isAtLeast(36) }
  package var hasStrictTables: Bool { isAtLeast(37) }
  /// Whether a pragma lists the shadow tables of virtual tables.
  package var hasTableList: Bool { isAtLeast(37) }
  package var hasJSON: Bool { isAtLeast(38) }
  package var hasJSONErrorPosition: Bool { isAtLeast(42) }
  package var hasJSONB: Bool { isAtLeast(45) }
  package var hasFTS5: Bool { canHaveFTS5 && isBuiltWithFTS5 }
  package var canHaveFTS5: Bool { isAtLeast(20) }
  /// Whether `DELETE FROM table AS alias` is supported.
  package var hasAliasedChanges: Bool { isAtLeast(33) }
  /// Whether `DELETE … LIMIT` is supported, an option of SQLite's build.
  package var hasLimitedChanges: Bool { SQLiteFeatures.limitsChanges }
  private static let limitsChanges = SQLite.isCompiled(with: "ENABLE_UPDATE_DELETE_LIMIT")
  /// Whether tokenizers can remove all diacritics.
  package var hasFullDiacritics: Bool { isAtLeast(27) }
  /// Whether SQLCipher writes to standard error by default, as version 4 does.
  package var logsToStandardError: Bool { isAtLeast(20) }

  /// Whether a checkpoint that begins while another connection's commit restarts the log loses
  /// commits.
  ///
  /// SQLite 3.51.3 has the correction, and so have 3.44.6 and 3.50.7: SQLCipher 4.14 and later.
  /// <https://sqlite.org/wal.html#walresetbug>
  package var losesCommitsAtCheckpoints: Bool {
    switch version {
    case 3_044_006..<3_045_000, 3_050_007..<3_051_000: false
    default: version < 3_051_003
    }
  }

  /// Whether statements compile before an encrypted file's key is given.
  ///
  /// SQLCipher 4.7, with SQLite 3.49, and later read the file for anything but a pragma.
  package var compilesBeforeKey: Bool { !isAtLeast(49) }

  /// Whether SQLCipher refuses all pages of a connection after one that it couldn't decrypt, as
  /// version 4.7 and later do.
  package var refusesPagesAfterFailure: Bool { isAtLeast(49) }

  /// Whether a hot rollback journal is deleted, and not played, if the name of the super-journal at
  /// its end was lost in the crash.
  ///
  /// SQLite 3.53.0 to 3.53.3, in SQLCipher 4.15 to 4.17.
  package var deletesDamagedJournals: Bool { (3_053_000...3_053_003).contains(version) }

  /// Throws if a feature is missing.
  package func require(_ hasFeature: Bool, _ feature: String, _ neededVersion: String) throws {
    guard !hasFeature else { return }
    throw DatabaseError(
      resultCode: .SQLITE_ERROR,
      message: "\(feature) needs SQLite \(neededVersion) or later",
      hint: "This is SQLite \(name): install libsqlcipher 4.")
  }
}
