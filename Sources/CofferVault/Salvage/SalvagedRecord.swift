import CofferSQLite

/// The values of one row as they are stored.
///
/// See <https://www.sqlite.org/fileformat2.html#record_format>.
struct SalvagedRecord {
  /// A stored value: its serial type, and where its bytes begin.
  struct Field {
    let type: UInt64
    let offset: Int

    /// The number of bytes; nil for the two types that no record has.
    var size: UInt64? {
      switch type {
      case 0, 8, 9: 0
      case 1...4: type
      case 5: 6
      case 6, 7: 8
      case 10, 11: nil
      default: (type - 12) / 2
      }
    }

    var isNull: Bool { type == 0 }
    var isText: Bool { type >= 13 && type % 2 == 1 }
    var isBlob: Bool { type >= 12 && type % 2 == 0 }
    /// Whether the value is an integer; REAL columns store whole numbers as integers too.
    var isInteger: Bool { (1...6).contains(type) || type == 8 || type == 9 }
    var isNumber: Bool { isInteger || type == 7 }
  }

  /// The most columns that a table can have in any build of SQLite.
  private static let mostFields = 32_767

  private(set) var bytes: [UInt8] = []
  /// The fields whose bytes are there.
  private(set) var fields: [Field] = []
  /// The fields of which bytes are missing; empty for a whole record.
  private(set) var missing: [Field] = []

  /// Reads a record, whose fields must fill the range exactly.
  ///
  /// - Parameter isPartial: Whether the range is only the beginning of a record.
  /// - Returns: Whether the record is sound.
  mutating func load(_ bytes: [UInt8], _ range: Range<Int>, isPartial: Bool = false) -> Bool {
    self.bytes = bytes
    fields.removeAll(keepingCapacity: true)
    missing.removeAll(keepingCapacity: true)
    var offset = range.lowerBound
    guard let headerSize = bytes.varint(at: &offset, end: range.upperBound),
      headerSize <= UInt64(range.count)
    else { return false }
    let headerEnd = range.lowerBound + Int(headerSize)
    guard offset <= headerEnd else { return false }
    var position = headerEnd
    while offset < headerEnd {
      guard let type = bytes.varint(at: &offset, end: headerEnd) else { return false }
      let field = Field(type: type, offset: position)
      guard let size = field.size, fields.count + missing.count < Self.mostFields else {
        return false
      }
      guard missing.isEmpty, size <= UInt64(range.upperBound - position) else {
        guard isPartial else { return false }
        missing.append(field)
        continue
      }
      fields.append(field)
      position += Int(size)
    }
    return isPartial || position == range.upperBound
  }

  /// The bytes of a text or a blob.
  func range(of field: Field) -> Range<Int> {
    field.offset..<(field.offset + Int(field.size ?? 0))
  }

  /// The value of an integer; nil for another value.
  func integer(_ field: Field) -> Int64? {
    switch field.type {
    case 8: return 0
    case 9: return 1
    case 1...6:
      var value: Int64 = Int64(Int8(bitPattern: bytes[field.offset]))
      for byte in bytes[range(of: field)].dropFirst() { value = value << 8 | Int64(byte) }
      return value
    default: return nil
    }
  }

  /// The value of a floating-point number.
  func real(_ field: Field) -> Double {
    Double(bitPattern: bytes[range(of: field)].reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// The value of a text; nil for another value.
  func text(_ field: Field, _ encoding: TextEncoding) -> String? {
    field.isText ? encoding.decode(bytes[range(of: field)]) : nil
  }

  /// Binds the value to a parameter. The record's bytes must stay valid until the statement has
  /// been executed.
  ///
  /// - Parameter base: The record's bytes.
  /// - Returns: SQLite's result code.
  @safe func bind(
    _ field: Field, _ base: UnsafeRawBufferPointer, _ encoding: TextEncoding,
    to statement: SQLiteStatement, at index: CInt
  ) -> CInt {
    if field.isNull { return SQLite.bindNull(statement, index) }
    if let value = integer(field) { return SQLite.bind(value, to: statement, at: index) }
    if field.type == 7 { return SQLite.bind(real(field), to: statement, at: index) }
    let range = range(of: field)
    let value = unsafe UnsafeRawBufferPointer(rebasing: base[range])
    if field.isBlob { return SQLite.bindStaticBlob(value, to: statement, at: index) }
    if encoding != .utf8, encoding.hasByteOrderMark(bytes[range]) {
      // SQLite would take the mark for its own, and remove it.
      return SQLite.bind(encoding.decode(bytes[range]), to: statement, at: index)
    }
    return SQLite.bindStaticText(
      value, encoding: encoding.rawValue, to: statement, at: index)
  }
}

/// How a database stores text, by SQLite's numbers.
enum TextEncoding: UInt8, CaseIterable {
  case utf8 = 1
  case utf16LittleEndian = 2
  case utf16BigEndian = 3

  /// The name in `PRAGMA encoding`.
  var name: String {
    switch self {
    case .utf8: "UTF-8"
    case .utf16LittleEndian: "UTF-16le"
    case .utf16BigEndian: "UTF-16be"
    }
  }

  func decode(_ bytes: ArraySlice<UInt8>) -> String {
    self == .utf8
      ? String(decoding: bytes, as: UTF8.self) : String(decoding: units(bytes), as: UTF16.self)
  }

  func hasByteOrderMark(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
  }

  private func units(_ bytes: ArraySlice<UInt8>) -> [UInt16] {
    stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map { index in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return self == .utf16BigEndian ? first << 8 | second : second << 8 | first
    }
  }
}
