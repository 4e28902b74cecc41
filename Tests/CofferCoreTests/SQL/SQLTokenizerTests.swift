@testable import CofferCore
import Testing

private typealias Kind = SQLTokenizer.Kind

private func tokens(_ sql: String) -> [(Kind, String)] {
  var sql = sql
  return sql.withUTF8 { utf8 in
    SQLTokenizer(utf8).map { ($0.kind, String(decoding: utf8[$0.range], as: UTF8.self)) }
  }
}

@Suite struct SQLTokenizerTests {
  @Test func `a text is one token of its kind`() {
    let table: [(Kind, [String])] = [
      (.space, [" ", "\t\n\u{0C}\r \u{0B}", "\u{FEFF}"]),
      (.comment, ["--", "-- a ' b", "/**/", "/* ' */", "/***/", "/* * / **/", "/* open", "/*/ /"]),
      (
        .word,
        [
          "a", "SELECT", "_1$", "é", "a$b", "👍", "x", "X1", "xyz", "a\u{FEFF}", "🇫🇷e\u{301}",
          "current_date",
        ]
      ),
      (.quotedIdentifier, ["\"a\"", "\"a\"\"b\"", "`a``b`", "[a\"'b]", "[]", "\"\"", "\"👍\""]),
      (.string, ["''", "'a'", "'a''b'", "''''", "'\"--/*'", "'é'"]),
      (.blob, ["x''", "X'0f'", "x'ABCDEF'"]),
      (
        .number,
        [
          "0", "123", "1.", ".5", "1.5", "1e5", "1E+5", "1.5e-10", "0x1F", "0XaF", "1_000", "1.e5",
          "0x1_F",
        ]
      ),
      (
        .parameter,
        [
          "?", "?1", "?0123", ":a", "@a", "$a", "#a", ":1", ":a$b", ":é", "$a::b", "$a::b(c)",
          "$::a", ":a(b)", "@a()", "$a::::b",
        ]
      ),
      (.leftParenthesis, ["("]), (.rightParenthesis, [")"]), (.comma, [","]),
      (.semicolon, [";"]), (.dot, ["."]),
      (
        .operator,
        [
          "+", "-", "*", "/", "%", "&", "|", "~", "=", "<", ">", "==", "<=", ">=", "<>", "<<", ">>",
          "!=", "||", "->", "->>",
        ]
      ),
      (
        .illegal,
        [
          "'", "'a", "'a''", "\"a", "`", "[a", "x'", "x'0'", "x'0g'", "x'00", "12ab", "1e5x",
          "0x1G",
          ":", "@", "$", "#", "$a(b", "!", "^", "{", "\\", "\u{1}", "1$a", "$a::b(c",
        ]
      ),
    ]
    for (kind, texts) in table {
      for text in texts {
        let found = tokens(text)
        #expect(found.map(\.0) == [kind], "\(text)")
        #expect(found.map(\.1) == [text], "\(text)")
      }
    }
  }

  @Test(arguments: [
    ("a=?1+:b", ["a", "=", "?1", "+", ":b"]),
    ("a--b\nc", ["a", "--b", "\n", "c"]),
    ("a/*b*/c", ["a", "/*b*/", "c"]),
    ("a/ *", ["a", "/", " ", "*"]),
    ("/*", ["/", "*"]),
    ("1..2", ["1.", ".2"]),
    ("1.e", ["1.e"]),
    ("t.a", ["t", ".", "a"]),
    ("t.1", ["t", ".1"]),
    ("1e+", ["1e", "+"]),
    ("'a'b", ["'a'", "b"]),
    ("x'00'x", ["x'00'", "x"]),
    ("x'0g'1", ["x'0g'", "1"]),
    ("??1?", ["?", "?1", "?"]),
    ("?a", ["?", "a"]),
    (":a:b", [":a", ":b"]),
    (":(a)", [":", "(", "a", ")"]),
    ("$a(b c)", ["$a(b", " ", "c", ")"]),
    ("a$b?", ["a$b", "?"]),
    ("<=>", ["<=", ">"]),
    ("---", ["---"]),
    ("->-", ["->", "-"]),
    ("=!=", ["=", "!="]),
    ("[a]]", ["[a]", "]"]),
    ("x\u{0B}y", ["x", "\u{0B}", "y"]),
    ("IN(?)", ["IN", "(", "?", ")"]),
    ("'it''s'\"q\"", ["'it''s'", "\"q\""]),
  ])
  func `tokens end where SQLite ends them`(sql: String, expected: [String]) {
    #expect(tokens(sql).map(\.1) == expected)
  }

  @Test func `no text is lost`() {
    // Every pair and triple of characters that begin, end or change a token.
    let pieces = [
      "a", "x", "e", "0", "9", ".", "'", "\"", "`", "[", "]", "?", ":", "@", "$", "#", "(", ")",
      ",", ";", "-", "/", "*", " ", "\n", "é", "\u{FEFF}", "!", "=", "<", ">", "|", "_", "\\",
    ]
    for first in pieces {
      for second in pieces {
        for third in pieces {
          let sql = first + second + third
          let found = tokens(sql)
          #expect(found.map(\.1).joined() == sql)
          #expect(found.allSatisfy { !$0.1.isEmpty })
        }
      }
    }
  }

  @Test func `a NUL ends the text, inside a token too`() {
    #expect(tokens("a\0b").map(\.1) == ["a"])
    #expect(tokens("'a\0b'").map(\.1) == ["'a"])
    #expect(tokens("'a\0b'").map(\.0) == [.illegal])
    #expect(tokens("-- a\0\nb").map(\.1) == ["-- a"])
    #expect(tokens("/* a\0*/b").map(\.1) == ["/* a"])
    #expect(tokens("\0").isEmpty)
    #expect(tokens("").isEmpty)
  }

  @Test func `a long string is one token`() {
    let megabyte = String(repeating: "'' ", count: 400_000)
    #expect(tokens("'\(megabyte)'").map(\.0) == [.string])
    #expect(tokens("'\(megabyte)").map(\.0) == [.illegal])
    #expect(tokens("/*\(megabyte)*/").map(\.0) == [.comment])
  }

  @Test func `the end is stable`() {
    var sql = "a\0b"
    sql.withUTF8 { utf8 in
      var tokenizer = SQLTokenizer(utf8)
      #expect(tokenizer.next() != nil)
      #expect(tokenizer.next() == nil)
      #expect(tokenizer.next() == nil)
      var beyond = SQLTokenizer(utf8, from: 10)
      #expect(beyond.next() == nil)
    }
  }
}

@Suite struct SQLTextTests {
  @Test func `texts are equal where their bytes are`() {
    #expect(SQLString("SELECT 1") == SQLString("SELECT 1"))
    #expect(SQLString("SELECT 1") != SQLString("SELECT 2"))
    #expect(SQLString("") == SQLString(""))
    #expect(SQLString("a") != SQLString("ab"))
    #expect("'\u{E9}'" == "'e\u{301}'")
    #expect(SQLString("'\u{E9}'") != SQLString("'e\u{301}'"))
    #expect(Set([SQLString("a\0b"), SQLString("a\0c"), SQLString("a\0b")]).count == 2)
  }

  @Test(arguments: [
    "", " \n\t", ";", " ; ;; ", "-- comment", "/* c */ ; -- d", "/* open", "\u{FEFF}",
  ])
  func `blank text has no statement`(sql: String) {
    #expect(SQLString(sql).isBlank())
  }

  @Test(arguments: [
    "SELECT 1", "; x", "-- a\nx", "/**/ 'x", "'", "\u{0B}", "(", "1", "\0SELECT 1", ";\0",
  ])
  func `other text is not blank`(sql: String) {
    #expect(!SQLString(sql).isBlank())
  }

  @Test func `blankness can be asked of the rest`() {
    #expect(SQLString("SELECT 1; -- é").isBlank(from: 8))
    #expect(!SQLString("SELECT 1; SELECT 2").isBlank(from: 9))
    #expect(SQLString("SELECT 1").isBlank(from: 8))
  }
}
