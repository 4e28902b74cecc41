@testable import CofferCore
import CofferExpectations
@testable import CofferQuery
import CofferTestSupport
import Testing

@Suite(.enabled(if: hasFTS5)) struct FTS5TableTests {
  private func expect(
    _ arguments: String, _ body: @escaping (FTS5TableDefinition) throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try EncryptedQueue.with("CREATE TABLE source (id INTEGER PRIMARY KEY, content)") { db in
      try db.create(virtualTable: "documents", using: FTS5(), body)
      #expect(
        try db.creationSQL("documents")
          == "CREATE VIRTUAL TABLE \"documents\" USING fts5(\(arguments))",
        sourceLocation: sourceLocation)
    }
  }

  @Test func `the table's SQL lists columns, tokenizer and options`() throws {
    try expect("author, title, body") { t in
      t.column("author")
      t.column("title")
      t.column("body")
    }
    try expect("author UNINDEXED, title, body UNINDEXED") { t in
      t.column("author").notIndexed()
      t.column("title")
      t.column("body").notIndexed()
    }
    try expect("content, content='', prefix='2 4', columnSize=0, detail=column") { t in
      t.content = ""
      t.prefixes = [4, 2]
      t.columnSize = 0
      t.detail = "column"
      t.column("content")
    }
    try expect("content, content='source', content_rowid='id'") { t in
      t.content = "source"
      t.contentRowID = "id"
      t.column("content")
    }
    try expect("content, content='source'") { t in
      t.content = "source"
      t.column("content")
    }
    try expect("content, tokenize='''porter''', detail=none") { t in
      t.tokenizer = .porter()
      t.detail = "none"
      t.column("content")
    }
  }

  @Test(arguments: [
    (FTS5TokenizerDescriptor.ascii(), "''ascii''"),
    (.ascii(separators: ["X"]), "''ascii'' ''separators'' ''X''"),
    (.ascii(tokenCharacters: Set(".-")), "''ascii'' ''tokenchars'' ''-.''"),
    (.porter(), "''porter''"),
    (.porter(wrapping: .ascii()), "''porter'' ''ascii''"),
    (.porter(wrapping: .unicode61()), "''porter'' ''unicode61''"),
    (.unicode61(), "''unicode61''"),
    (.unicode61(diacritics: .keep), "''unicode61'' ''remove_diacritics'' ''0''"),
    (.unicode61(diacritics: .remove), "''unicode61'' ''remove_diacritics'' ''2''"),
    (.unicode61(categories: "L* N*"), "''unicode61'' ''categories'' ''L* N*''"),
    (.unicode61(separators: ["X"]), "''unicode61'' ''separators'' ''X''"),
    (.unicode61(tokenCharacters: Set(".-")), "''unicode61'' ''tokenchars'' ''-.''"),
    (.unicode61(tokenCharacters: ["'"]), "''unicode61'' ''tokenchars'' ''''''''"),
    (FTS5TokenizerDescriptor(components: ["trigram"]), "''trigram''"),
  ])
  func `a tokenizer is named with its options`(
    tokenizer: FTS5TokenizerDescriptor, sql: String
  ) throws {
    try expect("content, tokenize='\(sql)'") { t in
      t.tokenizer = tokenizer
      t.column("content")
    }
  }

  @Test func `a tokenizer without a name is an error`() throws {
    try EncryptedQueue.with { db in
      let error = databaseError {
        try db.create(virtualTable: "documents", using: FTS5()) { t in
          t.tokenizer = FTS5TokenizerDescriptor(components: [])
          t.column("content")
        }
      }
      #expect(error?.message == "a tokenizer without a name")
      #expect(
        databaseError { try db.makeTokenizer(FTS5TokenizerDescriptor(components: [])) }?.message
          == "a tokenizer without a name")
    }
  }

  @Test func `columns with odd names are quoted, and can be searched`() throws {
    try EncryptedQueue.with { db in
      let names = ["my title", "tokenize", "1st", "é", "a=b", "it's", "qu\"ote", "content"]
      try db.create(virtualTable: "documents", using: FTS5()) { t in
        for name in names { t.column(name) }
      }
      for (index, name) in names.enumerated() {
        try db.execute(
          sql: "INSERT INTO documents(rowid, \(name.quotedDatabaseIdentifier)) VALUES (?, 'word')",
          arguments: [index + 1])
      }
      #expect(try db.matches("documents", "word") == Array(1...names.count))
      for (index, name) in names.enumerated() {
        let pattern = "\(name.quotedDatabaseIdentifier): word"
        #expect(
          try db.matches(
            "documents", try db.makeFTS5Pattern(rawPattern: pattern, forTable: "documents"))
            == [index + 1])
      }
    }
  }

  @Test func `names that FTS5 reserves are its error`() throws {
    try EncryptedQueue.with { db in
      for name in ["rank", "rowid"] {
        let error = databaseError {
          try db.create(virtualTable: "documents", using: FTS5()) { $0.column(name) }
        }
        #expect(error?.message == "reserved fts5 column name: \(name)")
      }
    }
  }

  @Test func `a contentless table finds what it doesn't store`() throws {
    try EncryptedQueue.with { db in
      try db.create(virtualTable: "documents", using: FTS5()) { t in
        t.content = ""
        t.column("content")
      }
      try db.execute(sql: "INSERT INTO documents (rowid, content) VALUES (7, 'abc')")
      #expect(try db.matches("documents", "abc") == [7])
      #expect(try String.fetchOne(db, sql: "SELECT content FROM documents") == nil)
    }
  }

  @Test func `a table with external content is read through it`() throws {
    try EncryptedQueue.with(
      "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, price REAL)"
    ) { db in
      try db.execute(sql: "INSERT INTO book VALUES (5, 'Moby Dick', 9.5)")
      try db.create(virtualTable: "book_ft", using: FTS5()) { t in
        t.content = "book"
        t.contentRowID = "id"
        t.column("title")
      }
      // No trigger follows the content: that is up to the application.
      #expect(try db.matches("book_ft", "moby") == [])
      #expect(
        try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master WHERE type = 'trigger'") == 0)
      try db.execute(sql: "INSERT INTO book_ft(book_ft) VALUES ('rebuild')")
      #expect(try db.matches("book_ft", "moby") == [5])
      #expect(try String.fetchOne(db, sql: "SELECT title FROM book_ft") == "Moby Dick")
    }
  }

  @Test func `results are ranked`() throws {
    try EncryptedQueue.with { db in
      try db.create(virtualTable: "documents", using: FTS5()) { $0.column("content") }
      for text in ["whale and much else besides", "whale whale whale", "no such beast"] {
        try db.execute(sql: "INSERT INTO documents VALUES (?)", arguments: [text])
      }
      let pattern = FTS5Pattern(matchingAllTokensIn: "whale")
      let sql = "SELECT rowid FROM documents WHERE documents MATCH ? ORDER BY "
      #expect(try Int.fetchAll(db, sql: sql + "rank", arguments: [pattern]) == [2, 1])
      #expect(try Int.fetchAll(db, sql: sql + "bm25(documents)", arguments: [pattern]) == [2, 1])
    }
  }

  @Test func `the C functions of FTS5 can be reached`() throws {
    try EncryptedQueue.with { db in
      let api = FTS5.api(db)
      #expect(api.pointee.iVersion >= 2)
      #expect(api == FTS5.api(db))
    }
  }
}

@Suite(.enabled(if: !hasFTS5)) struct NoFTS5Tests {
  private let message =
    SQLiteFeatures.linked.canHaveFTS5
    ? "no such module: fts5" : "FTS5 needs SQLite 3.20 or later"

  @Test func `FTS5 is an error that says what it needs`() throws {
    try EncryptedQueue.with { db in
      let error = databaseError {
        try db.create(virtualTable: "documents", using: FTS5()) { $0.column("content") }
      }
      #expect(error?.message == message)
      #expect(error?.description.contains("libsqlcipher") == true)
      #expect(databaseError { try db.makeTokenizer(.ascii()) }?.message == message)
      #expect(databaseError { try FTS5Pattern(rawPattern: "a") }?.message == message)
      #expect(!db.isInsideTransaction)
    }
  }

  @Test func `patterns of words are the same, and adding a tokenizer is harmless`() throws {
    #expect(FTS5Pattern(matchingAllTokensIn: "Moby-Dick")?.rawPattern == "moby dick")
    try EncryptedQueue.with { db in db.add(tokenizer: SilentTokenizer.self) }
  }
}
