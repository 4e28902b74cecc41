import Coffer
import Foundation
import Testing

@testable import CofferDocuments
@testable import CofferQuery

private protocol Named {
  var name: String { get }
  var nick: String { get set }
}

private func named<D: Codable & Named>(_ type: D.Type) -> PartialKeyPath<D> { \D.name }
private func nicked<D: Codable & Named>(_ type: D.Type) -> PartialKeyPath<D> { \D.nick }

@propertyWrapper private struct Clamped: Codable, Equatable {
  private var value: Int
  var wrappedValue: Int {
    get { min(max(value, 0), 100) }
    set { value = newValue }
  }
  var projectedValue: Int { value * 2 }
  init(wrappedValue: Int) { value = wrappedValue }
}

@propertyWrapper private struct Kept<Value: Codable>: Codable {
  var wrappedValue: Value
}

private enum Payload: Codable, Equatable, SampleValueSource {
  case number(Int)
  case text(String)
  static let sampleValues = SampleValues(Payload.number(3), Payload.text("x"))
  var text: String? { if case .text(let text) = self { text } else { nil } }
}

private class Base: Codable {
  var inherited: Int
  let fixed: String
  var computed: Int { inherited }
  init(_ inherited: Int, _ fixed: String) { (self.inherited, self.fixed) = (inherited, fixed) }
}

private final class Sub: Base {
  var own: String
  override var computed: Int { super.computed }
  init() {
    own = ""
    super.init(0, "")
  }
  private enum CodingKeys: CodingKey { case own }
  required init(from decoder: any Decoder) throws {
    own = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .own)
    try super.init(from: decoder)
  }
  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(own, forKey: .own)
    try super.encode(to: encoder)
  }
}

private struct Pair<First: Codable, Second: Codable>: Codable {
  var first: First
  var second: Second { didSet {} }
  var swapped: Second { second }
}

private struct Place: Codable, Equatable {
  var city: String
  @Index var zip: String
  var watched: Int { didSet {} }
  let fixed: Int
  var upper: String { city.uppercased() }
  var same: String { city }
  var sameZip: String { zip }
}

/// The kinds of properties that a document may have, stored or not.
private struct Zoo: Codable, Named {
  var name: String
  let constant: Int
  var number: Int
  var real: Double
  var date: Date
  var flag: Bool
  var note: String?
  var tags: [String]
  var counts: [String: Int]
  var place: Place
  let fixedPlace: Place
  var maybe: Place?
  var payload: Payload
  var pair: Pair<Int, String>
  @Unique var handle: String
  @Index var optionalHandle: String?
  @Clamped var percent: Int
  @Kept var kept: String
  var watched: Int { didSet {} }
  var willWatched: String { willSet {} }
  var watchedNote: String? { didSet {} }
  private(set) var readOnly: Int

  var nick: String {
    get { note ?? "" }
    set { note = newValue }
  }
  var lower: String { name.lowercased() }
  var display: String { name }
  var alias: String { name }
  var handleAlias: String { handle }
  var watchedAlias: Int { watched }
  var trimmed: String { name.trimmingCharacters(in: .whitespacesAndNewlines) }
  var short: String { String(name.prefix(8)) }
  var magnitude: Int { abs(number) }
  var rounded: Double { real.rounded() }
  var day: Date { Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded()) }
  var shown: Bool { !flag }
  var noteOrNil: String? { note?.isEmpty == true ? nil : note }
  var firstTag: String? { tags.first }
  var lastTag: String? { tags.last }
  var sorted: [String] { tags.sorted() }
  var cityOfPlace: String { place.city }
  var doubled: Int {
    get { number * 2 }
    set { number = newValue / 2 }
  }
  var positive: Int {
    get { max(number, 0) }
    set { number = newValue }
  }
  var lowered: String {
    get { name.lowercased() }
    set { name = newValue }
  }
  var capped: [String] {
    get { Array(tags.prefix(2)) }
    set { tags = newValue }
  }
  subscript(index: Int) -> String { tags[index] }
}

@Suite("Key paths of computed properties") struct ComputedPathTests {
  private static var stored: [(PartialKeyPath<Zoo>, String)] {
    [
      (\.name, "name"), (\.constant, "constant"), (\.number, "number"), (\.real, "real"),
      (\.date, "date"), (\.flag, "flag"), (\.note, "note"), (\.tags, "tags"), (\.counts, "counts"),
      (\.place, "place"), (\.place.city, "place.city"), (\.place.zip, "place.zip"),
      (\.place.watched, "place.watched"), (\.place.fixed, "place.fixed"),
      (\.fixedPlace.zip, "fixedPlace.zip"), (\.fixedPlace.watched, "fixedPlace.watched"),
      (\.maybe, "maybe"), (\.maybe?.city, "maybe.city"), (\.maybe?.zip, "maybe.zip"),
      (\.maybe!.zip, "maybe.zip"), (\.maybe?.watched, "maybe.watched"), (\.payload, "payload"),
      (\.pair.first, "pair.first"), (\.pair.second, "pair.second"), (\.handle, "handle"),
      (\.optionalHandle, "optionalHandle"), (\.kept, "kept.wrappedValue"), (\.watched, "watched"),
      (\.willWatched, "willWatched"), (\.watchedNote, "watchedNote"), (\.readOnly, "readOnly"),
      (\.tags.first, "tags[0]"),
    ]
  }

  @Test(arguments: stored.indices)
  func `a stored property is found, whatever code runs for it`(index: Int) throws {
    let (keyPath, path) = Self.stored[index]
    #expect(try DocumentType<Zoo>.path(keyPath) == path)
  }

  private static var computed: [PartialKeyPath<Zoo>] {
    [
      \.lower, \.display, \.alias, \.handleAlias, \.watchedAlias, \.trimmed, \.short, \.magnitude,
      \.rounded, \.day, \.shown, \.noteOrNil, \.firstTag, \.lastTag, \.sorted, \.cityOfPlace,
      \.doubled, \.positive, \.lowered, \.capped, \.nick, \.percent, \.$percent, \.name.count,
      \.name.localizedLowercase, \.name.capitalized, \.name.first, \.number.magnitude,
      \.number.nonzeroBitCount, \.number.description, \.number.byteSwapped,
      \.real.magnitude, \.real.significand, \.real.ulp, \.real.nextUp, \.date.timeIntervalSince1970,
      \.tags.count, \.tags.last, \.tags.isEmpty, \.counts.count, \.counts.keys.first,
      \.place.upper, \.place.same, \.place.sameZip, \.fixedPlace.same, \.maybe?.same,
      \.maybe?.sameZip, \.maybe!.upper, \.payload.text, \.pair.swapped, \.note?.count,
      \.note!.count, \.[0], \.tags.hashValue, \.flag.description,
    ]
  }

  @Test(arguments: computed.indices)
  func `a computed property is refused, even where it is a stored one's value`(index: Int) {
    let keyPath = Self.computed[index]
    let message = documentError { try DocumentType<Zoo>.known().column(keyPath) }
    #expect(message?.contains("leads to no stored property of Zoo") == true, "\(keyPath)")
  }

  @Test func `a protocol's property is the stored one of that name, or refused`() throws {
    #expect(try DocumentType<Zoo>.path(named(Zoo.self)) == "name")
    #expect(documentError { try DocumentType<Zoo>.path(nicked(Zoo.self)) } != nil)
    struct Other: Codable, Named {
      var title: String
      var nick: String
      var name: String { title.uppercased() }
    }
    #expect(try DocumentType<Other>.path(nicked(Other.self)) == "nick")
    #expect(documentError { try DocumentType<Other>.path(named(Other.self)) } != nil)
  }

  @Test func `a class has its own properties and those of its superclass`() throws {
    #expect(try DocumentType<Sub>.path(\.own) == "own")
    #expect(try DocumentType<Sub>.path(\.inherited) == "inherited")
    #expect(try DocumentType<Sub>.path(\.fixed) == "fixed")
    #expect(documentError { try DocumentType<Sub>.path(\.computed) } != nil)
  }

  @Test func `an update that would have changed the wrong documents throws`() throws {
    struct Person: Codable, Identifiable, Equatable {
      var id: Int
      var name: String
      var n: Int
      var lower: String { name.lowercased() }
    }
    let encrypted = try EncryptedStore()
    let people = try encrypted.store.collection(Person.self)
    let all = [Person(id: 1, name: "ada", n: -1), Person(id: 2, name: "ADA", n: 1)]
    try people.insert(all)
    let queries = [
      people.filter(\.lower, equalTo: "ada"), people.filter(\.n.magnitude, equalTo: 1),
      people.filter { $0.lower == "ada" }, people.filter("\(\.lower) = 'ada'"),
    ]
    for query in queries {
      #expect(documentError { try query.fetchMany() } != nil)
      #expect(documentError { try query.delete() } != nil)
      #expect(documentError { try query.update(\.n, 7) } != nil)
    }
    #expect(documentError { try people.all().orderBy(\.lower).fetchMany() } != nil)
    #expect(documentError { try people.all().fetchMany(\.lower) } != nil)
    #expect(try people.all().orderBy(\.id).fetchMany() == all)
  }

  @Test func `closures find the properties of optionals, and refuse computed ones`() throws {
    let encrypted = try EncryptedStore()
    struct Shop: Codable {
      var id: Int
      var place: Place?
    }
    let shops = try encrypted.store.collection(Shop.self)
    try shops.insert([
      Shop(id: 1, place: Place(city: "Rome", zip: "1", watched: 3, fixed: 0)), Shop(id: 2),
    ])
    #expect(try shops.filter { $0.place.city == "Rome" }.fetchMany(\.id) == [1])
    #expect(try shops.filter { $0.place.zip == "1" }.fetchMany(\.id) == [1])
    #expect(try shops.filter { $0.place.watched == 3 }.fetchMany(\.id) == [1])
    #expect(documentError { try shops.filter { $0.place.same == "Rome" }.fetchMany() } != nil)
    #expect(documentError { try shops.filter { $0.place.upper == "ROME" }.fetchMany() } != nil)
  }

  @Test func `the parts of key paths are distinguished`() {
    func settable(_ keyPath: AnyKeyPath) -> [Bool]? {
      KeyPathParts(keyPath)?.computed.map(\.isSettable)
    }
    #expect(settable(\Zoo.name) == [])
    #expect(settable(\Zoo.handle) == [true])
    #expect(settable(\Zoo.alias) == [false])
    #expect(settable(\Zoo.maybe?.zip) == [true])
    #expect(settable(\Zoo.fixedPlace.zip) == [true])
    #expect(settable(\Zoo.maybe?.zip.count) == [true, false])
    #expect(KeyPathParts(\Zoo.tags.first)?.computed.first?.base == [String].self)
  }
}
