@testable import CofferCore
import CofferExpectations
@testable import CofferQuery
import CofferTestSupport
import Foundation
import Testing

@Suite struct FTS4TableTests {
  private func creation(
    _ body: @escaping (FTS4TableDefinition) throws -> Void
  ) throws -> String? {
    try EncryptedQueue.with { db in
      try db.create(virtualTable: "documents", using: FTS4(), body)
      return try db.creationSQL("documents")
    }
  }

  private func expect(
    _ arguments: String, _ body: @escaping (FTS4TableDefinition) throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let sql = try creation(body)
    #expect(
      sql == "CREATE VIRTUAL TABLE \"documents\" USING fts4\(arguments)",
      sourceLocation: sourceLocation)
  }

  @Test func `the table's SQL lists columns, tokenizer and options`() throws {
    try expect("") { _ in }
    try expect("(author, title, body)") { t in
      t.column("author")
      t.column("title")
      t.column("body")
    }
    try expect("(author, notindexed=author, title, body, notindexed=body)") { t in
      t.column("author").notIndexed()
      t.column("title")
      t.column("body").notIndexed()
    }
    try expect(
      "(content, languageid=\"lid\", content=\"\", compress=\"zip\", uncompress=\"unzip\", "
        + "matchinfo=\"fts3\", prefix=\"2,4\")"
    ) { t in
      t.content = ""
      t.compress = "zip"
      t.uncompress = "unzip"
      t.matchinfo = "fts3"
      t.prefixes = [4, 2]
      t.column("content")
      t.column("lid").asLanguageId()
    }
    try expect("(content, tokenize=porter, prefix=\"3\")") { t in
      t.tokenizer = .porter
      t.prefixes = [3]
      t.column("content")
    }
  }

  @Test func `a tokenizer is named with its options`() throws {
    try expect("(tokenize=simple)") { $0.tokenizer = .simple }
    try expect("(tokenize=porter)") { $0.tokenizer = .porter }
    try expect("(tokenize=unicode61)") { $0.tokenizer = .unicode61() }
    try expect("(tokenize=unicode61 \"remove_diacritics=0\")") {
      $0.tokenizer = .unicode61(diacritics: .keep)
    }
    try expect("(tokenize=unicode61 \"separators=X\")") {
      $0.tokenizer = .unicode61(separators: ["X"])
    }
    try expect("(tokenize=unicode61 \"tokenchars=-.\")") {
      $0.tokenizer = .unicode61(tokenCharacters: Set(".-"))
    }
  }

  @Test func `all diacritics are removed where SQLite can`() throws {
    try EncryptedQueue.with { db in
      func create() throws {
        try db.create(virtualTable: "d", using: FTS4()) { t in
          t.tokenizer = .unicode61(diacritics: .remove)
        }
      }
      guard SQLiteFeatures.linked.hasFullDiacritics else {
        let error = databaseError(create)
        #expect(error?.message == "the removal of all diacritics needs SQLite 3.27 or later")
        #expect(try db.creationSQL("d") == nil)
        #expect(
          databaseError { try FTS3.tokenize("é", withTokenizer: .unicode61(diacritics: .remove)) }?
            .message == "the removal of all diacritics needs SQLite 3.27 or later")
        return
      }
      try create()
      #expect(
        try db.creationSQL("d")
          == "CREATE VIRTUAL TABLE \"d\" USING fts4(tokenize=unicode61 \"remove_diacritics=2\")")
      // Two diacritics on one letter: the older way keeps both.
      #expect(
        try FTS3.tokenize("\u{1EAE}", withTokenizer: .unicode61(diacritics: .remove)) == ["a"])
      #expect(try FTS3.tokenize("\u{1EAE}", withTokenizer: .unicode61()) != ["a"])
    }
  }

  @Test func `columns with odd names are quoted, and can be searched`() throws {
    try EncryptedQueue.with { db in
      let names = ["my title", "tokenize", "1st", "é", "it's", "qu\"ote", "content"]
      try db.create(virtualTable: "documents", using: FTS4()) { t in
        for name in names { t.column(name) }
      }
      let columns = try String.fetchAll(
        db, sql: "PRAGMA table_info(documents)", adapter: SuffixRowAdapter(fromIndex: 1))
      #expect(columns == names)
      for (index, name) in names.enumerated() {
        try db.execute(
          sql: "INSERT INTO documents(docid, \(name.quotedDatabaseIdentifier)) VALUES (?, 'word')",
          arguments: [index + 1])
      }
      #expect(try db.matches("documents", "word") == Array(1...names.count))
    }
  }

  @Test func `a column that isn't indexed is stored, and not found`() throws {
    try EncryptedQueue.with { db in
      try db.create(virtualTable: "books", using: FTS4()) { t in
        t.column("author").notIndexed()
        t.column("title")
      }
      try db.execute(sql: "INSERT INTO books VALUES ('Melville', 'Moby Dick')")
      #expect(try db.matches("books", "Dick") == [1])
      #expect(try db.matches("books", "Melville") == [])
      #expect(try String.fetchOne(db, sql: "SELECT author FROM books") == "Melville")
    }
  }

  @Test func `languages are searched one by one`() throws {
    try EncryptedQueue.with { db in
      try db.create(virtualTable: "documents", using: FTS4()) { t in
        t.column("content")
        t.column("lid").asLanguageId()
      }
      try db.execute(
        sql: "INSERT INTO documents (content, lid) VALUES ('chat', 0), ('chat', 1)")
      let sql = "SELECT rowid FROM documents WHERE documents MATCH 'chat' AND lid = ?"
      #expect(try Int.fetchAll(db, sql: sql, arguments: [0]) == [1])
      #expect(try Int.fetchAll(db, sql: sql, arguments: [1]) == [2])
      #expect(try Int.fetchAll(db, sql: sql, arguments: [2]) == [])
    }
  }

  @Test func `a contentless table finds what it doesn't store`() throws {
    try EncryptedQueue.with { db in
      try db.create(virtualTable: "documents", using: FTS4()) { t in
        t.content = ""
        t.column("content")
      }
      try db.execute(sql: "INSERT INTO documents (docid, content) VALUES (7, 'abc')")
      #expect(try db.matches("documents", "abc", rowID: "docid") == [7])
    }
  }

  @Test func `texts are compressed and uncompressed by functions`() throws {
    try EncryptedQueue.with { db in
      // This isn't compression, but the change is visible.
      db.add(
        function: DatabaseFunction("zip", argumentCount: 1, pure: true) { values in
          String.fromDatabaseValue(values[0]).map { String($0.reversed()) }
        })
      db.add(
        function: DatabaseFunction("unzip", argumentCount: 1, pure: true) { values in
          String.fromDatabaseValue(values[0]).map { String($0.reversed()) }
        })
      try db.create(virtualTable: "documents", using: FTS4()) { t in
        t.compress = "zip"
        t.uncompress = "unzip"
        t.column("content")
      }
      try db.execute(sql: "INSERT INTO documents VALUES ('abc')")
      #expect(try String.fetchOne(db, sql: "SELECT content FROM documents") == "abc")
      #expect(
        try String.fetchOne(db, sql: "SELECT c0content FROM documents_content") == "cba")
      #expect(try db.matches("documents", "abc") == [1])
    }
  }

  @Test(arguments: ["fts3", "fts4"])
  func `matchinfo, snippets and offsets work`(module: String) throws {
    try EncryptedQueue.with { db in
      try db.create(virtualTable: "documents", using: "\(module)(content)")
      try db.execute(sql: "INSERT INTO documents VALUES ('one two three')")
      let row = try Row.fetchOne(
        db,
        sql: """
          SELECT snippet(documents, '[', ']'), offsets(documents), matchinfo(documents, 'pc')
          FROM documents WHERE documents MATCH 'two'
          """)
      #expect(row?[0] == "one [two] three")
      #expect(row?[1] == "0 0 4 3")
      #expect((row?[2] as Data?)?.count == 8)
    }
  }

  @Test func `FTS3 has columns and a tokenizer`() throws {
    try EncryptedQueue.with { db in
      try db.create(virtualTable: "a", using: FTS3())
      try db.create(virtualTable: "b", using: FTS3()) { t in
        t.tokenizer = .unicode61(
          diacritics: .keep, separators: ["é"], tokenCharacters: ["'", "\""])
        t.column("title")
        t.column("body")
      }
      #expect(try db.creationSQL("a") == "CREATE VIRTUAL TABLE \"a\" USING fts3")
      #expect(
        try db.creationSQL("b")
          == "CREATE VIRTUAL TABLE \"b\" USING fts3(title, body, tokenize=unicode61 "
          + "\"remove_diacritics=0\" \"separators=é\" \"tokenchars=\"\"'\")")
      try db.execute(sql: "INSERT INTO b VALUES ('l''idée', 'say\"so')")
      #expect(try db.matches("b", "\"l'id\"") == [1])
      #expect(try db.matches("b", "e") == [1])
      #expect(try db.matches("b", "so") == [])
    }
  }

  @Test func `FTS3 splits a text into words`() throws {
    #expect(try FTS3.tokenize("SQLite database") == ["sqlite", "database"])
    #expect(try FTS3.tokenize("Gustave Doré") == ["gustave", "doré"])
    #expect(try FTS3.tokenize("Gustave DORÉ", withTokenizer: .unicode61()) == ["gustave", "dore"])
    #expect(
      try FTS3.tokenize("DORÉ", withTokenizer: .unicode61(diacritics: .keep)) == ["doré"])
    #expect(try FTS3.tokenize("databases", withTokenizer: .porter) == ["databas"])
    #expect(
      try FTS3.tokenize("a-b.c", withTokenizer: .unicode61(tokenCharacters: Set("-.")))
        == ["a-b.c"])
    #expect(try FTS3.tokenize("") == [])
    #expect(try FTS3.tokenize("?!") == [])
    #expect(
      try FTS3.tokenize("x\"y'z", withTokenizer: .unicode61(tokenCharacters: Set("\"'")))
        == ["x\"y'z"])
  }
}
