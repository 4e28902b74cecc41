@testable import CofferCore
import CofferExpectations
@testable import CofferQuery
import CofferTestSupport
import Dispatch
import Testing

@Suite(.enabled(if: hasFTS5), .serialized) struct FTS5TokenizerTests {
  private func makeTable(
    _ db: Database, _ tokenizer: FTS5TokenizerDescriptor, _ table: String = "doc"
  ) throws {
    try db.create(virtualTable: table, using: FTS5()) { t in
      t.tokenizer = tokenizer
      t.column("content")
    }
  }

  private func insert(_ texts: String..., into table: String = "doc", in db: Database) throws {
    for text in texts {
      try db.execute(sql: "INSERT INTO \(table) VALUES (?)", arguments: [text])
    }
  }

  // MARK: FTS5's own

  @Test func `FTS5's tokenizers give the tokens of a text`() throws {
    try EncryptedQueue.with { db throws in
      func tokens(_ descriptor: FTS5TokenizerDescriptor, _ text: String) throws -> [String] {
        let tokenizer = try db.makeTokenizer(descriptor)
        let document = try tokenizer.tokenize(document: text)
        #expect(document.allSatisfy { $0.flags == [] })
        #expect(try tokenizer.tokenize(query: text).map(\.token) == document.map(\.token))
        return document.map(\.token)
      }
      #expect(try tokens(.ascii(), "Moby-Dick ÉTÉ") == ["moby", "dick", "ÉtÉ"])
      #expect(try tokens(.unicode61(), "Moby-Dick ÉTÉ") == ["moby", "dick", "ete"])
      #expect(try tokens(.unicode61(diacritics: .keep), "ÉTÉ e\u{301}") == ["été", "e\u{301}"])
      #expect(try tokens(.unicode61(diacritics: .remove), "\u{1EAE}") == ["a"])
      #expect(try tokens(.porter(), "Frustrated databases") == ["frustrat", "databas"])
      #expect(try tokens(.porter(wrapping: .ascii()), "ÉTÉS databases") == ["ÉtÉ", "databas"])
      #expect(
        try tokens(.unicode61(separators: ["x"], tokenCharacters: Set("'\"-")), "axb 'c-\"d")
          == ["a", "b", "'c-\"d"])
      #expect(try tokens(.unicode61(categories: "N*"), "a1b22") == ["1", "22"])
      #expect(try tokens(.unicode61(), "") == [])
      #expect(try tokens(.unicode61(), "a\u{0}b 👨‍👩‍👧 漢字") == ["a", "b", "漢字"])
    }
  }

  @Test func `a tokenizer outlives its connection`() throws {
    let tokenizer = try EncryptedQueue.with { db in
      db.add(tokenizer: PassingTokenizer.self)
      return [
        try db.makeTokenizer(.porter()),
        try db.makeTokenizer(PassingTokenizer.tokenizerDescriptor(arguments: ["porter"])),
      ]
    }
    for tokenizer in tokenizer {
      #expect(try tokenizer.tokenize(document: "databases").map(\.token) == ["databas"])
    }
  }

  @Test func `an unknown tokenizer, or unknown arguments, are errors that say what to do`() throws {
    try EncryptedQueue.with { db throws in
      for descriptor in [
        FTS5TokenizerDescriptor(components: ["nowhere"]),
        FTS5TokenizerDescriptor(components: ["unicode61", "odd"]),
        PassingTokenizer.tokenizerDescriptor(),
      ] {
        let name = descriptor.components[0]
        let error = databaseError { try db.makeTokenizer(descriptor) }
        #expect(error?.resultCode == .SQLITE_ERROR)
        #expect(error?.message == "no such tokenizer, or not with these arguments: \(name)")
        #expect(error?.description.contains("db.add(tokenizer:)") == true)
        #expect(throws: DatabaseError.self) { try makeTable(db, descriptor) }
        #expect(try db.creationSQL("doc") == nil)
      }
    }
  }

  // MARK: Custom tokenizers

  @Test func `a low tokenizer is asked for its tokens`() throws {
    try EncryptedQueue.with { db in
      db.add(tokenizer: ByteTokenizer.self)
      try makeTable(db, ByteTokenizer.tokenizerDescriptor())
      #expect(
        try db.creationSQL("doc")
          == "CREATE VIRTUAL TABLE \"doc\" USING fts5(content, tokenize='''bytes''')")
      try insert("ab-c", "b", "", in: db)
      #expect(try db.matches("doc", "b") == [1, 2])
      #expect(try db.matches("doc", "\"ab-\"") == [1])
      #expect(try db.matches("doc", "\"ac\"") == [])
      #expect(
        try String.fetchAll(
          db, sql: "SELECT highlight(doc, 0, '[', ']') FROM doc WHERE doc MATCH '\"b-\"'")
          == ["a[b-]c"])
      try db.checkFullText("doc")
    }
  }

  @Test func `a tokenizer without tokens finds nothing`() throws {
    try EncryptedQueue.with { db in
      db.add(tokenizer: SilentTokenizer.self)
      try makeTable(db, SilentTokenizer.tokenizerDescriptor())
      try insert("one two", "", in: db)
      #expect(try db.matches("doc", "one") == [])
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM doc") == 2)
      let tokenizer = try db.makeTokenizer(SilentTokenizer.tokenizerDescriptor())
      #expect(try tokenizer.tokenize(document: "one").isEmpty)
      try db.checkFullText("doc")
    }
  }

  @Test func `a wrapper changes, adds and leaves out tokens`() throws {
    try EncryptedQueue.with("CREATE TABLE stopWord (word TEXT)") { db in
      try db.execute(sql: "INSERT INTO stopWord VALUES ('the'), ('a')")
      db.add(tokenizer: SynonymTokenizer.self)
      let descriptor = SynonymTokenizer.tokenizerDescriptor()
      try makeTable(db, descriptor)
      try insert("The first place", "A 2nd place", "Erster Platz", "the", in: db)
      #expect(try db.matches("doc", "first") == [1, 3])
      #expect(try db.matches("doc", "\"1st place\"") == [1])
      #expect(try db.matches("doc", "second") == [2])
      #expect(try db.matches("doc", "\"the 1st place\"") == [1])
      // A query that is nothing but words that are left out.
      #expect(try db.matches("doc", "the") == [])
      #expect(
        try String.fetchOne(
          db, sql: "SELECT highlight(doc, 0, '[', ']') FROM doc WHERE doc MATCH 'erster place'")
          == "The [first] [place]")
      try db.checkFullText("doc")

      let tokenizer = try db.makeTokenizer(descriptor)
      let document = try tokenizer.tokenize(document: "the 1st")
      #expect(document.map(\.token) == ["1st", "first", "erster"])
      #expect(document.map(\.flags) == [[], .colocated, .colocated])
      #expect(try tokenizer.tokenize(query: "the 1st").map(\.token) == ["1st"])
    }
  }

  @Test func `wrappers wrap each other, by their arguments`() throws {
    try EncryptedQueue.with("CREATE TABLE stopWord (word TEXT)") { db in
      db.add(tokenizer: PassingTokenizer.self)
      db.add(tokenizer: SynonymTokenizer.self)
      let descriptor = PassingTokenizer.tokenizerDescriptor(
        arguments: PassingTokenizer.tokenizerDescriptor(
          arguments: SynonymTokenizer.tokenizerDescriptor().components
        ).components)
      #expect(descriptor.components == ["passing", "passing", "synonyms"])
      try makeTable(db, descriptor)
      try insert("first", in: db)
      #expect(try db.matches("doc", "erster") == [1])
      let flags = try db.makeTokenizer(descriptor).tokenize(document: "2nd").map(\.flags)
      #expect(flags == [[], .colocated])
      // porter wraps ours, as it wraps FTS5's.
      try makeTable(db, .porter(wrapping: PassingTokenizer.tokenizerDescriptor()), "stems")
      try insert("databases", into: "stems", in: db)
      #expect(try db.matches("stems", "database") == [1])
    }
  }

  @Test func `a tokenizer learns why tokens are wanted`() throws {
    try EncryptedQueue.with { db in
      db.add(tokenizer: CuriousTokenizer.self)
      try makeTable(db, CuriousTokenizer.tokenizerDescriptor())
      func reasons(_ body: () throws -> Void) rethrows -> [FTS5Tokenization] {
        CuriousTokenizer.reasons.withLock { $0 = [] }
        try body()
        return CuriousTokenizer.reasons.withLock { $0 }
      }
      #expect(try reasons { try insert("word", in: db) } == [.document])
      #expect(try reasons { _ = try db.matches("doc", "word") } == [.query])
      #expect(try reasons { _ = try db.matches("doc", "wor*") } == [[.query, .prefix]])
      let highlight = "SELECT highlight(doc, 0, '', '') FROM doc WHERE doc MATCH 'word'"
      #expect(
        try reasons { _ = try String.fetchOne(db, sql: highlight) } == [.query, .aux])
      #expect(try reasons { try db.execute(sql: "DELETE FROM doc") } == [.document])
      let tokenizer = try db.makeTokenizer(CuriousTokenizer.tokenizerDescriptor())
      #expect(try reasons { _ = try tokenizer.tokenize(document: "word") } == [.document])
      #expect(try reasons { _ = try tokenizer.tokenize(query: "word") } == [.query])
    }
  }

  // MARK: Failures

  @Test func `an error thrown by a tokenizer is the statement's error`() throws {
    try EncryptedQueue.with { db in
      db.add(tokenizer: FailingTokenizer.self)
      try makeTable(db, FailingTokenizer.tokenizerDescriptor())
      try insert("good", in: db)

      let sql = "INSERT INTO doc VALUES (?)"
      let plain = databaseError { try db.execute(sql: sql, arguments: ["some plain text"]) }
      #expect(plain?.resultCode == .SQLITE_ERROR)
      #expect(plain?.message == "a failure of its own")
      #expect(plain?.sql == sql)
      #expect(plain?.description.contains("The tokenizer failing has thrown it.") == true)
      #expect(plain?.description.contains("some plain text") == false)

      let coded = databaseError { try db.execute(sql: sql, arguments: ["coded"]) }
      #expect(coded?.resultCode == .SQLITE_FULL)
      #expect(coded?.message == "no room for it")

      #expect(databaseError { try db.matches("doc", "plain") }?.message == "a failure of its own")

      // Another error isn't mistaken for it.
      #expect(databaseError { try db.matches("doc", "AND") }?.message?.contains("syntax") == true)
      try insert("better", in: db)
      #expect(try db.matches("doc", "good OR better") == [1, 2])
      try db.checkFullText("doc")
    }
  }

  @Test func `an error thrown by a tokenizer reaches the caller that asks it for tokens`() throws {
    try EncryptedQueue.with { db in
      db.add(tokenizer: FailingTokenizer.self)
      let own = try FailingTokenizer(db: db, arguments: [])
      #expect(throws: FailingTokenizer.Failure.self) { try own.tokenize(document: "a plain one") }
      #expect(try own.tokenize(document: "a good one").count == 3)

      let named = try db.makeTokenizer(FailingTokenizer.tokenizerDescriptor())
      #expect(databaseError { try named.tokenize(query: "coded") }?.message == "no room for it")
      // No other caller gets it.
      #expect(
        databaseError { try db.execute(sql: "SELECT nowhere") }?.message
          == "no such column: nowhere")
    }
  }

  @Test(arguments: ["plain", "coded", "ok"])
  func `an error thrown by a tokenizer's initializer is the statement's error`(kind: String) throws
  {
    let messages = [
      "plain": "a failure of its own", "coded": "the lexicon is missing", "ok": "no failure at all",
    ]
    try EncryptedQueue.with { db in
      db.add(tokenizer: FailingTokenizer.self)
      let descriptor = FailingTokenizer.tokenizerDescriptor(arguments: [kind])
      let error = databaseError { try makeTable(db, descriptor) }
      #expect(error?.message == messages[kind])
      #expect(
        error?.extendedResultCode
          == (kind == "coded" ? .SQLITE_CONSTRAINT_CHECK : .SQLITE_ERROR))
      #expect(try db.creationSQL("doc") == nil)
      #expect(databaseError { try db.makeTokenizer(descriptor) }?.message == messages[kind])
      try makeTable(db, FailingTokenizer.tokenizerDescriptor())
    }
  }

  @Test func `a tokenizer that swallows the callback's error doesn't get past it`() throws {
    final class Greedy: FTS5WrapperTokenizer {
      static let name = "greedy"
      let wrappedTokenizer: any FTS5Tokenizer

      init(db: Database, arguments: [String]) throws {
        wrappedTokenizer = try db.makeTokenizer(.ascii())
      }

      func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
      ) throws {
        try? tokenCallback(token, flags)
        try? tokenCallback(token, flags)
      }
    }
    try EncryptedQueue.with { db in
      let tokenizer = try Greedy(db: db, arguments: [])
      var calls = 0
      let code = withUnsafeMutablePointer(to: &calls) { calls in
        Array("one two three".utf8CString).withUnsafeBufferPointer { text in
          tokenizer.tokenize(
            context: calls, tokenization: .document, pText: text.baseAddress, nText: 13
          ) { context, _, _, _, _, _ in
            guard let calls = context?.assumingMemoryBound(to: Int.self) else { return 21 }
            calls.pointee += 1
            return calls.pointee == 3 ? 13 : 0
          }
        }
      }
      #expect(code == 13)
      #expect(calls == 3)
    }
  }

  // MARK: Connections

  @Test func `a connection without the tokenizer throws an error that says what to do`() throws {
    let database = try EncryptedQueue { configuration in
      configuration.prepareDatabase { db in db.add(tokenizer: PassingTokenizer.self) }
    }
    try database.queue.inDatabase { db in
      try makeTable(db, PassingTokenizer.tokenizerDescriptor())
      try insert("one", in: db)
    }
    var configuration = Configuration()
    configuration.key = try .raw(EncryptedQueue.rawKey)
    let ignorant = try DatabaseQueue(path: database.path, configuration: configuration)
    try ignorant.inDatabase { db throws in
      // SQLite 3.47 and later look for a tokenizer when text has to be taken apart.
      let reads = SQLiteFeatures.linked.version < 3_047_000 ? ["SELECT * FROM doc"] : []
      for sql in reads + ["INSERT INTO doc VALUES ('two')"] {
        let error = databaseError { try db.execute(sql: sql) }
        #expect(error?.message == "no such tokenizer: passing")
        #expect(error?.description.contains("Configuration.prepareDatabase") == true)
      }
      // Known from now on.
      db.add(tokenizer: PassingTokenizer.self)
      #expect(try db.matches("doc", "one") == [1])
    }
    let other = try database.other()
    #expect(try other.read { db in try db.matches("doc", "one") } == [1])
  }

  @Test func `tokenizers die with their tables and connections`() throws {
    let alive = PassingTokenizer.alive.withLock { $0 }
    let made = PassingTokenizer.made.withLock { $0 }
    try EncryptedQueue.with { db in
      db.add(tokenizer: PassingTokenizer.self)
      try makeTable(db, PassingTokenizer.tokenizerDescriptor())
      try makeTable(db, PassingTokenizer.tokenizerDescriptor(), "other")
      try insert("one", in: db)
      try insert("one", into: "other", in: db)
      #expect(PassingTokenizer.alive.withLock { $0 } == alive + 2)
      try db.execute(sql: "DROP TABLE other")
      #expect(PassingTokenizer.alive.withLock { $0 } == alive + 1)
      do {
        let tokenizer = try db.makeTokenizer(PassingTokenizer.tokenizerDescriptor())
        #expect(PassingTokenizer.alive.withLock { $0 } == alive + 2)
        _ = try tokenizer.tokenize(document: "x")
      }
      #expect(PassingTokenizer.alive.withLock { $0 } == alive + 1)
      // The schema has changed: the table is opened anew.
      try db.execute(sql: "CREATE TABLE t (a)")
      #expect(try db.matches("doc", "one") == [1])
      #expect(PassingTokenizer.alive.withLock { $0 } == alive + 1)
      // A tokenizer of the same name takes the place of the earlier one, for new tables.
      db.add(tokenizer: PassingTokenizer.self)
      #expect(try db.matches("doc", "one") == [1])
    }
    #expect(PassingTokenizer.alive.withLock { $0 } == alive)
    #expect(PassingTokenizer.made.withLock { $0 } >= made + 3)
  }

  @Test func `connections use a tokenizer at the same time`() throws {
    let database = try EncryptedQueue { configuration in
      configuration.journalMode = .wal
      configuration.prepareDatabase { db in db.add(tokenizer: PassingTokenizer.self) }
    }
    try database.queue.inDatabase { db in
      try makeTable(db, PassingTokenizer.tokenizerDescriptor())
    }
    let readers = try (0..<2).map { _ in try database.other { $0.readonly = true } }
    let group = DispatchGroup()
    for reader in readers {
      detachThread(group: group) {
        do {
          var last = 0
          while last < 200 {
            let found = try reader.read { db in
              let found = try db.matches("doc", "word")
              let unranked = try Int.fetchOne(db, sql: "SELECT count(*) FROM doc")
              #expect(found.count == unranked)
              return found.count
            }
            #expect(found >= last)
            last = found
          }
        } catch { Issue.record(error) }
      }
    }
    for number in 1...200 {
      try database.queue.write { db in try insert("a word \(number)", in: db) }
    }
    group.wait()
  }

  // MARK: Texts of all kinds

  @Test func `a huge document is indexed and found`() throws {
    try EncryptedQueue.with { db in
      db.add(tokenizer: PassingTokenizer.self)
      // 10 MB, and a word at its end.
      let text = String(repeating: "lorem ipsum ", count: 870_000) + "needle"
      try makeTable(db, .unicode61(), "plain")
      try insert(text, into: "plain", in: db)
      #expect(try db.matches("plain", "needle") == [1])
      #expect(try db.matches("plain", "\"ipsum needle\"") == [1])
      try makeTable(db, PassingTokenizer.tokenizerDescriptor(), "wrapped")
      try insert(String(text.suffix(1_000_000)), into: "wrapped", in: db)
      #expect(try db.matches("wrapped", "\"ipsum needle\"") == [1])
    }
  }

  @Test func `a huge token is cut, and does no harm`() throws {
    try EncryptedQueue.with { db in
      db.add(tokenizer: PassingTokenizer.self)
      try makeTable(db, PassingTokenizer.tokenizerDescriptor())
      let token = String(repeating: "x", count: 1_000_000)
      try insert(token, "short", in: db)
      #expect(try db.matches("doc", token) == [1])
      #expect(try db.matches("doc", "short") == [2])
      try db.checkFullText("doc")
    }
  }

  @Test func `bytes that aren't UTF-8 do no harm`() throws {
    try EncryptedQueue.with { db in
      db.add(tokenizer: PassingTokenizer.self)
      db.add(tokenizer: ByteTokenizer.self)
      for descriptor in [
        FTS5TokenizerDescriptor.unicode61(), .ascii(), PassingTokenizer.tokenizerDescriptor(),
        ByteTokenizer.tokenizerDescriptor(),
        PassingTokenizer.tokenizerDescriptor(arguments: ["bytes"]),
      ] {
        try makeTable(db, descriptor)
        try db.execute(sql: "INSERT INTO doc VALUES (CAST(x'6162FF63C328' AS TEXT))")
        try db.execute(sql: "INSERT INTO doc VALUES (x'00FF00'), (NULL), (''), (12), (1.5)")
        try insert("ok", in: db)
        #expect(try db.matches("doc", "ok") == [7])
        try db.checkFullText("doc")
        try db.execute(sql: "DELETE FROM doc")
        try db.checkFullText("doc")
        try db.execute(sql: "DROP TABLE doc")
      }
    }
  }

  @Test func `unicode61 folds case and diacritics, in all scripts`() throws {
    try EncryptedQueue.with { db in
      try makeTable(db, .unicode61())
      try insert("Jérôme", "ЁЛКА", "Straße", "漢字かな", "café 🐋 naïve", in: db)
      #expect(try db.matches("doc", "JEROME") == [1])
      #expect(try db.matches("doc", FTS5Pattern(matchingPhrase: "jérôme")) == [1])
      #expect(try db.matches("doc", "ёлка") == [2])
      #expect(try db.matches("doc", "straße") == [3])
      #expect(try db.matches("doc", "漢字かな") == [4])
      #expect(try db.matches("doc", "漢*") == [4])
      #expect(try db.matches("doc", FTS5Pattern(matchingAllTokensIn: "NAÏVE, Café!")) == [5])
    }
  }
}
