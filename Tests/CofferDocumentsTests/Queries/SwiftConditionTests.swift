import Coffer
import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore
@testable import CofferDocuments

private struct Inner: Codable, Equatable {
  var word: String
  var maybe: Int?
}

private struct Optionals: Codable, Equatable, Identifiable {
  var id: Int
  @Index var note: String?
  var other: String?
  var name: String
  @Index var number: Int?
  var count: Int
  var flag: Bool
  var maybeFlag: Bool?
  var inner: Inner?
  var date: Date?
}

/// A condition, as a closure on documents and as a Swift function.
private indirect enum Condition {
  case noteIs(String?), noteIsNot(String?), nameIs(String), numberIs(Int?), numberIsNot(Int?)
  case notesAreEqual, notesDiffer, noteIsName, numberIsCount, numberIsNotCount
  case numberLess(Int), countLess(Int), countAtLeastNumber, between(Int, Int)
  case noteIn([String]), noteInOptionals([String?]), numberIn([Int])
  case notePrefix(String), noteContains(String), noteSuffix(String), namePrefix(String)
  case flag, wordIs(String), wordIsNot(String), wordPrefix(String), innerMaybeIs(Int?)
  case isNil, isNotNil, dateIs(Date?), dateBefore(Date)
  case not(Condition), and(Condition, Condition), or(Condition, Condition)

  func predicate(_ item: DocumentColumns<Optionals>.Type) -> TypedPredicate {
    switch self {
    case .noteIs(let text): item.note == text
    case .noteIsNot(let text): item.note != text
    case .nameIs(let text): item.name == text
    case .numberIs(let number): item.number == number
    case .numberIsNot(let number): item.number != number
    case .notesAreEqual: item.note == item.other
    case .notesDiffer: item.note != item.other
    case .noteIsName: item.note == item.name
    case .numberIsCount: item.number == item.count
    case .numberIsNotCount: item.number != item.count
    case .numberLess(let number): item.number < number
    case .countLess(let number): item.count < number
    case .countAtLeastNumber: item.count >= item.number
    case .between(let lower, let upper): (lower...upper).contains(item.number)
    case .noteIn(let texts): texts.contains(item.note)
    case .noteInOptionals(let texts): texts.contains(item.note)
    case .numberIn(let numbers): numbers.contains(item.number)
    case .notePrefix(let text): item.note.hasPrefix(text)
    case .noteContains(let text): item.note.contains(text)
    case .noteSuffix(let text): item.note.hasSuffix(text)
    case .namePrefix(let text): item.name.hasPrefix(text)
    case .flag: item.flag == true
    case .wordIs(let text): item.inner.word == text
    case .wordIsNot(let text): item.inner.word != text
    case .wordPrefix(let text): item.inner.word.hasPrefix(text)
    case .innerMaybeIs(let number): item.inner.maybe == number
    case .isNil: item.note == nil
    case .isNotNil: item.note != nil
    case .dateIs(let date): if let date { item.date == date } else { item.date == nil }
    case .dateBefore(let date): item.date < date
    case .not(let condition): !condition.predicate(item)
    case .and(let lhs, let rhs): lhs.predicate(item) && rhs.predicate(item)
    case .or(let lhs, let rhs): lhs.predicate(item) || rhs.predicate(item)
    }
  }

  func holds(_ item: Optionals) -> Bool {
    switch self {
    case .noteIs(let text): item.note == text
    case .noteIsNot(let text): item.note != text
    case .nameIs(let text): item.name == text
    case .numberIs(let number): item.number == number
    case .numberIsNot(let number): item.number != number
    case .notesAreEqual: item.note == item.other
    case .notesDiffer: item.note != item.other
    case .noteIsName: item.note == item.name
    case .numberIsCount: item.number == item.count
    case .numberIsNotCount: item.number != item.count
    case .numberLess(let number): item.number.map { $0 < number } ?? false
    case .countLess(let number): item.count < number
    case .countAtLeastNumber: item.number.map { item.count >= $0 } ?? false
    case .between(let lower, let upper): item.number.map { (lower...upper).contains($0) } ?? false
    case .noteIn(let texts): item.note.map(texts.contains) ?? false
    case .noteInOptionals(let texts): texts.contains(item.note)
    case .numberIn(let numbers): item.number.map(numbers.contains) ?? false
    case .notePrefix(let text): item.note?.hasPrefix(text) ?? false
    case .noteContains(let text): item.note.map { text.isEmpty || $0.contains(text) } ?? false
    case .noteSuffix(let text): item.note?.hasSuffix(text) ?? false
    case .namePrefix(let text): item.name.hasPrefix(text)
    case .flag: item.flag
    case .wordIs(let text): item.inner?.word == text
    case .wordIsNot(let text): item.inner?.word != text
    case .wordPrefix(let text): item.inner?.word.hasPrefix(text) ?? false
    case .innerMaybeIs(let number): item.inner?.maybe == number
    case .isNil: item.note == nil
    case .isNotNil: item.note != nil
    case .dateIs(let date): item.date == date
    case .dateBefore(let date): item.date.map { $0 < date } ?? false
    case .not(let condition): !condition.holds(item)
    case .and(let lhs, let rhs): lhs.holds(item) && rhs.holds(item)
    case .or(let lhs, let rhs): lhs.holds(item) || rhs.holds(item)
    }
  }
}

private enum Samples {
  static let texts = ["", "a", "A", "ab", "abc", "b", "7", "é", "e\u{301}", "x*", "xy"]
  static let dates = [0.1, 0.1000001, -3, 804_168_000.000_123].map(
    Date.init(timeIntervalSinceReferenceDate:))

  static func optional<Value>(_ value: Value, _ random: inout SeededGenerator) -> Value? {
    Int.random(in: 0..<3, using: &random) == 0 ? nil : value
  }

  static func text(_ random: inout SeededGenerator) -> String {
    texts.randomElement(using: &random) ?? ""
  }

  static func item(_ id: Int, _ random: inout SeededGenerator) -> Optionals {
    Optionals(
      id: id, note: optional(text(&random), &random), other: optional(text(&random), &random),
      name: text(&random), number: optional(Int.random(in: -2...3, using: &random), &random),
      count: Int.random(in: -2...3, using: &random), flag: Bool.random(using: &random),
      maybeFlag: optional(Bool.random(using: &random), &random),
      inner: optional(
        Inner(
          word: ["a", "ab", "b"].randomElement(using: &random) ?? "",
          maybe: optional(Int.random(in: 0...1, using: &random), &random)), &random),
      date: optional(dates.randomElement(using: &random) ?? Date(), &random))
  }

  static func condition(_ depth: Int, _ random: inout SeededGenerator) -> Condition {
    if depth > 0, Int.random(in: 0..<4, using: &random) > 0 {
      let first = condition(depth - 1, &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: return .not(first)
      case 1: return .and(first, condition(depth - 1, &random))
      default: return .or(first, condition(depth - 1, &random))
      }
    }
    let (text, number) = (text(&random), Int.random(in: -2...3, using: &random))
    let all: [Condition] = [
      .noteIs(text), .noteIs(nil), .noteIsNot(text), .noteIsNot(nil), .nameIs(text),
      .numberIs(number), .numberIs(nil), .numberIsNot(number), .numberIsNot(nil), .notesAreEqual,
      .notesDiffer, .noteIsName, .numberIsCount, .numberIsNotCount, .numberLess(number),
      .countLess(number), .countAtLeastNumber, .between(number, number + 2), .noteIn([text, "a"]),
      .noteIn([]), .noteInOptionals([nil, text]), .noteInOptionals([text]),
      .numberIn([number, 0]), .numberIn(Array(number..<number + 40)), .notePrefix(text),
      .noteContains(text), .noteSuffix(text), .namePrefix(text), .flag, .wordIs("a"),
      .wordIsNot("a"), .wordPrefix("a"), .innerMaybeIs(1), .innerMaybeIs(nil), .isNil, .isNotNil,
      .dateIs(dates.randomElement(using: &random)), .dateIs(nil), .dateBefore(dates[1]),
    ]
    return all.randomElement(using: &random) ?? .flag
  }
}

@Suite("Conditions of documents are Swift's") struct SwiftConditionTests {
  private let encrypted: EncryptedStore

  init() throws { encrypted = try EncryptedStore(.queue) }

  @Test func `random conditions of random documents are true where Swift's are`() throws {
    var random = SeededGenerator(state: 7)
    let items = try encrypted.store.collection(Optionals.self)
    let all = (0..<150).map { Samples.item($0, &random) }
    try items.insert(all)
    #expect(try items.all().orderBy(\.id).fetchMany() == all)
    for _ in 0..<600 {
      let condition = Samples.condition(3, &random)
      let found = try items.filter { condition.predicate($0) }.orderBy(\.id).fetchMany(\.id)
      #expect(found == all.filter(condition.holds).map(\.id), "\(condition)")
    }
  }

  @Test func `each condition alone, and its negation, is Swift's`() throws {
    var random = SeededGenerator(state: 1)
    let items = try encrypted.store.collection(Optionals.self)
    let all = (0..<60).map { Samples.item($0, &random) }
    try items.insert(all)
    for _ in 0..<200 {
      let condition = Samples.condition(0, &random)
      for condition in [condition, .not(condition), .not(.not(condition))] {
        let found = try items.filter { condition.predicate($0) }.orderBy(\.id).fetchMany(\.id)
        #expect(found == all.filter(condition.holds).map(\.id), "\(condition)")
      }
    }
  }

  private func plan(_ query: QueryBuilder<Optionals>) throws -> String {
    try encrypted.database.writer.read { db in
      let sql = query.query.selecting("id", from: query.collection.table)
      let (text, arguments) = try sql.build(db)
      return try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + text, arguments: arguments)
        .map { "\($0["detail"] as String)" }.joined(separator: "\n") + " of " + text
    }
  }

  @Test func `conditions go on using indexes`() throws {
    let items = try encrypted.store.collection(Optionals.self)
    let queries = [
      items.filter { $0.note == "a" }, items.filter { $0.number == 3 },
      items.filter { $0.number < 3 }, items.filter { $0.note == nil },
      items.filter { $0.number == 3 && $0.name != "x" }, items.filter { !($0.number != 3) },
      items.filter { ["a", "b"].contains($0.note) }, items.filter { $0.note.hasPrefix("ab") },
      items.filter(\.note, equalTo: "7"), items.filter { $0.note == "7" },
    ]
    for query in queries {
      let plan = try plan(query)
      #expect(plan.contains("Optionals-index"), "\(plan)")
    }
  }

  @Test func `a Boolean that may be nil isn't true`() throws {
    let items = try encrypted.store.collection(Optionals.self)
    var random = SeededGenerator(state: 3)
    let all = (0..<40).map { Samples.item($0, &random) }
    try items.insert(all)
    #expect(
      try items.filter { !$0.maybeFlag }.fetchCount() == all.count { $0.maybeFlag != true })
    #expect(
      try items.filter { $0.maybeFlag && $0.flag }.fetchCount()
        == all.count { $0.maybeFlag == true && $0.flag })
  }
}
