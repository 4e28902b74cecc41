/// The places of a list's rows, found by their rowids.
///
/// It has each row's place as it was at some time. Each insertion or removal since then has moved
/// the row by one at most, so that it is near that place, or not in the list.
struct RowPlaces: Sendable {
  /// Where a row was, and how many insertions and removals there had been.
  private struct Mark {
    var place: Int
    var editCount: Int
  }

  /// The rowids at the beginning, in ascending order, and the places of their rows.
  private let ids: ContiguousArray<Int64>
  private let places: ContiguousArray<UInt32>
  /// The rows that came later, or came again.
  private var inserted: [Int64: Mark] = [:]
  private var editCount = 0

  /// - Parameter rowIDs: The rowids in the list's order, no two of them equal.
  /// - Complexity: O(*n* log *n*); about 12 bytes of memory for each row.
  init(of rowIDs: ContiguousArray<Int64>) {
    var rows = ContiguousArray(zip(rowIDs, 0 as UInt32..<UInt32(rowIDs.count)))
    rows.sort { $0.0 < $1.0 }
    ids = ContiguousArray(rows.lazy.map { $0.0 })
    places = ContiguousArray(rows.lazy.map { $0.1 })
  }

  /// Whether so many edits were noted that rows are quicker to find by new places.
  var isWornOut: Bool { editCount > 4_096 }

  /// Notes that a row was inserted at a place.
  mutating func noteInsertion(of id: Int64, at place: Int) {
    editCount += 1
    inserted[id] = Mark(place: place, editCount: editCount)
  }

  /// Notes that a row was removed.
  mutating func noteRemoval() { editCount += 1 }

  /// Returns the place of a row in the list; nil if it isn't there.
  ///
  /// - Parameter rowIDs: The list as it is after the noted edits.
  func place(of id: Int64, in rowIDs: ContiguousArray<Int64>) -> Int? {
    guard let mark = inserted[id] ?? firstMark(of: id) else { return nil }
    let distance = editCount - mark.editCount
    let near = rowIDs.indices.clamped(to: mark.place - distance..<mark.place + distance + 1)
    return rowIDs[near].firstIndex(of: id)
  }

  private func firstMark(of id: Int64) -> Mark? {
    let index = ids.partitioningIndex { $0 < id }
    guard index < ids.count, ids[index] == id else { return nil }
    return Mark(place: Int(places[index]), editCount: 0)
  }
}

extension RandomAccessCollection where Index == Int {
  /// Returns the index of the first element that doesn't come before something, in an array in that
  /// order.
  func partitioningIndex(from start: Int = 0, _ isBefore: (Element) -> Bool) -> Int {
    var (low, high) = (start, count)
    while low < high {
      let middle = low + (high - low) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
