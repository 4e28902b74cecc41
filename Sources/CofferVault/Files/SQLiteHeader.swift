import CofferSQLite

/// The decrypted 100-byte header of an SQLite database.
package struct SQLiteHeader: Sendable, Hashable {
  /// The first bytes of a plaintext database.
  package static let magic: [UInt8] = Array("SQLite format 3\0".utf8)

  /// Returns the page at byte 2^30, which SQLite uses for locks and never writes.
  package static func lockPage(ofSize pageSize: Int) -> Int { 0x4000_0000 / pageSize + 1 }

  let bytes: [UInt8]

  /// Reads the header from the first 100 of `bytes`; nil if there are fewer.
  package init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count >= 100 else { return nil }
    self.bytes = Array(bytes.prefix(100))
  }

  /// Whether the first 16 bytes are those of a plaintext database.
  var hasMagic: Bool { bytes.starts(with: Self.magic) }

  /// The number of bytes in a page.
  var pageSize: Int {
    let stored = bytes.integer16(at: 16)
    return stored == 1 ? 65536 : stored
  }

  /// The number of bytes at the end of each page reserved for extensions such as SQLCipher.
  var reservedSize: Int { Int(bytes[20]) }

  var usesWAL: Bool { bytes[18] == 2 && bytes[19] == 2 }

  /// The number of pages in the database; nil if the header doesn't state it.
  ///
  /// Like SQLite, this trusts the header only if the last writer was a version that maintains it.
  package var pageCount: Int? {
    let count = bytes.integer32(at: 28)
    return count > 0 && bytes.integer32(at: 24) == bytes.integer32(at: 92) ? count : nil
  }

  /// The first page of the list of free pages; 0 if there are none.
  var firstFreePage: Int { bytes.integer32(at: 32) }

  /// The number of free pages.
  var freePageCount: Int { bytes.integer32(at: 36) }

  /// The value of `PRAGMA auto_vacuum`.
  var autoVacuum: Int { bytes.integer32(at: 52) == 0 ? 0 : bytes.integer32(at: 64) == 0 ? 1 : 2 }

  /// How text is stored; nil for a number that SQLite doesn't use.
  var textEncoding: TextEncoding? {
    UInt8(exactly: bytes.integer32(at: 56)).flatMap(TextEncoding.init)
  }

  var userVersion: Int { Int(Int32(truncatingIfNeeded: bytes.integer32(at: 60))) }
  var applicationID: Int { Int(Int32(truncatingIfNeeded: bytes.integer32(at: 68))) }

  /// The SQLite version that wrote last, such as 3046001 for 3.46.1.
  var sqliteVersion: Int { bytes.integer32(at: 96) }

  /// Whether the page size is `size` and the three fixed bytes have their constant values: five
  /// bytes that don't match by chance.
  package func hasFixedFields(pageSize size: Int) -> Bool {
    pageSize == size && bytes[21] == 64 && bytes[22] == 32 && bytes[23] == 32
  }

  /// Whether the bytes reserved for expansion are zero, from `offset` on.
  ///
  /// - Parameter offset: At most 80, so that at least 12 bytes are tested.
  func hasZeroExpansion(from offset: Int = 0) -> Bool {
    offset <= 80 && bytes[max(72, offset)..<92].allSatisfy { $0 == 0 }
  }
}

/// Whether bytes could be the output of a cipher. The number of distinct byte values distinguishes
/// it from text, zeros and tables, but not from compressed data.
func looksRandom(_ bytes: some Collection<UInt8>) -> Bool {
  var seen = [Bool](repeating: false, count: 256)
  for byte in bytes { seen[Int(byte)] = true }
  let values = seen.count { $0 }
  // 400 random bytes have about 202 distinct values, with a standard deviation of 6; text has fewer
  // than 100.
  return values >= (bytes.count >= 400 ? 160 : bytes.count / 4)
}
