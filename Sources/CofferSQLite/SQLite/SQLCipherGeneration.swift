import CSQLCipher

/// The two generations of SQLCipher, whose file formats and pragmas differ.
package enum SQLCipherGeneration: Int, Sendable, Comparable {
  /// 3.4.1: SHA-1 only.
  case three = 3
  /// 4.0 and later.
  case four = 4

  /// The generation of the linked library, derived from its SQLite version: 4.0 came with SQLite
  /// 3.25.
  ///
  /// Each connection checks separately that the engine is SQLCipher at all.
  package static let linked: SQLCipherGeneration =
    sqlite3_libversion_number() >= 3_025_000 ? .four : .three

  package static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}
