import CofferTestSupport
import Testing

@testable import CofferObservation

private struct Item: Equatable {
  var id: Int
  var text = 0
  var section = 0
}

/// The list that results from changes.
private func apply(_ changes: ListChanges, from old: [Item], to new: [Item]) -> [[Item]] {
  let (oldLayout, newLayout) = (layout(old), layout(new))
  var rows: [[Item?]] = oldLayout.names.indices.map { section in
    oldLayout.range(of: section).map { old[$0] }
  }
  func take(_ place: Int) {
    let path = oldLayout.indexPath(place)
    rows[path.section][path.row] = nil
  }
  for pair in changes.updates {
    let path = oldLayout.indexPath(pair.old)
    rows[path.section][path.row] = new[pair.new]
  }
  changes.deletions.forEach(take)
  changes.moves.forEach { take($0.old) }
  var result = rows.map { $0.compactMap(\.self) }
  for section in changes.sectionDeletions.reversed() {
    #expect(result[section].isEmpty)
    result.remove(at: section)
  }
  for section in changes.sectionInsertions { result.insert([], at: section) }
  for place in (changes.insertions + changes.moves.map(\.new)).sorted() {
    let path = newLayout.indexPath(place)
    result[path.section].insert(new[place], at: path.row)
  }
  return result
}

private func layout(_ items: [Item]) -> ListSections {
  ListSections(names: items.map { "\($0.section)" })
}

private func grouped(_ items: [Item]) -> [[Item]] {
  let layout = layout(items)
  return layout.names.indices.map { Array(items[layout.range(of: $0)]) }
}

private func changes(from old: [Item], to new: [Item]) -> ListChanges {
  let origins = ListDiff.origins(of: new.map(\.id), in: old.map(\.id))
  return ListDiff.changes(origins: origins, old: layout(old), new: layout(new)) {
    new[$0] != old[origins[$0]]
  }
}

/// Another list, in which some records are deleted, inserted, changed or moved.
private func edited(
  _ items: [Item], sections: Int, nextID: inout Int, using generator: inout SeededGenerator
) -> [Item] {
  var items = items
  for _ in 0..<Int.random(in: 0...6, using: &generator) {
    let place = items.isEmpty ? 0 : Int.random(in: 0..<items.count, using: &generator)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0, 1:
      items.insert(
        Item(id: nextID, section: Int.random(in: 0..<sections, using: &generator)), at: place)
      nextID += 1
    case 2 where !items.isEmpty: items.remove(at: place)
    case 3 where !items.isEmpty: items[place].text += 1
    case 4 where !items.isEmpty:
      let item = items.remove(at: place)
      items.insert(item, at: Int.random(in: 0...items.count, using: &generator))
    case 5 where !items.isEmpty:
      items[place].section = Int.random(in: 0..<sections, using: &generator)
    default: break
    }
  }
  return items
}

@Suite("The differences between lists")
struct ListDiffTests {
  @Test(arguments: [(sections: 1, sorts: false), (3, false), (3, true), (8, true)])
  func `the changes make the new list of the old one, whatever was edited`(
    sections: Int, sorts: Bool
  ) {
    var generator = SeededGenerator(state: UInt64(sections) * 2 + (sorts ? 1 : 0))
    var nextID = 0
    var old: [Item] = []
    for step in 0..<4_000 {
      if step % 100 == 0 { old = [] }
      var new = edited(old, sections: sections, nextID: &nextID, using: &generator)
      if sorts { new.sort { ($0.section, $0.text, $0.id) < ($1.section, $1.text, $1.id) } }
      let changes = changes(from: old, to: new)
      #expect(apply(changes, from: old, to: new) == grouped(new))
      #expect(changes.isEmpty == (old == new))
      old = new
    }
  }

  @Test func `records of the same identity are compared one by one`() {
    var generator = SeededGenerator(state: 7)
    var old: [Item] = []
    for _ in 0..<4_000 {
      let count = Int.random(in: 0...8, using: &generator)
      let new = (0..<count).map { _ in
        Item(
          id: Int.random(in: 0..<3, using: &generator),
          text: Int.random(in: 0..<2, using: &generator),
          section: Int.random(in: 0..<2, using: &generator))
      }
      #expect(apply(changes(from: old, to: new), from: old, to: new) == grouped(new))
      old = new
    }
  }

  @Test func `as few records as possible move`() {
    var generator = SeededGenerator(state: 11)
    for _ in 0..<500 {
      let old = (0..<8).map { Item(id: $0) }
      let new = old.shuffled(using: &generator)
      #expect(changes(from: old, to: new).moves.count == 8 - longestRun(new.map(\.id)))
    }
  }

  private func longestRun(_ values: [Int]) -> Int {
    var lengths: [Int] = []
    for (index, value) in values.enumerated() {
      let best = (0..<index).filter { values[$0] < value }.map { lengths[$0] }.max() ?? 0
      lengths.append(best + 1)
    }
    return lengths.max() ?? 0
  }

  @Test func `a record that goes to the end is one move`() {
    let old = (0..<5).map { Item(id: $0) }
    let result = changes(from: old, to: Array(old[1...]) + [old[0]])
    #expect(result == ListChanges(moves: [ListChanges.Pair(old: 0, new: 4)]))
  }

  @Test func `a record that has changed stays where others come and go around it`() {
    let old = [Item(id: 1), Item(id: 2), Item(id: 3)]
    let new = [Item(id: 4), Item(id: 5), Item(id: 2, text: 1)]
    let result = changes(from: old, to: new)
    #expect(
      result
        == ListChanges(
          deletions: [0, 2], insertions: [0, 1], updates: [ListChanges.Pair(old: 1, new: 2)]))
  }

  @Test func `a record that goes to a new section is deleted and inserted`() {
    let old = [Item(id: 1, section: 0), Item(id: 2, section: 0)]
    let new = [Item(id: 1, section: 0), Item(id: 2, section: 1)]
    #expect(
      changes(from: old, to: new)
        == ListChanges(sectionInsertions: [1], deletions: [1], insertions: [1]))
  }

  @Test func `sections that change places keep as many as possible`() {
    let old = (0..<4).map { Item(id: $0, section: $0) }
    let new = [old[3], old[0], old[1], old[2]]
    let result = changes(from: old, to: new)
    #expect(result.sectionDeletions == [3])
    #expect(result.sectionInsertions == [0])
    #expect(result.moves.isEmpty)
  }

  @Test func `a list without sections has one, with records or without`() {
    #expect(ListSections(count: 0).names.count == 1)
    #expect(ListSections(names: []).names.isEmpty)
    #expect(ListSections(names: ["a", "a", "b", "a"]).starts == [0, 2, 3])
    #expect(ListSections(names: ["a", "a", "b", "a"]).sectionOfEachRecord == [0, 0, 1, 2])
  }

  @Test func `a function finds the origins that keys don't`() {
    var generator = SeededGenerator(state: 3)
    for _ in 0..<2_000 {
      let old = (0..<Int.random(in: 0...12, using: &generator)).map { Item(id: $0) }
      var new = old.shuffled(using: &generator).dropLast(old.count / 3) + [Item(id: 99)]
      for place in new.indices where Bool.random(using: &generator) { new[place].text = 1 }
      // The keys are the contents, as for records that only a function identifies.
      var origins = ListDiff.origins(
        of: new.map { [$0.id, $0.text] }, in: old.map { [$0.id, $0.text] })
      ListDiff.findMissing(&origins, oldCount: old.count) { old[$0].id == new[$1].id }
      #expect(origins == new.map { item in old.firstIndex { $0.id == item.id } ?? -1 })
    }
  }
}
