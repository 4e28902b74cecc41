import CofferSQLite

/// A page of a b-tree, whose offsets have all been checked.
///
/// See <https://www.sqlite.org/fileformat2.html#b_tree_pages>.
struct BTreePage {
  /// The kind of a page, by its first byte.
  enum Kind: UInt8 {
    case indexInterior = 2
    case tableInterior = 5
    case indexLeaf = 10
    case tableLeaf = 13

    var isLeaf: Bool { self == .indexLeaf || self == .tableLeaf }

    /// Whether the b-tree is ordered by rowids, rather than by records.
    var isTable: Bool { self == .tableInterior || self == .tableLeaf }
  }

  struct Cell {
    /// The page of the child on the left; 0 on a leaf.
    var child = 0
    /// The rowid of a row, or the highest one of the child on the left; 0 in an index.
    var rowid: Int64 = 0
    /// The bytes of the record that are on the page.
    var local = 0..<0
    /// The size of the whole record.
    var payloadSize = 0
    /// The first page with the rest of the record; 0 if there is no rest.
    var overflow = 0
  }

  let number: Int
  let kind: Kind
  let bytes: [UInt8]
  let cells: [Cell]
  /// The page of the last child; 0 on a leaf.
  let rightChild: Int

  /// Returns nil if the bytes aren't a sound page of a b-tree.
  ///
  /// - Parameter isExact: Whether each byte must belong to a cell or to free space that is
  ///   accounted for, and each record must be sound, since nothing else shows that the page is
  ///   intact.
  init?(number: Int, bytes: [UInt8], usableSize: Int, isExact: Bool) {
    let header = number == 1 ? 100 : 0
    guard bytes.count >= usableSize, usableSize >= 480, let kind = Kind(rawValue: bytes[header])
    else { return nil }
    let count = bytes.integer16(at: header + 3)
    let pointers = header + (kind.isLeaf ? 8 : 12)
    let stored = bytes.integer16(at: header + 5)
    let content = stored == 0 ? 65536 : stored
    guard pointers + 2 * count <= content, content <= usableSize else { return nil }
    var parser = CellParser(bytes: bytes, kind: kind, usableSize: usableSize)
    var cells: [Cell] = []
    var spans: [Range<Int>] = []
    cells.reserveCapacity(count)
    spans.reserveCapacity(count)
    for index in 0..<count {
      let offset = bytes.integer16(at: pointers + 2 * index)
      guard offset >= content, let cell = parser.parse(at: offset) else { return nil }
      if kind.isTable, let last = cells.last, cell.rowid <= last.rowid { return nil }
      cells.append(cell)
      spans.append(offset..<parser.end)
    }
    guard
      Self.areSeparate(
        &spans, bytes, firstFree: bytes.integer16(at: header + 1), content: content,
        usableSize: usableSize, fragments: isExact ? Int(bytes[header + 7]) : nil)
    else { return nil }
    rightChild = kind.isLeaf ? 0 : bytes.integer32(at: header + 8)
    if !kind.isLeaf && rightChild == 0 { return nil }
    if isExact, kind != .tableInterior {
      var record = SalvagedRecord()
      for cell in cells where cell.overflow == 0 {
        guard record.load(bytes, cell.local) else { return nil }
      }
    }
    self.number = number
    self.kind = kind
    self.bytes = bytes
    self.cells = cells
  }

  /// Whether no cells and free blocks overlap.
  ///
  /// - Parameter fragments: The number of bytes that must remain; nil for any.
  private static func areSeparate(
    _ spans: inout [Range<Int>], _ bytes: [UInt8], firstFree: Int, content: Int, usableSize: Int,
    fragments: Int?
  ) -> Bool {
    var block = firstFree
    var lowest = content
    while block != 0 {
      guard block >= lowest, block + 4 <= usableSize else { return false }
      let size = bytes.integer16(at: block + 2)
      guard size >= 4, block + size <= usableSize else { return false }
      spans.append(block..<(block + size))
      lowest = block + size
      block = bytes.integer16(at: block)
    }
    spans.sort { $0.lowerBound < $1.lowerBound }
    var end = content
    var unused = 0
    for span in spans {
      guard span.lowerBound >= end else { return false }
      unused += span.lowerBound - end
      end = span.upperBound
    }
    unused += usableSize - end
    return fragments.map { $0 == unused } ?? true
  }
}

/// Reads the cells of one page.
private struct CellParser {
  let bytes: [UInt8]
  let kind: BTreePage.Kind
  let usableSize: Int
  /// The end of the last cell.
  private(set) var end = 0

  init(bytes: [UInt8], kind: BTreePage.Kind, usableSize: Int) {
    self.bytes = bytes
    self.kind = kind
    self.usableSize = usableSize
  }

  mutating func parse(at start: Int) -> BTreePage.Cell? {
    var cell = BTreePage.Cell()
    var offset = start
    if !kind.isLeaf {
      guard offset + 4 <= usableSize else { return nil }
      cell.child = bytes.integer32(at: offset)
      guard cell.child > 0 else { return nil }
      offset += 4
    }
    if kind != .tableInterior {
      guard let size = bytes.varint(at: &offset, end: usableSize), size <= 0x7FFF_FFFF else {
        return nil
      }
      cell.payloadSize = Int(size)
    }
    if kind.isTable {
      guard let rowid = bytes.varint(at: &offset, end: usableSize) else { return nil }
      cell.rowid = Int64(bitPattern: rowid)
    }
    if kind != .tableInterior {
      let count = localSize(of: cell.payloadSize)
      guard offset + count <= usableSize else { return nil }
      cell.local = offset..<(offset + count)
      offset += count
      if count < cell.payloadSize {
        guard offset + 4 <= usableSize else { return nil }
        cell.overflow = bytes.integer32(at: offset)
        guard cell.overflow > 1 else { return nil }
        offset += 4
      }
    }
    // No cell takes less than a free block would.
    end = max(offset, start + 4)
    return end <= usableSize ? cell : nil
  }

  /// The number of bytes of a record that are on the page.
  private func localSize(of size: Int) -> Int {
    let largest = kind == .tableLeaf ? usableSize - 35 : (usableSize - 12) * 64 / 255 - 23
    guard size > largest else { return size }
    let smallest = (usableSize - 12) * 32 / 255 - 23
    let count = smallest + (size - smallest) % (usableSize - 4)
    return count <= largest ? count : smallest
  }
}

extension [UInt8] {
  /// Reads SQLite's integer of variable length; nil if it doesn't end before `end`.
  func varint(at offset: inout Int, end: Int) -> UInt64? {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard offset < end else { return nil }
      let byte = self[offset]
      offset += 1
      if index == 8 { return value << 8 | UInt64(byte) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { return value }
    }
    return nil
  }
}
