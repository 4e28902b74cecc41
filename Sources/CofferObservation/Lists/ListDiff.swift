/// The changes from one list to another.
struct ListChanges: Equatable {
  /// A record that is in both lists.
  struct Pair: Equatable {
    var old: Int
    var new: Int
  }

  /// Deleted sections, by ascending index in the old list.
  var sectionDeletions: [Int] = []
  /// Inserted sections, by ascending index in the new list.
  var sectionInsertions: [Int] = []
  /// Deleted records, by ascending index in the old list.
  var deletions: [Int] = []
  /// Inserted records, by ascending index in the new list.
  var insertions: [Int] = []
  /// Moved records, by ascending index in the new list.
  var moves: [Pair] = []
  /// Changed records that haven't moved, by ascending index.
  var updates: [Pair] = []

  var isEmpty: Bool {
    sectionDeletions.isEmpty && sectionInsertions.isEmpty && deletions.isEmpty
      && insertions.isEmpty && moves.isEmpty && updates.isEmpty
  }
}

/// Compares lists, with pure functions of indices and keys.
///
/// First, each record of the new list is matched with a record of the old list, its *origin*. Then,
/// of the records in both lists, as many as possible stay in place; all others move.
enum ListDiff {
  /// The origin of a record that wasn't in the old list.
  static let none = -1

  // MARK: Origins

  /// Returns the index in the old list for each element of the new list, by key.
  ///
  /// Among equal keys, each old element is the origin of at most one new element.
  /// - Complexity: O(old + new) hashes and comparisons; for a common prefix and suffix of the
  ///   lists, comparisons only.
  static func origins<Key: Hashable>(of new: [Key], in old: [Key]) -> [Int] {
    var origins = Array(repeating: none, count: new.count)
    let shorter = min(old.count, new.count)
    var start = 0
    while start < shorter, old[start] == new[start] {
      origins[start] = start
      start += 1
    }
    var oldEnd = old.count
    var newEnd = new.count
    while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
      oldEnd -= 1
      newEnd -= 1
      origins[newEnd] = oldEnd
    }
    guard oldEnd > start, newEnd > start else { return origins }
    // The first index of each key, and for each index the next one with the same key.
    var first: [Key: Int] = Dictionary(minimumCapacity: oldEnd - start)
    var next = Array(repeating: none, count: oldEnd - start)
    for place in (start..<oldEnd).reversed() {
      if let later = first.updateValue(place, forKey: old[place]) { next[place - start] = later }
    }
    for place in start..<newEnd {
      guard let found = first.index(forKey: new[place]) else { continue }
      let origin = first.values[found]
      guard origin != none else { continue }
      origins[place] = origin
      first.values[found] = next[origin - start]
    }
    return origins
  }

  /// Searches missing origins with a function, among the unmatched elements of the old list.
  ///
  /// Each search continues after the last origin found, so that it is short if the records have
  /// kept their order.
  /// - Complexity: O(*k* · (1 + *m*)) calls, where *k* records have no origin yet, and *m* of them
  ///   are new or have moved.
  static func findMissing(
    _ origins: inout [Int], oldCount: Int, isSame: (_ old: Int, _ new: Int) throws -> Bool
  ) rethrows {
    var isTaken = Array(repeating: false, count: oldCount)
    for origin in origins where origin != none { isTaken[origin] = true }
    let rest = isTaken.indices.filter { !isTaken[$0] }
    // A ring of the unmatched elements.
    var next = rest.indices.map { $0 + 1 == rest.count ? 0 : $0 + 1 }
    var previous = rest.indices.map { $0 == 0 ? rest.count - 1 : $0 - 1 }
    var left = rest.count
    var cursor = 0
    for place in origins.indices where origins[place] == none {
      guard left > 0 else { return }
      for _ in 0..<left {
        let candidate = cursor
        cursor = next[candidate]
        guard try isSame(rest[candidate], place) else { continue }
        origins[place] = rest[candidate]
        next[previous[candidate]] = cursor
        previous[cursor] = previous[candidate]
        left -= 1
        break
      }
    }
  }

  // MARK: Changes

  /// Returns the changes that turn the old list into the new one.
  ///
  /// - Parameters:
  ///   - origins: The index in the old list for each element of the new list.
  ///   - isChanged: Returns whether the element at an index of the new list differs from its
  ///     origin.
  /// - Complexity: O(*n* log *n*) for *n* records.
  static func changes(
    origins: [Int], old: ListSections, new: ListSections, isChanged: (_ new: Int) -> Bool
  ) -> ListChanges {
    var changes = ListChanges()
    let sections = SectionMatch(old: old, new: new)
    changes.sectionDeletions = old.names.indices.filter { sections.newOfOld[$0] == none }
    changes.sectionInsertions = new.names.indices.filter { sections.oldOfNew[$0] == none }

    // Records that keep their section can stay: in each section, the longest run that is in order.
    let (oldSection, newSection) = (old.sectionOfEachRecord, new.sectionOfEachRecord)
    let candidates = origins.indices.filter { place in
      let origin = origins[place]
      return origin != none && sections.oldOfNew[newSection[place]] == oldSection[origin]
    }
    var stays = Array(repeating: false, count: origins.count)
    for index in longestIncreasingSubsequence(of: candidates.map { origins[$0] }) {
      stays[candidates[index]] = true
    }

    var survives = Array(repeating: false, count: old.recordCount)
    for (place, origin) in origins.enumerated() {
      if origin == none {
        changes.insertions.append(place)
        continue
      }
      if stays[place] {
        survives[origin] = true
        if isChanged(place) { changes.updates.append(ListChanges.Pair(old: origin, new: place)) }
      } else if sections.newOfOld[oldSection[origin]] == none
        || sections.oldOfNew[newSection[place]] == none
      {
        // List views can't move a record out of a deleted section, nor into an inserted one.
        changes.insertions.append(place)
      } else {
        survives[origin] = true
        changes.moves.append(ListChanges.Pair(old: origin, new: place))
      }
    }
    changes.deletions = survives.indices.filter { !survives[$0] }
    return changes
  }

  /// Returns the indices of the longest increasing subsequence.
  ///
  /// - Complexity: O(*n* log *n*) comparisons; O(*n*) for values that already increase.
  static func longestIncreasingSubsequence<Value: Comparable>(of values: [Value]) -> [Int] {
    // For each length, at index length - 1: the end of the subsequence with the least last value.
    var ends: [Int] = []
    var previous = Array(repeating: none, count: values.count)
    for place in values.indices {
      let value = values[place]
      var low = 0
      var high = ends.count
      if let last = ends.last, values[last] < value { low = high }
      while low < high {
        let middle = (low + high) / 2
        if values[ends[middle]] < value { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[place] = ends[low - 1] }
      if low == ends.count { ends.append(place) } else { ends[low] = place }
    }
    var sequence: [Int] = []
    sequence.reserveCapacity(ends.count)
    var place = ends.last ?? none
    while place != none {
      sequence.append(place)
      place = previous[place]
    }
    return sequence.reversed()
  }
}

/// The matching sections of two lists: sections of equal names, as many as are in the same order.
private struct SectionMatch {
  var oldOfNew: [Int]
  var newOfOld: [Int]

  init(old: ListSections, new: ListSections) {
    let origins = ListDiff.origins(of: new.names, in: old.names)
    oldOfNew = Array(repeating: ListDiff.none, count: new.names.count)
    newOfOld = Array(repeating: ListDiff.none, count: old.names.count)
    let known = origins.indices.filter { origins[$0] != ListDiff.none }
    for index in ListDiff.longestIncreasingSubsequence(of: known.map { origins[$0] }) {
      let section = known[index]
      oldOfNew[section] = origins[section]
      newOfOld[origins[section]] = section
    }
  }
}
