import FoundationEssentials

/// The division of a list into sections: runs of records with the same name.
struct ListSections: Equatable, Sendable {
  /// The names of the sections, in order; several can have the same name.
  private(set) var names: [String]
  /// The start index of each section.
  private(set) var starts: [Int]
  private(set) var recordCount: Int

  /// Creates one section, even if it has no records.
  init(count: Int) {
    names = [""]
    starts = [0]
    recordCount = count
  }

  /// Creates the sections of records with these names: none without records.
  init(names: some Sequence<String>) {
    self.names = []
    starts = []
    recordCount = 0
    for name in names {
      if self.names.last != name {
        self.names.append(name)
        starts.append(recordCount)
      }
      recordCount += 1
    }
  }

  /// Returns the indices of the records of a section.
  func range(of section: Int) -> Range<Int> {
    starts[section]..<(section + 1 < starts.count ? starts[section + 1] : recordCount)
  }

  var sectionOfEachRecord: [Int] {
    var sections = Array(repeating: 0, count: recordCount)
    for section in names.indices.dropFirst() {
      for place in range(of: section) { sections[place] = section }
    }
    return sections
  }

  /// The section name of each record.
  var nameOfEachRecord: [String] { sectionOfEachRecord.map { names[$0] } }

  /// Returns the index path of a record.
  ///
  /// - Complexity: O(log sections).
  func indexPath(_ place: Int) -> IndexPath {
    var low = 0
    var high = starts.count - 1
    while low < high {
      let middle = (low + high + 1) / 2
      if starts[middle] <= place { low = middle } else { high = middle - 1 }
    }
    return IndexPath(row: place - starts[low], section: low)
  }

  /// Returns the index in the list; nil if the index path is out of range.
  func place(at indexPath: IndexPath) -> Int? {
    guard indexPath.count == 2, starts.indices.contains(indexPath.section) else { return nil }
    let range = range(of: indexPath.section)
    guard indexPath.row >= 0, indexPath.row < range.count else { return nil }
    return range.lowerBound + indexPath.row
  }
}
