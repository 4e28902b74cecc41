import CofferCore

/// The rowids and the elements of a list, in its order.
///
/// The elements are an array that the receiver of the last value has, too. So that a change needn't
/// copy it, the array before it is kept: usually, nobody else has that one any more, and it becomes
/// the next value by the last two changes.
package struct ListContent<Element: Sendable>: Sendable {
  private(set) var rowIDs: ContiguousArray<Int64>
  private(set) var elements: [Element]
  /// The elements before the last change; nil if they are too different.
  private var former: [Element]?
  /// The change from the former elements to the elements.
  private var lastEdits: [Edit] = []
  /// Where the rows are; nil before it is needed.
  private var rowPlaces: RowPlaces?

  fileprivate enum Edit: Sendable {
    case replace(Int, Element)
    case remove(Int)
    case insert(Int, Element)
    /// The place of insertion is that after the removal.
    case move(Int, Int, Element)
  }

  init(rowIDs: ContiguousArray<Int64>, elements: [Element]) {
    self.rowIDs = rowIDs
    self.elements = elements
  }

  /// Returns the largest number of changed rows by which a list is changed; a fetch of all rows is
  /// quicker for more.
  static func limit(count: Int, _ plan: _ListQuery.Plan) -> Int {
    max(8, count / (plan.rowIDOrder == nil ? 64 : 10))
  }

  /// The number of changes above which arrays are built anew.
  private static var mostEdits: Int { 16 }

  // MARK: Applying

  /// Changes the list by the current state of some rows.
  ///
  /// - Parameter changed: The rowids, in ascending order.
  /// - Returns: False, with an undefined list, if it must be fetched.
  mutating func apply(
    _ changed: [Int64], _ plan: _ListQuery.Plan, _ db: Database,
    _ decode: ListSource<Element>.Decoding
  ) throws -> Bool {
    guard changed.count <= ListContent.limit(count: rowIDs.count, plan) else { return false }
    let isCutOff = plan.mostRows.map { rowIDs.count >= $0 } ?? false
    let places = places(of: changed, plan.rowIDOrder)
    // One query reads the changed rows, and shows whether they are in order where they are.
    let compared = rowsToCompare(places, plan, isCutOff: isCutOff)
    var sorted: [Int64] = []
    var newIDs: [Int64] = []
    let read = compared.isEmpty ? changed : changed + compared.filter { !changed.hasSorted($0) }
    let fresh = try decode(db, plan.request(db, ofRows: read)) {
      let id = $0.integer(at: plan.rowIDColumn)
      sorted.append(id)
      guard read.count == changed.count || changed.hasSorted(id) else { return false }
      newIDs.append(id)
      return true
    }
    if newIDs.count == places.count, zip(newIDs, places).allSatisfy({ $0 == rowIDs[$1] }),
      plan.rowIDOrder != nil || sorted == compared
    {
      edit(zip(places, fresh).map { .replace($0, $1) })
      return true
    }
    for place in places.reversed() where places.count <= ListContent.mostEdits {
      removeRowID(at: place)
    }
    if places.count > ListContent.mostEdits { rowIDs.removeAll(at: places) }
    // The place of each new row among those that haven't changed.
    var slots: [Int] = []
    for id in newIDs {
      guard let slot = try slot(of: id, from: slots.last ?? 0, plan, db) else { return false }
      slots.append(slot)
    }
    if isCutOff {
      // The rows behind a limit aren't known. They come after all that haven't changed, so that
      // only the places before one of these are certain.
      slots.removeAll { $0 == rowIDs.count }
      guard rowIDs.count + slots.count >= plan.mostRows ?? 0 else { return false }
      newIDs.removeLast(newIDs.count - slots.count)
    }
    if places.count == 1, slots.count == 1 {
      insertRowID(newIDs[0], at: slots[0])
      edit([.move(places[0], slots[0], fresh[0])])
      return true
    }
    let count = rowIDs.count + slots.count
    let excess = max(0, count - (plan.mostRows ?? count))
    if places.count + slots.count <= ListContent.mostEdits {
      for (index, slot) in slots.enumerated() { insertRowID(newIDs[index], at: slot + index) }
      edit(
        places.reversed().map { .remove($0) }
          + zip(slots, fresh).enumerated().map { .insert($1.0 + $0, $1.1) }
          + (0..<excess).map { .remove(count - 1 - $0) })
      for _ in 0..<excess { removeRowID(at: rowIDs.count - 1) }
    } else {
      rowIDs.insert(newIDs, at: slots)
      rowIDs.removeLast(excess)
      rowPlaces = nil
      var next = elements
      next.removeAll(at: places)
      next.insert(fresh, at: slots)
      next.removeLast(excess)
      (elements, former, lastEdits) = (next, nil, [])
    }
    return true
  }

  private mutating func removeRowID(at place: Int) {
    rowIDs.remove(at: place)
    rowPlaces?.noteRemoval()
  }

  private mutating func insertRowID(_ id: Int64, at place: Int) {
    rowIDs.insert(id, at: place)
    rowPlaces?.noteInsertion(of: id, at: place)
  }

  private mutating func edit(_ edits: [Edit]) {
    var next: [Element]
    if let former = former.take() {
      next = former
    } else {
      next = elements
      lastEdits = []
    }
    for edit in lastEdits { edit.apply(to: &next) }
    for edit in edits { edit.apply(to: &next) }
    former = edits.count <= ListContent.mostEdits ? elements : nil
    (elements, lastEdits) = (next, former == nil ? [] : edits)
  }

  // MARK: Places

  /// Returns the places of those rows that the list has, in ascending order.
  private mutating func places(of ids: [Int64], _ order: _ListQuery.Plan.RowIDOrder?) -> [Int] {
    if let order {
      let places = ids.compactMap { id in
        let place = slot(of: id, from: 0, order)
        return place < rowIDs.count && rowIDs[place] == id ? place : nil
      }
      return order == .ascending ? places : places.reversed()
    }
    var rowPlaces = rowPlaces.take() ?? RowPlaces(of: rowIDs)
    if rowPlaces.isWornOut { rowPlaces = RowPlaces(of: rowIDs) }
    let places = ids.compactMap { rowPlaces.place(of: $0, in: rowIDs) }.sorted()
    self.rowPlaces = rowPlaces
    return places
  }

  /// Returns the rows at some places with their neighbors, in the list's order.
  ///
  /// If SQLite has the same order, the rows are in order where they are.
  /// - Returns: None if they aren't, or are in any case.
  private func rowsToCompare(
    _ places: [Int], _ plan: _ListQuery.Plan, isCutOff: Bool
  ) -> [Int64] {
    guard plan.rowIDOrder == nil, let last = places.last else { return [] }
    // The row that comes after the last one of a limit isn't known.
    if isCutOff, last == rowIDs.count - 1 { return [] }
    var compared: [Int64] = []
    var end = 0
    for place in places {
      for neighbor in max(end, place - 1)..<min(place + 2, rowIDs.count) {
        compared.append(rowIDs[neighbor])
        end = neighbor + 1
      }
    }
    return compared
  }

  /// Returns the place of a row among the others, which is not before a given one.
  ///
  /// - Returns: Nil if the others aren't in the order that SQLite gives them.
  private func slot(
    of id: Int64, from start: Int, _ plan: _ListQuery.Plan, _ db: Database
  ) throws -> Int? {
    if let order = plan.rowIDOrder { return slot(of: id, from: start, order) }
    var (low, high) = (start, rowIDs.count)
    while low < high {
      // Each query compares the row with several others, since its cost is mostly that of a query.
      let count = min(high - low, 7)
      let probes = (0..<count).map { low + (2 * $0 + 1) * (high - low) / (2 * count) }
      var sorted = try plan.sorted(db, [id] + probes.map { rowIDs[$0] })
      guard let rank = sorted.firstIndex(of: id) else { return nil }
      sorted.remove(at: rank)
      guard sorted.elementsEqual(probes.lazy.map { rowIDs[$0] }) else { return nil }
      if rank > 0 { low = probes[rank - 1] + 1 }
      if rank < count { high = probes[rank] }
    }
    return low
  }

  private func slot(
    of id: Int64, from start: Int, _ order: _ListQuery.Plan.RowIDOrder
  ) -> Int {
    rowIDs.partitioningIndex(from: start) { order == .ascending ? $0 < id : $0 > id }
  }
}

extension ListContent.Edit {
  fileprivate func apply(to elements: inout [Element]) {
    switch self {
    case .replace(let place, let element): elements[place] = element
    case .remove(let place): elements.remove(at: place)
    case .insert(let place, let element): elements.insert(element, at: place)
    case .move(let place, let newPlace, let element):
      elements.move(from: place, to: newPlace)
      elements[newPlace] = element
    }
  }
}

extension Array {
  /// Moves an element; the others between both places make room for it.
  fileprivate mutating func move(from place: Int, to newPlace: Int) {
    guard place != newPlace else { return }
    unsafe withUnsafeMutableBufferPointer { elements in
      // SAFETY: both places are in the array. Each is initialized again after it was moved from.
      let start = elements.baseAddress!
      let moved = unsafe (start + place).move()
      if place < newPlace {
        unsafe (start + place).moveInitialize(from: start + place + 1, count: newPlace - place)
      } else {
        unsafe (start + newPlace + 1).moveInitialize(
          from: start + newPlace, count: place - newPlace)
      }
      unsafe (start + newPlace).initialize(to: moved)
    }
  }
}

extension [Int64] {
  /// Whether the array, which is in ascending order, has a number.
  fileprivate func hasSorted(_ number: Int64) -> Bool {
    let index = partitioningIndex(from: 0) { $0 < number }
    return index < count && self[index] == number
  }
}

extension RangeReplaceableCollection where Index == Int {
  /// Removes the elements at some places, in ascending order, in one pass.
  fileprivate mutating func removeAll(at places: [Int]) {
    var result = Self()
    result.reserveCapacity(count)
    var start = 0
    for place in places {
      result.append(contentsOf: self[start..<place])
      start = place + 1
    }
    result.append(contentsOf: self[start...])
    self = result
  }

  /// Inserts elements before those at some places, in ascending order, in one pass.
  fileprivate mutating func insert(_ new: some Collection<Element>, at places: [Int]) {
    var result = Self()
    result.reserveCapacity(count + new.count)
    var start = 0
    for (place, element) in zip(places, new) {
      result.append(contentsOf: self[start..<place])
      result.append(element)
      start = place
    }
    result.append(contentsOf: self[start...])
    self = result
  }
}
