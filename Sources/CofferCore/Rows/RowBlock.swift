/// The values of rows that were copied out of a statement, one row after the
/// other.
///
/// Of each row there are the address of the names of its columns, eight bytes per
/// column (the integer, the bits of the real, or offset and length of a text's or
/// blob's bytes), a byte per column for its type, and the bytes of its texts and
/// blobs.
///
/// Rows of one fetch share blocks, which spares each of them an allocation. A
/// row knows its block and where it begins there; its values never change once
/// they are written. A text becomes a `String` when somebody asks for it.
final class RowBlock {
  /// Rows of one fetch fill blocks of this size; a row that needs more gets more.
  private static let largestCapacity = 16_384

  let layout: RowLayout
  private let base: UnsafeMutableRawPointer
  private let capacity: Int
  @exclusivity(unchecked) private var end = 0

  /// - Parameter capacity: In bytes.
  init(layout: RowLayout, capacity: Int) {
    self.layout = layout
    self.capacity = capacity
    base = .allocate(byteCount: max(capacity, 16), alignment: 8)
  }

  deinit { base.deallocate() }

  /// The bytes that a row takes without its texts and blobs.
  static func fixedBytes(_ columnCount: Int) -> Int {
    RowImage.headerBytes + ((columnCount * 9 + 7) & ~7)
  }

  /// Copies a statement's current row behind the last one of `block`, or into a
  /// new block where there is no room left.
  ///
  /// - Returns: Where the row begins in `block`.
  static func copyRow(
    of statement: SQLiteStatement, to block: inout RowBlock
  ) -> UnsafeRawPointer {
    let columnCount = block.layout.count
    let fixedBytes = fixedBytes(columnCount)
    if block.end + fixedBytes > block.capacity {
      block = block.successor(atLeast: fixedBytes)
    }
    var row = block.base + block.end
    var end = fixedBytes
    row.storeBytes(of: block.layout.names.start, as: UnsafeRawPointer.self)
    for index in 0..<columnCount {
      let value = SQLite.columnValue(statement, CInt(truncatingIfNeeded: index))
      let type = SQLite.valueType(value)
      var payload: UInt64 = 0
      if type == SQLite.integerType {
        payload = UInt64(bitPattern: SQLite.valueInt64(value))
      } else if type == SQLite.floatType {
        payload = SQLite.valueDouble(value).bitPattern
      } else if type != SQLite.nullType {
        let bytes = SQLite.valueBytes(value, isText: type == SQLite.textType)
        if block.end + end + bytes.count > block.capacity {
          let old = block
          block = old.successor(atLeast: end + bytes.count)
          block.base.copyMemory(from: row, byteCount: end)
          row = block.base
        }
        if let start = bytes.baseAddress {
          (row + end).copyMemory(from: start, byteCount: bytes.count)
        }
        payload = RowImage.payload(offset: end, count: bytes.count)
        end += bytes.count
      }
      let values = row + RowImage.headerBytes
      values.storeBytes(of: payload, toByteOffset: index * 8, as: UInt64.self)
      values.storeBytes(
        of: UInt8(truncatingIfNeeded: type), toByteOffset: columnCount * 8 + index,
        as: UInt8.self)
    }
    // The next row's values are aligned.
    block.end += (end + 7) & ~7
    return UnsafeRawPointer(row)
  }

  private func successor(atLeast byteCount: Int) -> RowBlock {
    let capacity = min(max(capacity * 4, 1024), RowBlock.largestCapacity)
    // A little more than a large row needs: its next texts may be small.
    return RowBlock(layout: layout, capacity: max(capacity, byteCount + byteCount / 4))
  }
}
