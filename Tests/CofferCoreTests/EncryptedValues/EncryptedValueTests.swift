import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

struct EncryptedValueTests {
  private let cipher: ValueCipher
  private let place = ValuePlace(table: "note", column: "body", row: 1)

  static let keyBytes = [UInt8](0..<32)
  static let otherBytes = [UInt8](1..<33)

  init() throws { cipher = try ValueCipher(key: .raw(Self.keyBytes)) }

  private func failure<T>(_ body: () throws -> T) -> EncryptedValueError? {
    do {
      _ = try body()
      return nil
    } catch { return error as? EncryptedValueError }
  }

  // MARK: Values

  private struct Person: Codable, Hashable {
    enum Role: String, Codable { case owner, guest }
    enum Contact: Codable, Hashable { case mail(String), phone(country: Int, number: String) }
    var name: String
    var born: Date?
    var role: Role
    var contacts: [Contact]
    var notes: [String: [Int]]
  }

  private func expectRoundTrip<Value: Codable & Equatable>(
    _ value: Value, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let sealed = try cipher.seal(value, at: place)
    let stored = try #require(EncryptedValue<Value>.fromDatabaseValue(sealed.databaseValue))
    #expect(stored == sealed, sourceLocation: sourceLocation)
    #expect(try cipher.open(stored, at: place) == value, sourceLocation: sourceLocation)
  }

  @Test func `values of all kinds open as they were sealed`() throws {
    try expectRoundTrip("")
    try expectRoundTrip("Grüße, \u{0}, \"quotes\" \\ / 😀")
    try expectRoundTrip(true)
    try expectRoundTrip(Int.min)
    try expectRoundTrip(UInt64.max)
    try expectRoundTrip(0.1 + 0.2)
    try expectRoundTrip(-Double.infinity)
    try expectRoundTrip(Decimal(string: "12345678901234567890.123"))
    try expectRoundTrip(UUID.seeded())
    try expectRoundTrip(URL(string: "https://example.com/?q=a%20b"))
    try expectRoundTrip(Date(timeIntervalSinceReferenceDate: 123_456_789.987_654_3))
    try expectRoundTrip(Data())
    try expectRoundTrip(Data([0, 1, 255]))
    try expectRoundTrip([Data([1]), Data()])
    try expectRoundTrip(Data?.none)
    try expectRoundTrip(Data?.some(Data([7])))
    try expectRoundTrip(String?.none)
    try expectRoundTrip(String??.some("a"))
    try expectRoundTrip([Int]())
    try expectRoundTrip([1: "a", 2: "b"])
    try expectRoundTrip(Set(["a", "b"]))
    try expectRoundTrip(
      Person(
        name: "Ada", born: Date(timeIntervalSinceReferenceDate: 0.1), role: .owner,
        contacts: [.mail("ada@example.com"), .phone(country: 44, number: "1")],
        notes: ["": [], "b": [1, 2]]))
  }

  @Test func `ten megabytes open as they were sealed`() throws {
    var random = SeededGenerator()
    let block = Data(random.bytes(1 << 16))
    let data = (0..<160).reduce(into: Data()) { data, _ in data += block }
    try expectRoundTrip(data)
    try expectRoundTrip(String(repeating: "0123456789", count: 1 << 20))
  }

  @Test func `a value sealed twice has different bytes, and none of its own`() throws {
    let text = "a text of more than sixteen bytes"
    let values = try (0..<100).map { _ in try cipher.seal(text, at: place) }
    #expect(Set(values).count == 100)
    for value in values { #expect(value.bytes?.range(of: Data("sixteen".utf8)) == nil) }
  }

  @Test func `threads share a cipher`() throws {
    let cipher = cipher
    let sealed = Locked<[EncryptedValue<Int>]>([])
    let failures = Locked<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for number in 0..<200 {
        let place = ValuePlace(table: "note", column: "body", row: number)
        do {
          let value = try cipher.seal(thread * 1000 + number, at: place)
          let hash = try cipher.indexHash(of: number, name: "number \(number % 100)")
          let again = try cipher.indexHash(of: number, name: "number \(number % 100)")
          if try cipher.open(value, at: place) != thread * 1000 + number || hash != again {
            failures.append("\(thread), \(number)")
          }
          sealed.append(value)
        } catch { failures.append("\(error)") }
      }
    }
    #expect(failures.value == [])
    #expect(Set(sealed.value.compactMap { $0.bytes?.dropFirst(22).prefix(12) }).count == 1600)
  }

  // MARK: What doesn't open

  @Test func `each changed bit and each missing byte is noticed`() throws {
    let bytes = try #require(try cipher.seal("a secret", at: place).bytes)
    var seen: Set<EncryptedValueError> = []
    for index in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[index] ^= 1 << bit
        let error = failure { try cipher.open(EncryptedValue<String>(bytes: changed), at: place) }
        seen.insert(try #require(error, "bit \(bit) of byte \(index)"))
        switch index {
        case 0..<4: #expect(error == .notEncrypted)
        case 4: #expect(error == .unknownFormat(version: 1 ^ 1 << bit))
        case 6..<14: #expect(error.map { "\($0)".contains("another key") } == true)
        case 14..<22: #expect(error == .moved)
        default: #expect(error == .damaged)
        }
      }
    }
    #expect(seen.count > 4)
    for count in 0..<bytes.count {
      let value = EncryptedValue<String>(bytes: bytes.prefix(count))
      let error = failure { try cipher.open(value, at: place) }
      #expect(error == (count < 5 ? .notEncrypted : .damaged))
    }
    let longer = EncryptedValue<String>(bytes: bytes + [0])
    #expect(failure { try cipher.open(longer, at: place) } == .damaged)
    // A slice has other indexes than its bytes.
    let slice = (Data([1, 2, 3]) + bytes).dropFirst(3)
    #expect(try cipher.open(EncryptedValue<String>(bytes: slice), at: place) == "a secret")
  }

  @Test func `a value opens at its own place only`() throws {
    let value = try cipher.seal("a secret", at: place)
    let others: [ValuePlace] = [
      .init(table: "note", column: "body", row: 2), .init(table: "note", column: "body", row: "1"),
      .init(table: "note", column: "body", row: Data([1])),
      .init(table: "note", column: "body", row: 1, 1),
      .init(table: "note", column: "title", row: 1), .init(table: "notes", column: "body", row: 1),
      .init(table: "noteb", column: "ody", row: 1), .init(table: "body", column: "note", row: 1),
    ]
    for other in others {
      #expect(failure { try cipher.open(value, at: other) } == .moved, "\(other)")
      #expect(try cipher.open(cipher.seal("other", at: other), at: other) == "other")
    }
    // The same place, as SQL has it.
    for same in [
      ValuePlace(table: "NOTE", column: "Body", row: 1),
      ValuePlace(table: "note", column: "body", row: 1.0),
      ValuePlace(table: "note", column: "body", row: Int8(1)),
    ] {
      #expect(try cipher.open(value, at: same) == "a secret")
    }
  }

  @Test func `the check of another place doesn't move a value there`() throws {
    let other = ValuePlace(table: "note", column: "body", row: 2)
    var bytes = try #require(try cipher.seal("a secret", at: place).bytes)
    bytes[14..<22] = try #require(try cipher.seal("other", at: other).bytes)[14..<22]
    let moved = EncryptedValue<String>(bytes: bytes)
    #expect(failure { try cipher.open(moved, at: other) } == .damaged)
    #expect(failure { try cipher.open(moved, at: place) } == .moved)
  }

  @Test func `a place needs the key of a row`() throws {
    for place in [
      ValuePlace(table: "note", column: "body"),
      .init(table: "note", column: "body", row: Int?.none),
      .init(table: "note", column: "body", row: Double.nan),
      .init(table: "note", column: "body", row: 1, String?.none),
    ] {
      #expect(failure { try cipher.seal("a", at: place) } == .noRow)
      let value = try cipher.seal("a", at: self.place)
      #expect(failure { try cipher.open(value, at: place) } == .noRow)
    }
  }

  @Test func `another key is named`() throws {
    let other = try ValueCipher(key: .raw(Self.otherBytes))
    let value = try other.seal("a secret", at: place)
    #expect(failure { try cipher.open(value, at: place) } == .wrongKey(keyID: other.keyID))
    #expect(other.keyID != cipher.keyID && other.keyID.count == 16)
  }

  @Test func `what was never encrypted is told apart, and stays as it is`() throws {
    for plain in ["plain".databaseValue, 1.databaseValue, 1.5.databaseValue, Data().databaseValue] {
      let value = try #require(EncryptedValue<String>.fromDatabaseValue(plain))
      #expect(failure { try cipher.open(value, at: place) } == .notEncrypted)
      #expect(failure { try cipher.isCurrent(value) } == .notEncrypted)
      #expect(value.databaseValue == plain)
    }
    #expect(EncryptedValue<String>.fromDatabaseValue(.null) == nil)
  }

  @Test func `a value of another type is refused without showing it`() throws {
    let value = try cipher.seal("a secret", at: place)
    let number = EncryptedValue<Int>(bytes: try #require(value.bytes))
    let error = try #require(failure { try cipher.open(number, at: place) })
    #expect(error == .otherType(type: "Int"))
    let data = try cipher.seal(Data("a secret".utf8), at: place)
    let text = EncryptedValue<String>(bytes: try #require(data.bytes))
    #expect(failure { try cipher.open(text, at: place) } == .otherType(type: "String"))
    #expect(!"\(error) \(error.localizedDescription)".contains("a secret"))
  }

  @Test func `a value that can't be encoded is refused without showing it`() throws {
    struct Refusing: Codable {
      var text: String
      init(_ text: String) { self.text = text }
      init(from decoder: any Decoder) throws { text = "" }
      func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(
          text, EncodingError.Context(codingPath: [], debugDescription: text))
      }
    }
    let error = try #require(failure { try cipher.seal(Refusing("a secret"), at: place) })
    #expect(error == .unencodable(type: "Refusing"))
    #expect(!"\(error)".contains("secret"))
  }

  // MARK: Keys

  @Test func `a passphrase is no key for values`() throws {
    #expect(failure { try ValueCipher(key: .passphrase("secret")) } == .passphraseGiven)
    #expect(
      failure { try ValueCipher(key: .seeded(), previousKeys: [.passphrase("secret")]) }
        == .passphraseGiven)
  }

  @Test func `a salt doesn't make another key`() throws {
    let salted = try ValueCipher(key: .raw(Self.keyBytes, salt: [UInt8](0..<16)))
    #expect(salted.keyID == cipher.keyID)
    #expect(try salted.open(cipher.seal(1, at: place), at: place) == 1)
  }

  @Test func `previous keys open, and the current one seals`() throws {
    let new = try ValueCipher(key: .raw(Self.otherBytes), previousKeys: [.raw(Self.keyBytes)])
    let old = try cipher.seal("a secret", at: place)
    #expect(try !new.isCurrent(old))
    let again = try new.seal(new.open(old, at: place), at: place)
    #expect(try new.isCurrent(again))
    #expect(failure { try cipher.open(again, at: place) } == .wrongKey(keyID: new.keyID))
    let hashes = try new.indexHashes(of: "a", name: "note.body")
    #expect(
      try hashes == [
        new.indexHash(of: "a", name: "note.body"), cipher.indexHash(of: "a", name: "note.body"),
      ])
  }

  // MARK: Hashes

  @Test func `equal values have the same hash under a name and a key`() throws {
    let other = try ValueCipher(key: .raw(Self.otherBytes))
    let hash = try cipher.indexHash(of: "ada", name: "person.name")
    #expect(hash.count == 32)
    #expect(try cipher.indexHash(of: "ada", name: "person.name") == hash)
    let same = try ValueCipher(key: .raw(Self.keyBytes))
    #expect(try same.indexHash(of: "ada", name: "person.name") == hash)
    #expect(try cipher.indexHash(of: "ada", name: "person.mail") != hash)
    #expect(try other.indexHash(of: "ada", name: "person.name") != hash)
    #expect(try cipher.indexHash(of: 1, name: "a") == cipher.indexHash(of: 1.0, name: "a"))
    let none: String? = nil
    var hashes = [
      try cipher.indexHash(of: none, name: "a"), try cipher.indexHash(of: "", name: "a"),
      try cipher.indexHash(of: Data(), name: "a"), try cipher.indexHash(of: 1, name: "a"),
      try cipher.indexHash(of: 1.5, name: "a"), try cipher.indexHash(of: "1", name: "a"),
      try cipher.indexHash(of: "Ada", name: "a"), try cipher.indexHash(of: "ada", name: "a"),
    ]
    // More names than are kept.
    for number in 0..<100 { hashes.append(try cipher.indexHash(of: "ada", name: "n\(number)")) }
    #expect(Set(hashes).count == 108)
  }

  // MARK: Descriptions

  @Test func `nothing shows a value, a key or a row's key`() throws {
    let value = try cipher.seal("SECRET", at: place)
    let plain = try #require(EncryptedValue<String>.fromDatabaseValue("SECRET".databaseValue))
    var text = ""
    for subject in [value, plain] { dump(subject, to: &text) }
    dump(cipher, to: &text)
    let place = ValuePlace(table: "note", column: "body", row: "SECRET")
    text += "\(value) \(plain) \(cipher) \(place)"
    text += String(reflecting: value) + String(reflecting: cipher)
    #expect(throws: EncodingError.self) { try JSONEncoder().encode([plain]) }
    do { _ = try JSONEncoder().encode([plain]) } catch { text += "\(error)" }
    #expect(!text.contains("SECRET"))
    #expect(text.contains("EncryptedValue(redacted)") && text.contains("note.body"))
  }
}
