import CofferSQLite

/// Integers whose highest byte comes first, as in SQLite's files.
extension RandomAccessCollection<UInt8> where Index == Int {
  /// The two bytes at an offset from the first one.
  @inline(__always)
  func integer16(at offset: Int) -> Int {
    Int(self[startIndex + offset]) << 8 | Int(self[startIndex + offset + 1])
  }

  /// The four bytes at an offset from the first one.
  @inline(__always)
  package func integer32(at offset: Int) -> Int {
    integer16(at: offset) << 16 | integer16(at: offset + 2)
  }
}
