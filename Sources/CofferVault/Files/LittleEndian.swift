import CofferSQLite

extension FixedWidthInteger {
  /// The bytes of the integer, lowest first.
  var littleEndianBytes: [UInt8] {
    (0..<(Self.bitWidth / 8)).map { UInt8(truncatingIfNeeded: self >> Self(8 * $0)) }
  }
}

extension [UInt8] {
  /// Appends the bytes of an integer, lowest first.
  package mutating func append(_ value: some FixedWidthInteger & UnsignedInteger) {
    self += value.littleEndianBytes
  }
}

extension ArraySlice<UInt8> {
  /// The four bytes from an index on, as an integer, lowest first.
  package func littleEndian32(at index: Int) -> Int {
    (0..<4).reduce(0) { $0 | Int(self[index + $1]) << (8 * $1) }
  }
}

/// Reads integers, lowest byte first, and bytes; each read is nil where too few are left.
package struct ByteReader {
  private let bytes: [UInt8]
  package private(set) var position = 0

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package var isAtEnd: Bool { position == bytes.count }

  /// Skips bytes, and returns where they are.
  package mutating func range(_ count: Int) -> Range<Int>? {
    guard count >= 0, count <= bytes.count - position else { return nil }
    defer { position += count }
    return position..<(position + count)
  }

  package mutating func bytes(_ count: Int) -> [UInt8]? { range(count).map { Array(bytes[$0]) } }

  private mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) -> Value? {
    range(Value.bitWidth / 8)?.reversed().reduce(0) { $0 << 8 | Value(bytes[$1]) }
  }

  package mutating func uint8() -> UInt8? { integer(UInt8.self) }
  package mutating func uint16() -> UInt16? { integer(UInt16.self) }
  package mutating func uint32() -> UInt32? { integer(UInt32.self) }
  package mutating func uint64() -> UInt64? { integer(UInt64.self) }
}
