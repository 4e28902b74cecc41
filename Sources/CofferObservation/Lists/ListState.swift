import CofferCore
import CofferRecords

/// The update of a list to the next one, for its receiver.
// SAFETY: the differ creates a batch, passes it to one block of the receiving queue, and keeps no
// reference to its records, which are created for it.
struct ListBatch<Record>: @unchecked Sendable {
  /// For each record of the new list its index in the old one, or ``ListDiff/none``.
  var origins: [Int]
  /// The new and changed records, by index in the new list.
  var fresh: [Int: Record]
  var list: FetchedList
  var oldSections: ListSections
  var sections: ListSections
  var changes: ListChanges
  /// The old values of changed columns, by index in the new list.
  var changedValues: [Int: [String: DatabaseValue]] = [:]

  /// Whether records were only changed, without insertions, deletions and moves.
  var keepsPlaces: Bool {
    changes.insertions.isEmpty && changes.deletions.isEmpty && changes.moves.isEmpty
  }
}

/// The list that the differ compares the next one with.
struct ListState<Record: FetchableRecord & _SendableMetatype> {
  private var list: FetchedList
  private var sections: ListSections
  private let identity: ListIdentity<Record>
  private let sectionName: (@Sendable (Record) -> String)?

  init(
    _ list: FetchedList, sections: ListSections, identity: ListIdentity<Record>,
    sectionName: (@Sendable (Record) -> String)?
  ) {
    self.list = list
    self.sections = sections
    self.identity = identity
    self.sectionName = sectionName
  }

  /// Advances to another list.
  ///
  /// - Returns: The changes from the old list to the new one.
  /// - Throws: An error of decoding a record; the list is unchanged then.
  mutating func advance(to next: FetchedList) throws -> ListBatch<Record> {
    var next = next
    next.makeKeys()
    let (rows, nextRows) = (list.rows, next.rows)
    var origins = ListDiff.origins(of: next.keys, in: list.keys)
    var maker = RecordMaker<Record>()
    var fresh: [Int: Record] = [:]
    if case .function(let isSame) = identity {
      var old: [Int: Record] = [:]
      try ListDiff.findMissing(&origins, oldCount: rows.count) { oldPlace, place in
        let oldRecord = try old[oldPlace] ?? maker.record(rows[oldPlace].row)
        old[oldPlace] = oldRecord
        let record = try fresh[place] ?? maker.record(nextRows[place].row)
        fresh[place] = record
        return isSame(oldRecord, record)
      }
    }
    let isChanged = origins.indices.map { place in
      origins[place] == ListDiff.none || rows[origins[place]] != nextRows[place]
    }
    for place in isChanged.indices where isChanged[place] && fresh[place] == nil {
      fresh[place] = try maker.record(nextRows[place].row)
    }
    let newSections = sectionsOfNext(origins, fresh)
    let changes = ListDiff.changes(origins: origins, old: sections, new: newSections) {
      isChanged[$0]
    }
    var batch = ListBatch(
      origins: origins, fresh: fresh, list: next, oldSections: sections, sections: newSections,
      changes: changes)
    for pair in changes.updates + changes.moves where isChanged[pair.new] {
      batch.changedValues[pair.new] = nextRows[pair.new].row.oldValues(in: rows[pair.old].row)
    }
    (list, sections) = (next, newSections)
    return batch
  }

  private func sectionsOfNext(_ origins: [Int], _ fresh: [Int: Record]) -> ListSections {
    guard let sectionName else { return ListSections(count: origins.count) }
    let oldNames = sections.nameOfEachRecord
    return ListSections(
      names: origins.indices.lazy.map { place in
        if let record = fresh[place] { return sectionName(record) }
        return oldNames[origins[place]]
      })
  }
}

/// Decodes records from rows of the same columns, with one plan for all of them.
private struct RecordMaker<Record: FetchableRecord & _SendableMetatype> {
  private var plan: AnyObject?
  private var layout: RowLayout?

  mutating func record(_ row: Row) throws -> Record {
    // The record can keep its row.
    let row = Row(base: row, adaptation: row.adaptation, prefetched: row.prefetched)
    if layout === row.layout { row.plan = plan }
    let record = try Record(row: row)
    (plan, layout) = (row.plan, row.layout)
    return record
  }
}

extension Row {
  /// Returns the values of another row for the columns whose values differ.
  fileprivate func oldValues(in old: Row) -> [String: DatabaseValue] {
    var values: [String: DatabaseValue] = [:]
    for (name, value) in self {
      let oldValue = old.index(ofColumn: name).map { old.databaseValue(at: $0) } ?? .null
      if oldValue != value { values[name] = oldValue }
    }
    for (name, oldValue) in old where !oldValue.isNull && !hasColumn(name) {
      values[name] = oldValue
    }
    return values
  }
}
