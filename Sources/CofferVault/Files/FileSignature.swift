import CofferSQLite

/// The kinds of files that people open by mistake, by how they begin.
///
/// The salt of an encrypted database is random. So each signature has so many bits that no salt is
/// taken for one: at least 32.
enum FileSignature {
  private typealias Part = (offset: Int, bytes: [UInt8])

  private static let known: [(name: String, parts: [Part])] = [
    ("a PNG image", [(0, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])]),
    ("a JPEG image", [(0, [0xFF, 0xD8, 0xFF]), (6, Array("JFIF\0".utf8))]),
    ("a JPEG image", [(0, [0xFF, 0xD8, 0xFF]), (6, Array("Exif\0".utf8))]),
    ("a GIF image", [(0, Array("GIF8".utf8)), (5, Array("a".utf8))]),
    ("a WebP image", [(0, Array("RIFF".utf8)), (8, Array("WEBP".utf8))]),
    ("a PDF document", [(0, Array("%PDF-".utf8))]),
    ("an ELF program or library", [(0, [0x7F, 0x45, 0x4C, 0x46]), (6, [1])]),
    ("a ZIP archive", [(0, [0x50, 0x4B, 0x03, 0x04])]),
    ("a gzip archive", [(0, [0x1F, 0x8B, 0x08, 0x00]), (8, [0x00, 0x03])]),
    ("a gzip archive", [(0, [0x1F, 0x8B, 0x08, 0x08])]),
    ("an xz archive", [(0, [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00])]),
    ("a zstd archive", [(0, [0x28, 0xB5, 0x2F, 0xFD])]),
    ("a bzip2 archive", [(0, Array("BZh".utf8)), (4, Array("1AY&SY".utf8))]),
    ("a tar archive", [(257, Array("ustar".utf8))]),
    ("a LUKS volume", [(0, Array("LUKS".utf8) + [0xBA, 0xBE])]),
    ("a DuckDB database", [(8, Array("DUCK".utf8))]),
    ("a Realm database", [(16, Array("T-DB".utf8))]),
    ("the -wal file of a database", [(0, [0x37, 0x7F, 0x06, 0x82, 0x00, 0x2D, 0xE2, 0x18])]),
    ("the -wal file of a database", [(0, [0x37, 0x7F, 0x06, 0x83, 0x00, 0x2D, 0xE2, 0x18])]),
    ("the -journal file of a database", [(0, journal)]),
  ]

  /// The beginning of a rollback journal ("The Rollback Journal" in sqlite.org/fileformat2.html).
  static let journal: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

  /// Returns what a file is that begins with `start`, such as `a PNG image`; nil if unknown.
  static func name(of start: [UInt8]) -> String? {
    let found = known.first { signature in
      signature.parts.allSatisfy { start.dropFirst($0.offset).starts(with: $0.bytes) }
    }
    return found?.name ?? (isText(start) ? "text" : nil)
  }

  /// Whether the bytes are UTF-8 without control characters other than white space, up to a
  /// character that is cut off.
  private static func isText(_ start: [UInt8]) -> Bool {
    guard start.count >= 4, start.allSatisfy(isTextByte) else { return false }
    let whole = start.dropLast(3)
    return (0...3).contains {
      String(validating: whole + start.suffix(3).prefix($0), as: UTF8.self) != nil
    }
  }

  /// Whether a byte can be part of text in UTF-8.
  static func isTextByte(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x7F || (0x09...0x0D).contains(byte)
  }
}
