/// The 100 bytes at the beginning of every SQLite database, decrypted.
package struct SQLiteHeader: Sendable, Hashable {
  /// What a plaintext database begins with.
  package static let magic: [UInt8] = Array("SQLite format 3\0".utf8)

  private let bytes: [UInt8]

  /// The header in the first 100 of `bytes`; nil where there are fewer.
  package init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count >= 100 else { return nil }
    self.bytes = Array(bytes.prefix(100))
  }

  private func integer16(_ offset: Int) -> Int { Int(bytes[offset]) << 8 | Int(bytes[offset + 1]) }

  private func integer32(_ offset: Int) -> UInt32 {
    bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Whether the first 16 bytes are a plaintext database's.
  package var hasMagic: Bool { bytes.starts(with: Self.magic) }

  /// Bytes in a page.
  package var pageSize: Int {
    let stored = integer16(16)
    return stored == 1 ? 65536 : stored
  }

  /// Bytes at the end of each page that SQLite leaves to extensions, such as SQLCipher.
  package var reservedSize: Int { Int(bytes[20]) }

  package var usesWAL: Bool { bytes[18] == 2 && bytes[19] == 2 }

  /// How many pages the database has, where the header says so.
  ///
  /// SQLite believes it only if the last writer was one that maintains it; so does this.
  package var pageCount: Int? {
    let count = Int(integer32(28))
    return count > 0 && integer32(24) == integer32(92) ? count : nil
  }

  package var userVersion: Int { Int(Int32(bitPattern: integer32(60))) }
  package var applicationID: Int { Int(Int32(bitPattern: integer32(68))) }

  /// The SQLite that wrote last, as 3046001 for 3.46.1.
  package var sqliteVersion: Int { Int(integer32(96)) }

  /// Whether the page size is `size` and the three fixed bytes are what they are in every
  /// database: five bytes that don't come about by chance.
  package func hasFixedFields(pageSize size: Int) -> Bool {
    pageSize == size && bytes[21] == 64 && bytes[22] == 32 && bytes[23] == 32
  }

  /// Whether the bytes that SQLite reserves for later are zero, those from `offset` on.
  ///
  /// - Parameter offset: At most 80, so that eight bytes are left to look at.
  package func hasZeroExpansion(from offset: Int = 0) -> Bool {
    offset <= 80 && bytes[max(72, offset)..<92].allSatisfy { $0 == 0 }
  }
}

/// Whether bytes could be the output of a cipher. Text, zeros and tables are told from it by the
/// number of byte values that occur; compressed data isn't.
func looksRandom(_ bytes: some Collection<UInt8>) -> Bool {
  var seen = [Bool](repeating: false, count: 256)
  for byte in bytes { seen[Int(byte)] = true }
  let values = seen.count { $0 }
  // 400 random bytes have about 202 values, with a deviation of 6; text has fewer than 100.
  return values >= (bytes.count >= 400 ? 160 : bytes.count / 4)
}
