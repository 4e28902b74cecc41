@testable import CofferCore
@testable import CofferQuery
import CofferTestSupport
import Foundation
import Testing

@Suite struct FullTextSearchTests {
  /// The descriptions of the packages in Tests/Fixtures/dpkg-status.
  private static let descriptions: [String] = {
    guard let text = try? String(contentsOfFile: Fixtures.path("dpkg-status"), encoding: .utf8)
    else { return [] }
    return text.components(separatedBy: "\n\n").compactMap { paragraph in
      paragraph.components(separatedBy: "\nDescription: ").dropFirst().first
    }
  }()

  private func words(_ text: String) -> [String] {
    text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
  }

  @Test(arguments: Engine.available)
  func `real texts are found by their words, as a plain search finds them`(engine: Engine) throws {
    let texts = Self.descriptions
    try #require(texts.count > 20)
    try EncryptedQueue.with("CREATE TABLE package (id INTEGER PRIMARY KEY, text TEXT)") { db in
      try engine.create("package_ft", in: db, following: "package", columns: ["text"])
      try db.inTransaction {
        for text in texts {
          try db.execute(sql: "INSERT INTO package (text) VALUES (?)", arguments: [text])
        }
        return .commit
      }
      let wordsOfTexts = texts.map { Set(words($0)) }
      func indexes(_ isHit: (Set<String>) -> Bool) -> [Int] {
        wordsOfTexts.indices.filter { isHit(wordsOfTexts[$0]) }.map { $0 + 1 }
      }
      let common = ["library", "gnu", "files", "system", "the", "package", "linux", "nowhere"]
      for word in common where word.utf8.allSatisfy({ $0 < 0x80 }) {
        let pattern = try #require(FTS3Pattern(matchingAllTokensIn: word.uppercased()))
        #expect(try db.matches("package_ft", pattern) == indexes { $0.contains(word) })
        let prefix = try #require(FTS3Pattern(matchingAllPrefixesIn: String(word.prefix(3))))
        #expect(
          try db.matches("package_ft", prefix)
            == indexes { $0.contains { $0.hasPrefix(word.prefix(3)) } })
      }
      let any = try #require(FTS3Pattern(matchingAnyTokenIn: "gnu, linux"))
      #expect(
        try db.matches("package_ft", any) == indexes { $0.contains("gnu") || $0.contains("linux") })
      let all = try #require(FTS3Pattern(matchingAllTokensIn: "gnu files"))
      #expect(
        try db.matches("package_ft", all) == indexes { $0.contains("gnu") && $0.contains("files") })
      try engine.check("package_ft", in: db)
    }
  }

  @Test(arguments: Engine.available)
  func `a search that is cancelled leaves the connection usable`(engine: Engine) async throws {
    let database = try EncryptedQueue("CREATE TABLE doc (id INTEGER PRIMARY KEY, content TEXT)")
    try await database.queue.write { db in
      try engine.create("doc_ft", in: db, following: "doc", columns: ["content"])
      for number in 1...500 {
        try db.execute(
          sql: "INSERT INTO doc (content) VALUES (?)", arguments: ["word number\(number)"])
      }
    }
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      try await database.queue.read { db in
        let cursor = try Row.fetchCursor(
          db,
          sql: """
            SELECT doc_ft.rowid FROM doc_ft, doc AS a, doc AS b, doc AS c
            WHERE doc_ft MATCH 'word'
            """)
        while try cursor.next() != nil { start.yield() }
      }
    }
    for await _ in started { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    start.finish()
    // A write needs that no statement and no transaction was left open.
    try await database.queue.write { db in
      try db.execute(sql: "INSERT INTO doc (content) VALUES ('afterwards')")
      #expect(try db.matches("doc_ft", "afterwards") == [501])
    }
    let count = try await database.queue.read { db in try db.matches("doc_ft", "word").count }
    #expect(count == 500)
  }

  @Test(arguments: Engine.available)
  func `an indexing that is cancelled is undone`(engine: Engine) async throws {
    let database = try EncryptedQueue("CREATE TABLE doc (id INTEGER PRIMARY KEY, content TEXT)")
    try await database.queue.write { db in
      try engine.create("doc_ft", in: db, following: "doc", columns: ["content"])
    }
    // Each time at another moment: FTS5 may be in the middle of its index, and keep a part of it
    // open, which would keep the interruption from ending.
    for round in 1...40 {
      let (started, start) = AsyncStream.makeStream(of: Void.self)
      let task = Task {
        try await database.queue.write { db in
          while true {
            try db.execute(sql: "INSERT INTO doc (content) VALUES ('lorem ipsum dolor')")
            // The inserted rows are indexed.
            _ = try db.matches("doc_ft", "nothing")
            start.yield()
          }
        }
      }
      var insertions = 0
      for await _ in started {
        insertions += 1
        if insertions == round { break }
      }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      start.finish()
    }
    try await database.queue.write { db in
      #expect(try db.matches("doc_ft", "ipsum") == [])
      try engine.check("doc_ft", in: db)
      try db.execute(sql: "INSERT INTO doc (content) VALUES ('ipsum')")
      #expect(try db.matches("doc_ft", "ipsum") == [1])
    }
  }

  @Test(arguments: Engine.available)
  func `another connection sees what was indexed`(engine: Engine) throws {
    let database = try EncryptedQueue("CREATE TABLE doc (id INTEGER PRIMARY KEY, content TEXT)")
    try database.queue.inDatabase { db in
      try engine.create("doc_ft", in: db, following: "doc", columns: ["content"])
      try db.execute(sql: "INSERT INTO doc VALUES (1, 'one')")
    }
    let other = try database.other()
    #expect(try other.read { db in try db.matches("doc_ft", "one") } == [1])
    try other.write { db in try db.execute(sql: "UPDATE doc SET content = 'two'") }
    try database.queue.read { db throws in
      #expect(try db.matches("doc_ft", "one") == [])
      #expect(try db.matches("doc_ft", "two") == [1])
    }
  }
}
