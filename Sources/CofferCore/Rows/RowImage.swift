import Foundation

/// The values of a row, copied out of its statement: one block of memory that
/// holds a cell per column, and after them the bytes of texts and blobs.
///
/// Immutable once made. A text becomes a `String` when somebody asks for it.
package struct RowImage {
  private struct Cell {
    /// The integer, the bits of the real, or the offset of the first byte.
    var payload: UInt64
    var byteCount: UInt32
    var type: Int32
  }

  private let base: UnsafeMutableRawPointer

  /// Copies the current row.
  init(copying statement: SQLiteStatement, columnCount: Int) {
    let cellBytes = columnCount * MemoryLayout<Cell>.stride
    // Numbers need no more room; the block grows when a text or blob comes.
    var capacity = max(cellBytes, 1)
    var end = cellBytes
    var base = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    for index in 0..<columnCount {
      let column = CInt(truncatingIfNeeded: index)
      let type = SQLite.columnType(statement, column)
      var cell = Cell(payload: 0, byteCount: 0, type: type)
      if type == SQLite.integerType {
        cell.payload = UInt64(bitPattern: SQLite.columnInt64(statement, column))
      } else if type == SQLite.floatType {
        cell.payload = SQLite.columnDouble(statement, column).bitPattern
      } else if type != SQLite.nullType {
        let bytes =
          type == SQLite.textType
          ? UnsafeRawBufferPointer(SQLite.columnText(statement, column))
          : SQLite.columnBlob(statement, column)
        if end + bytes.count > capacity {
          capacity = max(capacity * 2, end + bytes.count + (columnCount - index) * 16)
          let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
          larger.copyMemory(from: base, byteCount: end)
          base.deallocate()
          base = larger
        }
        if let start = bytes.baseAddress {
          (base + end).copyMemory(from: start, byteCount: bytes.count)
        }
        cell.payload = UInt64(truncatingIfNeeded: end)
        cell.byteCount = UInt32(truncatingIfNeeded: bytes.count)
        end += bytes.count
      }
      base.storeBytes(of: cell, toByteOffset: index * MemoryLayout<Cell>.stride, as: Cell.self)
    }
    self.base = base
  }

  func deallocate() { base.deallocate() }

  private func cell(_ index: Int) -> Cell {
    base.load(fromByteOffset: index * MemoryLayout<Cell>.stride, as: Cell.self)
  }

  func isNull(_ index: Int) -> Bool { cell(index).type == SQLite.nullType }

  func databaseValue(_ index: Int) -> DatabaseValue {
    let cell = cell(index)
    if cell.type == SQLite.integerType {
      return DatabaseValue(storage: .int64(Int64(bitPattern: cell.payload)))
    }
    if cell.type == SQLite.floatType {
      return DatabaseValue(storage: .double(Double(bitPattern: cell.payload)))
    }
    if cell.type == SQLite.nullType { return .null }
    let bytes = bytes(cell)
    return cell.type == SQLite.textType
      ? DatabaseValue(storage: .string(String(decoding: bytes, as: UTF8.self)))
      : DatabaseValue(storage: .blob(Data(bytes)))
  }

  /// The bytes of a text or a blob, nil for anything else.
  func bytes(_ index: Int) -> UnsafeRawBufferPointer? {
    let cell = cell(index)
    guard cell.type == SQLite.textType || cell.type == SQLite.blobType else { return nil }
    return bytes(cell)
  }

  private func bytes(_ cell: Cell) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: base + Int(cell.payload), count: Int(cell.byteCount))
  }
}
