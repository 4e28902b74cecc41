@testable import CofferCore
import Testing

/// A cursor that counts how often it is read, and can fail.
private final class ProbeCursor: Cursor {
  private(set) var readCount = 0
  private let elements: [Int]
  private let failureIndex: Int?
  private var isDone = false

  init(_ elements: [Int], failingAt failureIndex: Int? = nil) {
    self.elements = elements
    self.failureIndex = failureIndex
  }

  func next() throws -> Int? {
    if isDone { return nil }
    defer { readCount += 1 }
    if readCount == failureIndex {
      isDone = true
      throw ProbeError.base
    }
    if readCount >= elements.count {
      isDone = true
      return nil
    }
    return elements[readCount]
  }
}

private enum ProbeError: Error {
  case base, closure
}

/// Reads all, then checks that the cursor stays at its end.
private func drain<C: Cursor>(_ cursor: C) throws -> [C.Element] {
  var elements: [C.Element] = []
  while let element = try cursor.next() { elements.append(element) }
  let afterEnd = try cursor.next()
  #expect(afterEnd == nil)
  return elements
}

/// Reads up to the error, then checks that the cursor stays at its end.
private func drainToError<C: Cursor>(_ cursor: C) -> ([C.Element], ProbeError?) {
  var elements: [C.Element] = []
  do {
    while let element = try cursor.next() { elements.append(element) }
    return (elements, nil)
  } catch {
    for _ in 0..<2 {
      #expect(throws: Never.self) {
        let afterError = try cursor.next()
        #expect(afterError == nil)
      }
    }
    return (elements, error as? ProbeError)
  }
}

@Suite struct CursorTests {
  // MARK: Making

  @Test func `any cursor reads cursors, sequences, iterators and closures`() throws {
    #expect(try drain(AnyCursor(ProbeCursor([1, 2]))) == [1, 2])
    #expect(try drain(AnyCursor([1, 2])) == [1, 2])
    #expect(try drain(AnyCursor(iterator: (1...2).makeIterator())) == [1, 2])
    var left = 2
    let counting = AnyCursor<Int> {
      left -= 1
      return left >= 0 ? left : nil
    }
    #expect(try drain(counting) == [1, 0])
    #expect(try drain(AnyCursor([Int]())) == [])
  }

  @Test func `any cursor does not read on after the first nil`() throws {
    var answers: [Int?] = [nil, 1]
    let cursor = AnyCursor<Int> { answers.removeFirst() }
    #expect(try drain(cursor) == [])
    #expect(answers == [1])
  }

  @Test func `any cursor reads a sequence lazily`() throws {
    let base = ProbeCursor([1, 2, 3])
    let sequence = sequence(state: base) { try? $0.next() }
    let cursor = AnyCursor(sequence)
    #expect(base.readCount == 0)
    #expect(try cursor.next() == 1)
    #expect(base.readCount == 1)
  }

  // MARK: Lazy transformations

  @Test func `map transforms each element once, when it is read`() throws {
    let base = ProbeCursor([1, 2, 3])
    var calls = 0
    let cursor = base.map { element in
      calls += 1
      return "\(element)"
    }
    #expect(base.readCount == 0)
    #expect(try cursor.next() == "1")
    #expect((base.readCount, calls) == (1, 1))
    #expect(try drain(cursor) == ["2", "3"])
    #expect(calls == 3)
  }

  @Test func `cursors have GRDB's names`() throws {
    func base<Base: Cursor>(of cursor: FilterCursor<Base>) -> Base.Type { Base.self }
    let mapped: MapCursor<ProbeCursor, String> = ProbeCursor([1, 2]).map { "\($0)" }
    let first: PrefixCursor<MapCursor<ProbeCursor, String>> = mapped.prefix(1)
    #expect(base(of: ProbeCursor([]).filter { $0 > 0 }) == ProbeCursor.self)
    let any: AnyCursor<(Int, String)> = AnyCursor(first.enumerated())
    #expect(try Array(any.map { "\($0.0)\($0.1)" }) == ["01"])
    #expect(try mapped.next() == "2")
  }

  @Test func `filter reads no further than its next element`() throws {
    let base = ProbeCursor([1, 2, 3, 4])
    let cursor = base.filter { $0.isMultiple(of: 2) }
    #expect(base.readCount == 0)
    #expect(try cursor.next() == 2)
    #expect(base.readCount == 2)
    #expect(try drain(cursor) == [4])
  }

  @Test func `compactMap drops what becomes nil and keeps nested optionals`() throws {
    #expect(try drain(AnyCursor(["1", "x", "3"]).compactMap { Int($0) }) == [1, 3])
    let nested = AnyCursor([1, 2]).compactMap { $0 == 1 ? Int??.some(nil) : nil }
    #expect(try drain(nested) == [nil])
  }

  @Test func `enumerated counts from zero, in next and in forEach`() throws {
    let cursor = AnyCursor(["a", "b", "c"]).enumerated()
    let first = try cursor.next()
    #expect(first?.0 == 0 && first?.1 == "a")
    var rest: [String] = []
    try cursor.forEach { offset, element in rest.append("\(offset)\(element)") }
    #expect(rest == ["1b", "2c"])
  }

  @Test func `dropFirst leaves the first elements out`() throws {
    #expect(try drain(ProbeCursor([1, 2, 3]).dropFirst()) == [2, 3])
    #expect(try drain(ProbeCursor([1, 2, 3]).dropFirst(0)) == [1, 2, 3])
    #expect(try drain(ProbeCursor([1, 2, 3]).dropFirst(2)) == [3])
    #expect(try drain(ProbeCursor([1, 2, 3]).dropFirst(9)) == [])
    #expect(try drain(ProbeCursor([]).dropFirst()) == [])
    let base = ProbeCursor([1, 2, 3])
    _ = base.dropFirst()
    #expect(base.readCount == 0)
  }

  @Test func `drop while tests no element after the first that fails`() throws {
    var tested: [Int] = []
    let cursor = ProbeCursor([1, 2, 3, 1]).drop { element in
      tested.append(element)
      return element < 3
    }
    #expect(try drain(cursor) == [3, 1])
    #expect(tested == [1, 2, 3])
    #expect(try drain(ProbeCursor([1]).drop { _ in true }) == [])
    #expect(try drain(ProbeCursor([]).drop { _ in false }) == [])
  }

  @Test func `prefix reads nothing beyond its length`() throws {
    let base = ProbeCursor([1, 2, 3])
    #expect(try drain(base.prefix(2)) == [1, 2])
    #expect(base.readCount == 2)
    #expect(try base.next() == 3)
    #expect(try drain(ProbeCursor([1]).prefix(0)) == [])
    #expect(try drain(ProbeCursor([1]).prefix(5)) == [1])
  }

  @Test func `prefix while ends at the first element that fails`() throws {
    let base = ProbeCursor([1, 2, 9, 1])
    #expect(try drain(base.prefix { $0 < 5 }) == [1, 2])
    #expect(base.readCount == 3)
    #expect(try drain(ProbeCursor([]).prefix { _ in true }) == [])
  }

  @Test func `flatMap and joined read inner cursors one after the other`() throws {
    let outer = ProbeCursor([2, 0, 1])
    let cursor = outer.flatMap { ProbeCursor(Array(repeating: $0, count: $0)) }
    #expect(outer.readCount == 0)
    #expect(try cursor.next() == 2)
    #expect(outer.readCount == 1)
    #expect(try drain(cursor) == [2, 1])
    #expect(try drain(ProbeCursor([1, 2]).flatMap { [$0, $0 * 10] }) == [1, 10, 2, 20])
    #expect(try drain([1, 2].flatMap { ProbeCursor([$0, $0]) }) == [1, 1, 2, 2])
    #expect(try drain(AnyCursor([[1], [], [2, 3]]).joined()) == [1, 2, 3])
    #expect(try drain(AnyCursor([ProbeCursor([1]), ProbeCursor([2])]).joined()) == [1, 2])
    #expect(try drain(AnyCursor([[Int]]()).joined()) == [])
  }

  @Test func `transformations chain`() throws {
    let cursor = AnyCursor(1...10).filter { $0 % 2 == 0 }.map { $0 * $0 }.dropFirst().prefix(3)
    #expect(try Array(cursor) == [16, 36, 64])
  }

  @Test func `forEach goes on where next stopped`() throws {
    func rest<C: Cursor>(_ cursor: C) throws -> [C.Element] {
      _ = try cursor.next()
      var elements: [C.Element] = []
      try cursor.forEach { elements.append($0) }
      #expect(try cursor.next() == nil)
      return elements
    }
    #expect(try rest(ProbeCursor([1, 2, 3])) == [2, 3])
    #expect(try rest(ProbeCursor([1, 2, 3]).map { -$0 }) == [-2, -3])
    #expect(try rest(ProbeCursor([1, 2, 3]).filter { $0 != 2 }) == [3])
    #expect(try rest(ProbeCursor([1, 2, 3]).dropFirst()) == [3])
    #expect(try rest(ProbeCursor([1, 2, 3]).prefix(2)) == [2])
    #expect(try rest(ProbeCursor([1, 2, 3]).flatMap { [$0, $0] }) == [1, 2, 2, 3, 3])
  }

  // MARK: Errors

  @Test func `an error of the base passes through and ends every cursor`() {
    func check<C: Cursor>(
      _ cursor: (ProbeCursor) -> C, _ expected: [C.Element],
      sourceLocation: SourceLocation = #_sourceLocation
    ) where C.Element: Equatable {
      let (elements, error) = drainToError(cursor(ProbeCursor([1, 2, 3, 4], failingAt: 2)))
      #expect(elements == expected, sourceLocation: sourceLocation)
      #expect(error == .base, sourceLocation: sourceLocation)
    }
    check({ AnyCursor($0) }, [1, 2])
    check({ $0.map { $0 } }, [1, 2])
    check({ $0.filter { _ in true } }, [1, 2])
    check({ $0.compactMap { $0 } }, [1, 2])
    check({ $0.enumerated().map { $0.0 } }, [0, 1])
    check({ $0.dropFirst(1) }, [2])
    check({ $0.dropFirst(3) }, [])
    check({ $0.drop { $0 < 2 } }, [2])
    check({ $0.drop { _ in true } }, [])
    check({ $0.prefix(3) }, [1, 2])
    check({ $0.prefix { _ in true } }, [1, 2])
    check({ $0.flatMap { [$0, $0] } }, [1, 1, 2, 2])
  }

  @Test func `an error of the closure ends the cursor`() {
    func fail(at failure: Int) -> (Int) throws -> Bool {
      { element in
        if element == failure { throw ProbeError.closure }
        return true
      }
    }
    func check<C: Cursor>(
      _ cursor: C, _ expected: [Int], sourceLocation: SourceLocation = #_sourceLocation
    ) where C.Element == Int {
      let (elements, error) = drainToError(cursor)
      #expect(elements == expected, sourceLocation: sourceLocation)
      #expect(error == .closure, sourceLocation: sourceLocation)
    }
    let test = fail(at: 2)
    check(
      ProbeCursor([1, 2, 3]).map {
        _ = try test($0)
        return $0
      }, [1])
    check(ProbeCursor([1, 2, 3]).filter(test), [1])
    check(ProbeCursor([1, 2, 3]).compactMap { try test($0) ? $0 : nil }, [1])
    check(ProbeCursor([1, 2, 3]).drop(while: test), [])
    check(ProbeCursor([1, 2, 3]).prefix(while: test), [1])
    check(ProbeCursor([1, 2, 3]).flatMap { try test($0) ? [$0] : [] }, [1])
    check(AnyCursor([1, 2, 3]).flatMap { ProbeCursor([$0, 2]).filter(test) }, [1])
  }

  @Test func `an error inside forEach comes out and ends the cursor`() throws {
    let mapped = ProbeCursor([1, 2, 3]).map { $0 }
    let filtered = ProbeCursor([1, 2, 3]).filter { _ in true }
    #expect(throws: ProbeError.closure) { try mapped.forEach { _ in throw ProbeError.closure } }
    #expect(throws: ProbeError.closure) { try filtered.forEach { _ in throw ProbeError.closure } }
    #expect(try mapped.next() == nil)
    #expect(try filtered.next() == nil)
  }

  // MARK: Results

  @Test func `results are those of the standard library's sequences`() throws {
    for elements in [[], [3], [2, 5, 1, 5, 1, 4]] {
      var cursor: ProbeCursor { ProbeCursor(elements) }
      #expect(try cursor.isEmpty == elements.isEmpty)
      #expect(try cursor.contains(5) == elements.contains(5))
      #expect(try cursor.contains { $0 > 4 } == elements.contains { $0 > 4 })
      #expect(try cursor.first { $0 < 3 } == elements.first { $0 < 3 })
      #expect(try cursor.max() == elements.max())
      #expect(try cursor.min() == elements.min())
      #expect(try cursor.reduce(7, -) == elements.reduce(7, -))
      #expect(try cursor.reduce(into: []) { $0.append($1) } == elements)
      #expect(try cursor.dropLast() == Array(elements.dropLast()))
      #expect(try cursor.map { "\($0)" }.joined() == elements.map { "\($0)" }.joined())
      for count in 0...7 {
        #expect(try cursor.dropLast(count) == Array(elements.dropLast(count)))
        #expect(try cursor.suffix(count) == Array(elements.suffix(count)))
      }
    }
  }

  @Test func `max and min give the same of equal elements as the standard library`() throws {
    let pairs = [(1, "a"), (2, "b"), (2, "c"), (1, "d")]
    let max = try AnyCursor(pairs).max { $0.0 < $1.0 }
    let min = try AnyCursor(pairs).min { $0.0 < $1.0 }
    #expect(max?.1 == pairs.max { $0.0 < $1.0 }?.1)
    #expect(min?.1 == pairs.min { $0.0 < $1.0 }?.1)
  }

  @Test func `a search leaves the elements after its hit`() throws {
    let cursor = ProbeCursor([1, 2, 3])
    #expect(try cursor.contains(2))
    #expect(try cursor.next() == 3)
  }

  @Test func `strings are joined with a separator`() throws {
    #expect(try AnyCursor(["a", "b", "c"]).joined(separator: ", ") == "a, b, c")
    #expect(try AnyCursor([Substring]()).joined(separator: ", ") == "")
    #expect(try AnyCursor(["a"]).joined(separator: ", ") == "a")
  }

  @Test func `every result throws the base's error`() {
    var cursor: ProbeCursor { ProbeCursor([1, 2, 3], failingAt: 2) }
    #expect(throws: ProbeError.base) { try cursor.contains(9) }
    #expect(throws: ProbeError.base) { try cursor.first { $0 > 9 } }
    #expect(throws: ProbeError.base) { try cursor.max() }
    #expect(throws: ProbeError.base) { try cursor.min() }
    #expect(throws: ProbeError.base) { try cursor.reduce(0, +) }
    #expect(throws: ProbeError.base) { try cursor.reduce(into: 0, +=) }
    #expect(throws: ProbeError.base) { try cursor.suffix(1) }
    #expect(throws: ProbeError.base) { try cursor.suffix(0) }
    #expect(throws: ProbeError.base) { try cursor.dropLast() }
    #expect(throws: ProbeError.base) { try cursor.map { "\($0)" }.joined(separator: "") }
    #expect(throws: ProbeError.base) { try ProbeCursor([], failingAt: 0).isEmpty }
  }
}

@Suite struct CollectionsFromCursorTests {
  private var failing: ProbeCursor { ProbeCursor([1, 2, 3], failingAt: 2) }

  @Test func `arrays take cursors`() throws {
    #expect(try Array(ProbeCursor([1, 2])) == [1, 2])
    #expect(try ContiguousArray(ProbeCursor([1, 2]), minimumCapacity: 10) == [1, 2])
    var array = [0]
    try array.append(contentsOf: ProbeCursor([1, 2]))
    #expect(array == [0, 1, 2])
    #expect(throws: ProbeError.base) { try array.append(contentsOf: failing) }
    #expect(array == [0, 1, 2, 1, 2])
    #expect(throws: ProbeError.base) { try Array(failing) }
  }

  @Test func `minimum capacity is reserved`() throws {
    #expect(try Array(ProbeCursor([1]), minimumCapacity: 100).capacity >= 100)
    #expect(try Set(ProbeCursor([1]), minimumCapacity: 100).capacity >= 100)
  }

  @Test func `sets take cursors`() throws {
    #expect(try Set(ProbeCursor([1, 2, 2])) == [1, 2])
    #expect(try Set([1, 3]).union(ProbeCursor([1, 2])) == [1, 2, 3])
    #expect(try Set([1, 3]).intersection(ProbeCursor([3, 2, 3])) == [3])
    var set: Set = [1, 3]
    try set.formUnion(ProbeCursor([4]))
    #expect(set == [1, 3, 4])
    #expect(throws: ProbeError.base) { try set.formIntersection(failing) }
    #expect(set == [1, 3, 4])
    try set.formIntersection(ProbeCursor([1, 4, 5]))
    #expect(set == [1, 4])
  }

  @Test func `dictionaries take cursors`() throws {
    let grouped = try Dictionary(grouping: ProbeCursor([1, 2, 3]), by: { $0 % 2 })
    #expect(grouped == [0: [2], 1: [1, 3]])
    let reserved = try Dictionary(
      minimumCapacity: 100, grouping: ProbeCursor([1, 2, 3]), by: { $0 % 2 })
    #expect(reserved == grouped)
    #expect(reserved.capacity >= 100)
    let pairs = try Dictionary(uniqueKeysWithValues: ProbeCursor([1, 2]).map { ($0, "\($0)") })
    #expect(pairs == [1: "1", 2: "2"])
    let reservedPairs = try Dictionary(
      minimumCapacity: 100, uniqueKeysWithValues: ProbeCursor([1, 2]).map { ($0, "\($0)") })
    #expect(reservedPairs == pairs)
    #expect(reservedPairs.capacity >= 100)
    #expect(throws: ProbeError.base) { try Dictionary(grouping: failing, by: { $0 }) }
  }

  @Test func `a repeated key traps`() async {
    await #expect(processExitsWith: .failure) {
      _ = try Dictionary(uniqueKeysWithValues: AnyCursor([(1, "a"), (1, "b")]))
    }
  }

  @Test func `a cursor's own forEach is called through those derived from it`() throws {
    func each<C: Cursor>(_ derive: (EachCursor) -> C) throws -> [String] {
      var elements: [String] = []
      let cursor = derive(EachCursor())
      try cursor.forEach { elements.append("\($0)") }
      #expect(try cursor.next() == nil)
      return elements
    }
    #expect(try each { $0.map { $0 + 1 } } == ["11", "21", "31"])
    #expect(try each { $0.filter { $0 != 20 } } == ["10", "30"])
    #expect(try each { $0.compactMap { $0 == 10 ? nil : $0 } } == ["20", "30"])
    #expect(try each { $0.enumerated() } == ["(0, 10)", "(1, 20)", "(2, 30)"])
    #expect(try each { $0.dropFirst() } == ["20", "30"])
    #expect(try each { $0.drop { $0 < 20 } } == ["20", "30"])
    #expect(try each { $0.map { _ in EachCursor() }.joined() }.count == 9)
    #expect(try each { AnyCursor($0) } == ["10", "20", "30"])
    #expect(
      try each { $0.map { $0 + 1 }.filter { $0 != 21 }.enumerated() } == ["(0, 11)", "(1, 31)"])
    #expect(try Array(EachCursor().map { $0 }) == [10, 20, 30])
  }

  @Test func `forEach of a derived cursor goes on where next stopped`() throws {
    let cursor = ProbeCursor([1, 2, 3, 4, 5]).enumerated().dropFirst().drop { $0.1 < 3 }
    #expect(try cursor.next()?.1 == 3)
    var rest: [String] = []
    try cursor.forEach { rest.append("\($0)") }
    #expect(rest == ["(3, 4)", "(4, 5)"])
  }
}

/// A cursor whose elements only its own `forEach` has.
private final class EachCursor: Cursor {
  func next() -> Int? { nil }

  func forEach(_ body: (Int) throws -> Void) throws {
    for element in [10, 20, 30] { try body(element) }
  }
}
