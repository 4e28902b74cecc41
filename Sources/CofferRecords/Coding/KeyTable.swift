/// The representation by which a container recognizes the keys of a type.
enum KeyForm: UInt8 {
  /// There is one key.
  case none
  /// A key is a byte, like the cases of an enumeration.
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

  /// Returns the byte of the key; nil if it has to be recognized by its text.
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

/// The columns for the keys of a container, indexed by the byte of a key.
@safe final class KeyTable<Column, Word> {
  private static var count: Int { 256 }

  /// A word for each key, which the container reads without accessing this object.
  @safe let words: UnsafeMutablePointer<Word>
  @safe @exclusivity(unchecked) private var columns: [Column?] = []

  /// - Parameter unknown: The word of a key whose column isn't known.
  init(unknown: Word) {
    words = .allocate(capacity: KeyTable.count)
    unsafe words.initialize(repeating: unknown, count: KeyTable.count)
  }

  deinit { unsafe words.deallocate() }

  /// Returns the column of a key, made by `make` on the first call.
  @inline(__always)
  func column(_ byte: Int, _ make: () throws -> (Column, Word)) rethrows -> Column {
    if byte < columns.count, let column = columns[byte] { return column }
    let (column, word) = try make()
    while columns.count <= byte { columns.append(nil) }
    columns[byte] = column
    words[byte] = word
    return column
  }
}
