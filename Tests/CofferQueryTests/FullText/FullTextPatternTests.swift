@testable import CofferCore
import CofferExpectations
@testable import CofferQuery
import CofferTestSupport
import Testing

@Suite struct FullTextPatternTests {
  /// Text, any token, all tokens, prefixes, phrase.
  static let texts: [(text: String, any: String, all: String, prefixes: String, phrase: String)] = [
    ("écarlates", "écarlates", "écarlates", "écarlates*", "\"écarlates\""),
    ("^Moby*", "moby", "moby", "moby*", "\"moby\""),
    (
      " \t\nyears \t\nmonths \t\n", "years OR months", "years months", "years* months*",
      "\"years months\""
    ),
    (
      "\"years months days\"", "years OR months OR days", "years months days",
      "years* months* days*", "\"years months days\""
    ),
    ("FOOÉı👨🏿🇫🇷", "fooÉı👨🏿🇫🇷", "fooÉı👨🏿🇫🇷", "fooÉı👨🏿🇫🇷*", "\"fooÉı👨🏿🇫🇷\""),
    ("NOT a OR (b", "not OR a OR or OR b", "not a or b", "not* a* or* b*", "\"not a or b\""),
    ("title:x", "title OR x", "title x", "title* x*", "\"title x\""),
    ("a\u{0}b", "a OR b", "a b", "a* b*", "\"a b\""),
    ("NEAR(a b, 2)", "near OR a OR b OR 2", "near a b 2", "near* a* b* 2*", "\"near a b 2\""),
  ]

  static let wordless = ["", "*", "^", " ", "(", "()", "\"", "?!", "\u{0}", "--", "'"]

  @Test(arguments: texts.indices)
  func `patterns are made of the words of a text`(index: Int) throws {
    let (text, any, all, prefixes, phrase) = Self.texts[index]
    #expect(FTS3Pattern(matchingAnyTokenIn: text)?.rawPattern == any)
    #expect(FTS3Pattern(matchingAllTokensIn: text)?.rawPattern == all)
    #expect(FTS3Pattern(matchingAllPrefixesIn: text)?.rawPattern == prefixes)
    #expect(FTS3Pattern(matchingPhrase: text)?.rawPattern == phrase)
    #expect(FTS5Pattern(matchingAnyTokenIn: text)?.rawPattern == any)
    #expect(FTS5Pattern(matchingAllTokensIn: text)?.rawPattern == all)
    #expect(FTS5Pattern(matchingAllPrefixesIn: text)?.rawPattern == prefixes)
    #expect(FTS5Pattern(matchingPhrase: text)?.rawPattern == phrase)
    #expect(FTS5Pattern(matchingPrefixPhrase: text)?.rawPattern == "^" + phrase)
  }

  @Test(arguments: texts.map(\.text))
  func `patterns of words are valid`(text: String) throws {
    for pattern in [
      FTS3Pattern(matchingAnyTokenIn: text), FTS3Pattern(matchingAllTokensIn: text),
      FTS3Pattern(matchingAllPrefixesIn: text), FTS3Pattern(matchingPhrase: text),
    ] {
      let rawPattern = try #require(pattern?.rawPattern)
      #expect(try FTS3Pattern(rawPattern: rawPattern) == pattern)
    }
    guard hasFTS5 else { return }
    for pattern in [
      FTS5Pattern(matchingAnyTokenIn: text), FTS5Pattern(matchingAllTokensIn: text),
      FTS5Pattern(matchingAllPrefixesIn: text), FTS5Pattern(matchingPhrase: text),
      FTS5Pattern(matchingPrefixPhrase: text),
    ] {
      let rawPattern = try #require(pattern?.rawPattern)
      #expect(try FTS5Pattern(rawPattern: rawPattern) == pattern)
    }
  }

  @Test func `the words are those of SQLite's simple tokenizers`() throws {
    // Every character of ASCII, and some beyond it.
    let text = (1..<128).map { "x\(UnicodeScalar(UInt8($0)))" }.joined() + " Éé ı ß 漢字 👨‍👩‍👧 e\u{301}"
    let all = FTS3Pattern(matchingAllTokensIn: text)?.rawPattern
    #expect(try FTS3.tokenize(text).joined(separator: " ") == all)
    guard hasFTS5 else { return }
    try EncryptedQueue.with { db in
      let tokens = try db.makeTokenizer(.ascii()).tokenize(query: text).map(\.token)
      #expect(tokens.joined(separator: " ") == all)
    }
  }

  @Test(arguments: wordless)
  func `there is no pattern without words`(text: String) {
    #expect(FTS3Pattern(matchingAnyTokenIn: text) == nil)
    #expect(FTS3Pattern(matchingAllTokensIn: text) == nil)
    #expect(FTS3Pattern(matchingAllPrefixesIn: text) == nil)
    #expect(FTS3Pattern(matchingPhrase: text) == nil)
    #expect(FTS5Pattern(matchingAnyTokenIn: text) == nil)
    #expect(FTS5Pattern(matchingAllTokensIn: text) == nil)
    #expect(FTS5Pattern(matchingAllPrefixesIn: text) == nil)
    #expect(FTS5Pattern(matchingPhrase: text) == nil)
    #expect(FTS5Pattern(matchingPrefixPhrase: text) == nil)
  }

  @Test(arguments: [
    "", "?!", "Moby", "écarlates", "*", "Robin*", "\"foulent muscles\"", "history NEAR evolution",
    "years NOT months", "years AND months", "years OR months", "title:brest",
  ])
  func `valid patterns of FTS3 are taken as they are`(rawPattern: String) throws {
    let pattern = try FTS3Pattern(rawPattern: rawPattern)
    #expect(pattern.rawPattern == rawPattern)
    #expect(pattern.databaseValue == rawPattern.databaseValue)
    #expect(FTS3Pattern.fromDatabaseValue(rawPattern.databaseValue) == pattern)
  }

  @Test(arguments: ["OR", "\"", "\"a", "a OR"])
  func `an invalid pattern of FTS3 is SQLite's error`(rawPattern: String) throws {
    let error = databaseError { try FTS3Pattern(rawPattern: rawPattern) }
    #expect(error?.resultCode == .SQLITE_ERROR)
    #expect(error?.message == "malformed MATCH expression: …(redacted)")
    #expect(
      error?.expandedDescription
        == "SQLite error 1: malformed MATCH expression: [\(rawPattern)]")
    #expect(error?.sql == nil)
    #expect(error?.arguments == nil)
    #expect(FTS3Pattern.fromDatabaseValue(rawPattern.databaseValue) == nil)
  }

  @Test(
    .enabled(if: hasFTS5),
    arguments: [
      "Moby", "écarlates", "Robin*", "\"foulent muscles\"", "\"Kim Stan*\" Robin*",
      "NEAR(\"history\" \"evolution\")", "years NOT months", "years AND months", "a OR b",
      "^moby",
    ])
  func `valid patterns of FTS5 are taken as they are`(rawPattern: String) throws {
    let pattern = try FTS5Pattern(rawPattern: rawPattern)
    #expect(pattern.rawPattern == rawPattern)
    #expect(FTS5Pattern.fromDatabaseValue(rawPattern.databaseValue) == pattern)
  }

  @Test(
    .enabled(if: hasFTS5),
    arguments: [
      ("", "fts5: syntax error near \"\""), ("?!", "fts5: syntax error near \"?\""),
      ("^", "fts5: syntax error near \"\""), ("NOT", "fts5: syntax error near \"NOT\""),
      ("(", "fts5: syntax error near \"\""), ("AND", "fts5: syntax error near \"AND\""),
      ("\"", "unterminated string"), ("*", "unknown special query: "),
      ("missing:foo", "no such column: missing"),
    ])
  func `invalid patterns of FTS5 are SQLite's error`(rawPattern: String, message: String) throws {
    let error = databaseError { try FTS5Pattern(rawPattern: rawPattern) }
    #expect(error?.resultCode == .SQLITE_ERROR)
    // What is quoted of the pattern shows only in the full text.
    #expect(error?.expandedDescription == "SQLite error 1: \(message)")
    let isWhole = message == "unterminated string"
    #expect(error?.message?.hasSuffix("…(redacted)") == !isWhole)
    #expect(error?.sql == nil)
    #expect(error?.arguments == nil)
    #expect(FTS5Pattern.fromDatabaseValue(rawPattern.databaseValue) == nil)
  }

  @Test(.enabled(if: hasFTS5))
  func `a pattern of FTS5 names the columns that it may`() throws {
    let pattern = try FTS5Pattern(
      rawPattern: "title: moby OR {author body}: x", allowedColumns: ["title", "author", "body"])
    #expect(pattern.rawPattern == "title: moby OR {author body}: x")
    #expect(
      databaseError { try FTS5Pattern(rawPattern: "body: x", allowedColumns: ["title"]) }?.message
        == "no such column: …(redacted)")
    try EncryptedQueue.with { db in
      try db.create(virtualTable: "book", using: FTS5()) { t in
        t.column("title")
        t.column("my notes")
      }
      let made = try db.makeFTS5Pattern(rawPattern: "\"my notes\": x", forTable: "book")
      #expect(made.rawPattern == "\"my notes\": x")
      #expect(
        databaseError { try db.makeFTS5Pattern(rawPattern: "body: x", forTable: "book") }?.message
          == "no such column: …(redacted)")
      #expect(
        databaseError { try db.makeFTS5Pattern(rawPattern: "x", forTable: "nowhere") }?.message
          == "no such table: nowhere")
    }
  }

  @Test func `a pattern is an argument, and never part of the SQL`() throws {
    try EncryptedQueue.with { db in
      try db.create(virtualTable: "documents", using: FTS4()) { $0.column("content") }
      try db.execute(sql: "INSERT INTO documents VALUES ('drop table documents')")
      let pattern = FTS3Pattern(matchingAllTokensIn: "'; DROP TABLE documents; --")
      #expect(try db.matches("documents", pattern?.rawPattern ?? "") == [1])
      #expect(try db.creationSQL("documents") != nil)
    }
  }
}
