/// How one list became another.
struct ListChanges: Equatable {
  /// A record that is in both lists.
  struct Pair: Equatable {
    var old: Int
    var new: Int
  }

  /// Sections, by their places in the old list, upwards.
  var sectionDeletions: [Int] = []
  /// Sections, by their places in the new list, upwards.
  var sectionInsertions: [Int] = []
  /// Places in the old list, upwards.
  var deletions: [Int] = []
  /// Places in the new list, upwards.
  var insertions: [Int] = []
  /// By their places in the new list, upwards.
  var moves: [Pair] = []
  /// Records that have changed and haven't moved, upwards.
  var updates: [Pair] = []

  var isEmpty: Bool {
    sectionDeletions.isEmpty && sectionInsertions.isEmpty && deletions.isEmpty
      && insertions.isEmpty && moves.isEmpty && updates.isEmpty
  }
}

/// Compares lists: pure functions of positions and keys.
///
/// First it is found out which record of the old list each of the new list is: its *origin*. Then of
/// those that are in both lists, as many as possible stay; all others move.
enum ListDiff {
  /// The origin of what wasn't in the old list.
  static let none = -1

  // MARK: Origins

  /// The places in the old list of what is in the new list, by keys.
  ///
  /// Of equal keys, each is the origin of one.
  /// - Complexity: O(old + new) hashes and comparisons; where the lists begin and end with the same
  ///   keys, comparisons alone.
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
    // The first place of each key, and from each place the next one of the same key.
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

  /// Looks for the origins that are missing with a function, among what is left of the old list.
  ///
  /// The search goes on behind the origin that was found last, so that it is short where the
  /// records have kept their order.
  /// - Complexity: O(*k* · (1 + *m*)) calls, where *k* records lack an origin, and *m* of them are new
  ///   or have moved.
  static func findMissing(
    _ origins: inout [Int], oldCount: Int, isSame: (_ old: Int, _ new: Int) throws -> Bool
  ) rethrows {
    var isTaken = Array(repeating: false, count: oldCount)
    for origin in origins where origin != none { isTaken[origin] = true }
    let rest = isTaken.indices.filter { !isTaken[$0] }
    // A ring of what is left.
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

  /// The changes that make the old list the new one.
  ///
  /// - Parameters:
  ///   - origins: The places in the old list of what is in the new list.
  ///   - isChanged: Whether what is at a place of the new list differs from its origin.
  /// - Complexity: O(*n* log *n*) for *n* records.
  static func changes(
    origins: [Int], old: ListSections, new: ListSections, isChanged: (_ new: Int) -> Bool
  ) -> ListChanges {
    var changes = ListChanges()
    let sections = SectionMatch(old: old, new: new)
    changes.sectionDeletions = old.names.indices.filter { sections.newOfOld[$0] == none }
    changes.sectionInsertions = new.names.indices.filter { sections.oldOfNew[$0] == none }

    // What can stay is what stays in its section: there, the longest run that is in order.
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
        // List views can't move what goes with its section, nor into a section that comes.
        changes.insertions.append(place)
      } else {
        survives[origin] = true
        changes.moves.append(ListChanges.Pair(old: origin, new: place))
      }
    }
    changes.deletions = survives.indices.filter { !survives[$0] }
    return changes
  }

  /// The places of the longest sequence of rising values.
  ///
  /// - Complexity: O(*n* log *n*) comparisons; O(*n*) for values that rise already.
  static func longestIncreasingSubsequence<Value: Comparable>(of values: [Value]) -> [Int] {
    // By length less one, where the sequence of that length ends that ends with the least value.
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

/// Which sections of two lists are the same: those of equal names, as many as are in the same order.
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
