@testable import CofferCore
import Testing

@Suite struct SQLIdentifierTests {
  @Test(arguments: [
    ("player", "\"player\""), ("", "\"\""), ("a\"b\"", "\"a\"\"b\"\"\""),
    ("group by", "\"group by\""), ("é👍\n", "\"é👍\n\""), ("\"\u{301}", "\"\"\"\u{301}\""),
  ])
  func `an identifier is quoted and its quotes are doubled`(name: String, quoted: String) {
    #expect(name.quotedDatabaseIdentifier == quoted)
  }

  @Test func `a quoted identifier is one token`() {
    for name in ["a\"", "\"", "\"\"x", "]", "'", "--", "a\u{301}\"\u{301}"] {
      var sql = name.quotedDatabaseIdentifier
      let tokens = sql.withUTF8 { Array(SQLTokenizer($0)) }
      #expect(tokens == [.init(kind: .quotedIdentifier, range: 0..<sql.utf8.count)])
    }
  }

  @Test func `question marks are separated by commas`() {
    #expect(databaseQuestionMarks(count: 0) == "")
    #expect(databaseQuestionMarks(count: 1) == "?")
    #expect(databaseQuestionMarks(count: 3) == "?,?,?")
  }
}
