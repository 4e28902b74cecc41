import CofferSQLite

/// Reads records together with what is on overflow pages.
final class PayloadReader {
  private let source: SalvageSource
  /// The overflow pages that records have been read from. Each belongs to one record.
  private var used: [Bool]
  /// The pages at which records are cut off.
  private(set) var lostPages: Set<Int> = []

  init(_ source: SalvageSource) {
    self.source = source
    used = [Bool](repeating: false, count: source.storedCount + 1)
  }

  /// Returns the bytes of a record, and where it is in them; nil if a page of it is lost.
  func payload(of cell: BTreePage.Cell, on page: BTreePage) -> (bytes: [UInt8], range: Range<Int>)?
  {
    if cell.overflow == 0 { return (page.bytes, cell.local) }
    let capacity = source.usableSize - 4
    var remaining = cell.payloadSize - cell.local.count
    let count = (remaining + capacity - 1) / capacity
    guard count <= source.storedCount else { return nil }
    var bytes = Array(page.bytes[cell.local])
    bytes.reserveCapacity(cell.payloadSize)
    var next = cell.overflow
    for index in 0..<count {
      guard let overflow = overflowPage(next),
        let following = self.following(on: overflow, isLast: index == count - 1)
      else {
        lostPages.insert(next)
        return nil
      }
      used[next] = true
      let part = min(remaining, capacity)
      bytes += overflow[4..<(4 + part)]
      remaining -= part
      next = following
    }
    return (bytes, 0..<bytes.count)
  }

  private func overflowPage(_ number: Int) -> [UInt8]? {
    guard number > 1, number < used.count, !used[number] else { return nil }
    return source.read(number)
  }

  /// The page after an overflow page, 0 after the last one; nil for a number that can't be.
  private func following(on page: [UInt8], isLast: Bool) -> Int? {
    let next = page.integer32(at: 0)
    return (isLast ? next == 0 : next > 1 && next <= source.pageCount) ? next : nil
  }
}
