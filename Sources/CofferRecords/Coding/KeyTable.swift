/// The way in which a container recognizes the keys of a type.
enum KeyForm: UInt8 {
  /// There is one key.
  case none
  /// A key is a byte, as the cases of an enumeration are.
  case byte
  case text

  init<Key: CodingKey>(_ type: Key.Type) {
    self =
      switch MemoryLayout<Key>.size {
      case 0: .none
      case 1 where _isPOD(Key.self): .byte
      default: .text
      }
  }

  /// The byte that the key is; nil if it has to be recognized by its text.
  @inline(__always)
  func byte<Key: CodingKey>(of key: Key) -> Int? {
    switch self {
    // SAFETY: a trivial type of one byte.
    case .byte: unsafe Int(unsafeBitCast(key, to: UInt8.self))
    case .none: 0
    case .text: nil
    }
  }
}

/// The columns that the keys of a container lead to, by the byte that a key is.
@safe final class KeyTable<Column, Word> {
  private static var count: Int { 256 }

  /// A word about each key, which its container reads without this object.
  @safe let words: UnsafeMutablePointer<Word>
  private var columns: [Column?] = []

  /// - Parameter unknown: The word of a key whose column isn't known.
  init(unknown: Word) {
    words = .allocate(capacity: KeyTable.count)
    unsafe words.initialize(repeating: unknown, count: KeyTable.count)
  }

  deinit { unsafe words.deallocate() }

  subscript(byte: Int) -> Column? { byte < columns.count ? columns[byte] : nil }

  func set(_ column: Column, _ word: Word, _ byte: Int) {
    while columns.count <= byte { columns.append(nil) }
    columns[byte] = column
    words[byte] = word
  }
}
