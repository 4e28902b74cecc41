import CSQLCipher

/// The features of the SQLite inside the linked SQLCipher.
///
/// Code that depends on the version checks it here, and throws an error that names the feature and
/// the required version.
package struct SQLiteFeatures: Sendable {
  /// SQLite's version number, such as 3046001.
  package let version: Int

  /// The version of the header that this was compiled with.
  static var headerVersion: Int { Int(SQLITE_VERSION_NUMBER) }

  package static let linked = SQLiteFeatures(version: SQLite.versionNumber)

  package init(version: Int) { self.version = version }

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
  package var hasFTS5: Bool { isAtLeast(20) }
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

  /// Throws if a feature is missing.
  package func require(_ hasFeature: Bool, _ feature: String, _ neededVersion: String) throws {
    guard !hasFeature else { return }
    throw DatabaseError(
      resultCode: .SQLITE_ERROR,
      message: "\(feature) needs SQLite \(neededVersion) or later",
      hint: "This is SQLite \(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000): "
        + "install libsqlcipher 4.")
  }
}
