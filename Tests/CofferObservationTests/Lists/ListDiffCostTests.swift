import CofferTestSupport
import Testing

@testable import CofferObservation

private final class Counter {
  var count = 0
}

/// A key that counts how often it is compared or hashed.
private struct CountedKey: Hashable {
  let value: Int
  let counter: Counter

  static func == (lhs: CountedKey, rhs: CountedKey) -> Bool {
    lhs.counter.count += 1
    return lhs.value == rhs.value
  }

  func hash(into hasher: inout Hasher) {
    counter.count += 1
    hasher.combine(value)
  }
}

private struct CountedValue: Comparable {
  let value: Int
  let counter: Counter

  static func == (lhs: CountedValue, rhs: CountedValue) -> Bool { lhs.value == rhs.value }

  static func < (lhs: CountedValue, rhs: CountedValue) -> Bool {
    lhs.counter.count += 1
    return lhs.value < rhs.value
  }
}

@Suite("The cost of the differences between lists")
struct ListDiffCostTests {
  private static let count = 100_000

  /// The origins of a list, and how many operations on keys that took.
  private func origins(_ new: [Int], _ old: [Int]) -> (origins: [Int], operations: Int) {
    let counter = Counter()
    let origins = ListDiff.origins(
      of: new.map { CountedKey(value: $0, counter: counter) },
      in: old.map { CountedKey(value: $0, counter: counter) })
    return (origins, counter.count)
  }

  private func changes(_ new: [Int], _ old: [Int]) -> (changes: ListChanges, operations: Int) {
    var (origins, operations) = origins(new, old)
    let changes = ListDiff.changes(
      origins: origins, old: ListSections(count: old.count), new: ListSections(count: new.count)
    ) { _ in
      operations += 1
      return false
    }
    return (changes, operations)
  }

  @Test func `random edits of a long list cost a few operations for each record`() {
    var generator = SeededGenerator(state: 5)
    let old = Array(0..<Self.count)
    var new = old
    for step in 0..<1_000 {
      let place = Int.random(in: 0..<new.count, using: &generator)
      switch step % 3 {
      case 0: new[place] = -1 - step
      case 1: new.swapAt(place, Int.random(in: 0..<new.count, using: &generator))
      default: new.insert(Self.count + step, at: place)
      }
    }
    let (changes, operations) = changes(new, old)
    #expect(changes.deletions.count == old.count - Set(new).intersection(old).count)
    #expect(changes.moves.count <= 667)
    // A hash for each record of both lists, one more where the table is read after it was written,
    // and a comparison or two for each that is found.
    #expect(operations < 10 * Self.count)
  }

  @Test func `a shuffled list costs no more`() {
    var generator = SeededGenerator(state: 6)
    let old = Array(0..<Self.count)
    let (changes, operations) = changes(old.shuffled(using: &generator), old)
    #expect(changes.deletions.isEmpty)
    #expect(operations < 10 * Self.count)
  }

  @Test func `a list of equal keys costs no more`() {
    let old = Array(repeating: 1, count: Self.count)
    let (result, operations) = origins([0] + old + [0, 0], [2] + old + [2])
    #expect(result.count { $0 >= 0 } == Self.count)
    #expect(operations < 10 * Self.count)
  }

  @Test func `one change in the middle is found without hashes`() {
    let old = Array(0..<Self.count)
    var new = old
    new.remove(at: Self.count / 2)
    let (changes, operations) = changes(new, old)
    #expect(changes.deletions == [Self.count / 2])
    #expect(operations <= 2 * Self.count + 2)
  }

  @Test func `the longest rising sequence takes a logarithm of comparisons for each value`() {
    var generator = SeededGenerator(state: 9)
    let counter = Counter()
    let values = Array(0..<Self.count).shuffled(using: &generator).map {
      CountedValue(value: $0, counter: counter)
    }
    let places = ListDiff.longestIncreasingSubsequence(of: values)
    #expect(counter.count <= Self.count * 18)
    #expect(zip(places, places.dropFirst()).allSatisfy { values[$0].value < values[$1].value })
    #expect(places.count > 500)
  }

  @Test func `a function is called about once for each changed record, if few have moved`() {
    let old = Array(0..<Self.count)
    let new = Array(3..<Self.count) + [-1, -2]
    var origins = Array(repeating: ListDiff.none, count: new.count)
    var calls = 0
    ListDiff.findMissing(&origins, oldCount: old.count) {
      calls += 1
      return old[$0] == new[$1]
    }
    #expect(origins == Array(3..<Self.count) + [-1, -1])
    #expect(calls <= Self.count + 10)
  }
}
