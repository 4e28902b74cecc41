import CSQLCipher

/// SQLCipher's two generations, whose file formats and pragmas differ.
package enum SQLCipherGeneration: Int, Sendable, Comparable {
  /// 3.4.1: SHA-1 only.
  case three = 3
  /// 4.0 and later.
  case four = 4

  /// The generation that this process runs, told by its SQLite: 4.0 came with SQLite 3.25.
  ///
  /// Whether the engine is SQLCipher at all is for the connection to prove.
  package static let linked: SQLCipherGeneration =
    sqlite3_libversion_number() >= 3_025_000 ? .four : .three

  package static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}
