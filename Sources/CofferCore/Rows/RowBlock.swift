import CofferVault

/// The values of copied rows, one row after the other.
///
/// A row consists of the address of its column names, eight bytes per column (the integer, the bits
/// of the real, or the offset and length of a text or blob), one byte per column for its type, and
/// the bytes of its texts and blobs.
///
/// Rows of one fetch share blocks, which saves an allocation per row. A row keeps its block and its
/// start there; values don't change once written. A text becomes a `String` on access.
@safe final class RowBlock {
  /// The block size for the rows of one fetch, in bytes; larger rows get larger blocks.
  private static let largestCapacity = 16_384

  let layout: RowLayout
  @safe private let base: UnsafeMutableRawPointer
  private let capacity: Int
  @safe @exclusivity(unchecked) private var end = 0

  /// - Parameter capacity: In bytes.
  init(layout: RowLayout, capacity: Int) {
    self.layout = layout
    self.capacity = capacity
    base = .allocate(byteCount: max(capacity, 16), alignment: 8)
  }

  deinit { unsafe base.deallocate() }

  /// Returns the number of bytes of a row without its texts and blobs.
  static func fixedBytes(_ columnCount: Int) -> Int {
    RowImage.headerBytes + ((columnCount * 9 + 7) & ~7)
  }

  /// Appends a statement's current row to `block`, or to a new block if there is no room left.
  ///
  /// - Returns: The start of the row in `block`.
  @safe static func copyRow(
    of statement: SQLiteStatement, _ core: UnsafeMutablePointer<StatementCore>,
    to block: inout RowBlock
  ) -> UnsafeRawPointer {
    let names = block.layout.names
    let columnCount = names.count
    let fixedBytes = fixedBytes(columnCount)
    if block.end &+ fixedBytes > block.capacity {
      block = block.successor(atLeast: fixedBytes)
    }
    var row = unsafe block.base + block.end
    var end = fixedBytes
    unsafe row.storeBytes(of: names.start, as: UnsafeRawPointer.self)
    let cells = unsafe core.pointee.cells
    for index in 0..<columnCount {
      let type: CInt
      let payload: UInt64
      if let number = cells.bits(index) {
        (type, payload) = number
      } else {
        let value = cells.value(statement, index)
        type = SQLite.valueType(value)
        if type == SQLite.integerType {
          payload = UInt64(bitPattern: SQLite.valueInt64(value))
        } else if type == SQLite.floatType {
          payload = SQLite.valueDouble(value).bitPattern
        } else if type == SQLite.nullType {
          payload = 0
        } else {
          let bytes = SQLite.valueBytes(value, isText: type == SQLite.textType)
          unsafe reserve(bytes.count, after: end, in: &block, row: &row)
          if let start = bytes.baseAddress {
            unsafe (row + end).copyMemory(from: start, byteCount: bytes.count)
          }
          payload = RowImage.payload(offset: end, count: bytes.count)
          end += bytes.count
        }
      }
      // SAFETY: `fixedBytes` includes the values and types of all columns.
      let values = unsafe row + RowImage.headerBytes
      unsafe (values + index &* 8).storeBytes(of: payload, as: UInt64.self)
      unsafe (values + (columnCount &* 8 &+ index)).storeBytes(
        of: UInt8(truncatingIfNeeded: type), as: UInt8.self)
    }
    // Keeps the next row's values aligned.
    block.end += (end + 7) & ~7
    return UnsafeRawPointer(row)
  }

  /// Moves the row to a new block if there is no room for `byteCount` bytes after its first `end`.
  @inline(never)
  private static func reserve(
    _ byteCount: Int, after end: Int, in block: inout RowBlock,
    row: inout UnsafeMutableRawPointer
  ) {
    guard block.end + end + byteCount > block.capacity else { return }
    let old = block
    block = old.successor(atLeast: end + byteCount)
    unsafe block.base.copyMemory(from: row, byteCount: end)
    unsafe row = block.base
  }

  private func successor(atLeast byteCount: Int) -> RowBlock {
    let capacity = min(max(capacity * 4, 1024), RowBlock.largestCapacity)
    // Some spare room after a large row, since the next texts may be small.
    return RowBlock(layout: layout, capacity: max(capacity, byteCount + byteCount / 4))
  }
}
