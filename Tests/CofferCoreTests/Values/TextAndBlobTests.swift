@testable import CofferCore
import FoundationEssentials
import Testing

@Suite struct StringTests {
  @Test(arguments: [
    "", "a", "fifteen bytes..", "sixteen bytes...", "naïve café", "e\u{301}", "👩‍👩‍👧",
    "nul\0in the middle", "\0", "\u{FFFD}", String(repeating: "x", count: 100_000),
  ])
  func `text comes back`(text: String) throws {
    try expectRoundTrip(text)
    #expect(try bound(text).type == "text")
  }

  @Test func `the two Unicode forms of a text stay apart`() throws {
    for text in ["\u{E9}", "e\u{301}"] {
      let found = try withRow("SELECT ?", [text]) { String.fromStatement($0, atUncheckedIndex: 0) }
      #expect(Array(try #require(found).utf8) == Array(text.utf8))
    }
  }

  @Test func `text with a NUL keeps its length in SQLite`() throws {
    let length = try withRow("SELECT length(CAST(? AS BLOB))", ["a\0b"]) {
      Int.fromStatement($0, atUncheckedIndex: 0)
    }
    #expect(length == 3)
  }

  @Test func `bytes that are not UTF-8 become U+FFFD`() throws {
    #expect(try live(String.self, "CAST(x'61ff62' AS TEXT)") == "a\u{FFFD}b")
    #expect(try live(String.self, "CAST(x'e282' AS TEXT)") == "\u{FFFD}")
    #expect(try databaseValue("CAST(x'61ff62' AS TEXT)").storage == .string("a\u{FFFD}b"))
  }

  @Test func `a number converts in a statement only`() throws {
    #expect(try live(String.self, "12") == "12")
    #expect(try live(String.self, "1.5") == "1.5")
    #expect(try stored(String.self, "12") == nil)
    #expect(try stored(String.self, "1.5") == nil)
  }

  @Test func `a blob converts where it is UTF-8`() throws {
    #expect(try live(String.self, "x'c3a9'") == "é")
    #expect(try stored(String.self, "x'c3a9'") == "é")
    #expect(try live(String.self, "x'ff'") == "\u{FFFD}")
    #expect(try stored(String.self, "x'ff'") == nil)
    #expect(try live(String.self, "x''") == "")
    #expect(try live(String.self, "zeroblob(0)") == "")
    #expect(try stored(String.self, "x''") == "")
  }

  @Test func `NULL is nil`() throws {
    #expect(try live(String.self, "NULL") == nil)
    #expect(try stored(String.self, "NULL") == nil)
  }

  @Test func `text of a UTF-16 database comes back`() throws {
    try withRow("SELECT ?1, ?1", ["naïve 👩‍👧"], encoding: "UTF-16le") {
      #expect(String.fromStatement($0, atUncheckedIndex: 0) == "naïve 👩‍👧")
      #expect(
        DatabaseValue(sqliteStatement: $0, index: 1) == "naïve 👩‍👧".databaseValue)
    }
  }
}

@Suite struct DataTests {
  @Test(arguments: [Data(), Data([0]), Data([0, 1, 255]), Data(count: 100_000)])
  func `bytes come back`(data: Data) throws {
    try expectRoundTrip(data)
    #expect(try bound(data).type == "blob")
    #expect(try bound(data.databaseValue).type == "blob")
  }

  @Test func `an empty blob stays a blob`() throws {
    #expect(try live(Data.self, "x''") == Data())
    #expect(try live(Data.self, "zeroblob(0)") == Data())
    #expect(try live(Data?.self, "x''") == .some(Data()))
    #expect(try databaseValue("x''").storage == .blob(Data()))
  }

  @Test func `a slice of data is stored as its own bytes`() throws {
    let slice = Data([1, 2, 3, 4])[1...2]
    #expect(try bound(slice).value.storage == .blob(Data([2, 3])))
  }

  @Test func `text converts to its UTF-8 bytes`() throws {
    #expect(try live(Data.self, "'é'") == Data([0xC3, 0xA9]))
    #expect(try stored(Data.self, "'é'") == Data([0xC3, 0xA9]))
    #expect(try live(Data.self, "''") == Data())
  }

  @Test func `a number converts in a statement only`() throws {
    #expect(try live(Data.self, "12") == Data("12".utf8))
    #expect(try stored(Data.self, "12") == nil)
    #expect(try stored(Data.self, "1.5") == nil)
  }

  @Test func `NULL is nil`() throws {
    #expect(try live(Data.self, "NULL") == nil)
    #expect(try stored(Data.self, "NULL") == nil)
  }
}
