import Coffer
import CofferTestSupport
import Foundation
import Testing

@testable import CofferBrowse

/// Nothing is written, nobody waits, and every value is text.
@Suite(.enabled(if: BrowseServer.isBuilt, "the tool is built without the trait Browse"))
struct ReadOnlyTests {
  private static let schema = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, a);
    INSERT INTO t VALUES (1, 'one'), (2, 'two');
    CREATE TABLE log (n);
    CREATE TRIGGER after_t AFTER INSERT ON t BEGIN INSERT INTO log VALUES (1); END;
    CREATE VIEW v AS SELECT * FROM t;
    """

  static let writes = [
    "INSERT INTO t VALUES (3, 'three')", "REPLACE INTO t VALUES (1, 'x')", "UPDATE t SET a = 1",
    "DELETE FROM t", "CREATE TABLE u (x)", "CREATE TEMP TABLE u (x)", "CREATE INDEX i ON t(a)",
    "CREATE VIEW w AS SELECT 1", "DROP TABLE t", "DROP VIEW v", "ALTER TABLE t ADD COLUMN b",
    "ALTER TABLE t RENAME TO u", "REINDEX", "ANALYZE", "VACUUM",
    "VACUUM INTO '/tmp/coffer-browse-copy.db'",
    "ATTACH '/tmp/coffer-browse-other.db' AS other", "ATTACH ':memory:' AS other KEY ''",
    "DETACH main",
    "BEGIN", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "COMMIT", "ROLLBACK", "SAVEPOINT s", "RELEASE s",
    "END",
    "WITH x AS (SELECT 9) INSERT INTO t SELECT 9, 9 FROM x", "WITH x AS (SELECT 9) DELETE FROM t",
    "WITH x AS (SELECT 9) UPDATE t SET a = 9", "EXPLAIN DELETE FROM t; DELETE FROM t",
    "SELECT 1; DELETE FROM t", "SELECT 1; SELECT 2", "/* */ DELETE FROM t", "-- c\nDELETE FROM t",
    ";DELETE FROM t", "; ; DELETE FROM t", "\u{FEFF}DELETE FROM t",
    "SELECT load_extension('/tmp/x.so')",
    "SELECT writefile('/tmp/coffer-browse-file', 'x')", "SELECT sqlcipher_export('main')",
    "PRAGMA user_version = 7", "PRAGMA user_version(7)", "PRAGMA journal_mode = DELETE",
    "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA query_only = 0", "PRAGMA writable_schema = 1",
    "PRAGMA rekey = 'x'", "PRAGMA key = 'x'", "PRAGMA cipher_memory_security = OFF",
    "PRAGMA optimize",
    "PRAGMA application_id = 1", "PRAGMA incremental_vacuum", "PRAGMA auto_vacuum = 1",
    "PRAGMA encoding = 'UTF-16'",
    "PRAGMA locking_mode = EXCLUSIVE", "PRAGMA temp_store_directory = '/tmp'",
    "PRAGMA foreign_keys = 0",
    "INSERT INTO v VALUES (4, 4)", "SELECT", "SELEC 1", "", "   ", "nonsense",
    "SELECT * FROM t RETURNING 1", "DELETE FROM t RETURNING *", "INSERT INTO t DEFAULT VALUES",
    "EXPLAIN PRAGMA user_version = 7", "EXPLAIN QUERY PLAN PRAGMA journal_mode = DELETE",
    "CREATE VIRTUAL TABLE f USING fts5(x)", "SELECT * FROM pragma_journal_mode('DELETE')",
    "VALUES (1); DROP TABLE t",
  ]

  @Test func `statements that do more than read are refused, and no byte changes`() throws {
    let file = try BrowsedFile(Self.schema)
    try file.writer.writeWithoutTransaction { db in
      _ = try Row.fetchAll(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
    let before = try Data(contentsOf: URL(fileURLWithPath: file.path))
    let visitor = try file.visit()
    for sql in Self.writes {
      let answer = try visitor.query(sql)
      let isTableOfRows = answer.text.contains("<td")
      // The pragma of a query reads here, and what it tells isn't what it was told to set.
      let isHarmless = sql.contains("pragma_journal_mode")
      #expect(isHarmless || !isTableOfRows || answer.text.contains("class=\"error\""), "\(sql)")
      #expect(200..<500 ~= answer.status, "\(sql): \(answer.status)")
    }
    // It can still read.
    #expect(try visitor.query("SELECT a FROM t WHERE id = 2").text.contains("two"))
    #expect(visitor.server.isRunning)
    let after = try Data(contentsOf: URL(fileURLWithPath: file.path))
    #expect(before == after)
    for name in ["copy.db", "other.db", "file"] {
      #expect(!FileManager.default.fileExists(atPath: "/tmp/coffer-browse-\(name)"))
    }
    let rows = try file.writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
    #expect(rows == 2)
  }

  @Test func `a file that can't be written to is shown`() throws {
    let file = try BrowsedFile(Self.schema, journalMode: .delete)
    try file.writer.close()
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: file.path)
    let visitor = try file.visit()
    #expect(try visitor.get("table?name=t").text.contains("two"))
  }

  static let names = [
    "<script>alert(1)</script>", "\"quoted\"", "it's", "line\nbreak", "tab\there", "\u{202E}evil",
    "a&b=c#d?e",
    "&lt;b&gt;", "%41%00", "😀 é e\u{301}", "select", "javascript:alert(1)", "--", "]]>", " ",
    "a/../b",
  ]

  @Test func `names that look like markup or SQL are names`() throws {
    let file = try BrowsedFile()
    for (number, name) in Self.names.enumerated() {
      let table = name.quotedDatabaseIdentifier
      let columns = Self.names.map { "\(("c" + $0).quotedDatabaseIdentifier) TEXT" }
      try file.execute(
        "CREATE TABLE \(table) (id INTEGER PRIMARY KEY, \(columns.joined(separator: ", ")))")
      let marks = Array(repeating: "?", count: Self.names.count).joined(separator: ", ")
      try file.execute(
        "INSERT INTO \(table) VALUES (\(number), \(marks))",
        StatementArguments(Self.names.map { "value \(number) " + $0 }))
      try file.execute(
        "CREATE INDEX \(("i" + name).quotedDatabaseIdentifier) ON \(table)(\(("c" + name).quotedDatabaseIdentifier))"
      )
    }
    let visitor = try file.visit()
    func expectText(_ answer: Answer, _ path: String) {
      #expect(answer.status == 200, "\(path)")
      let text = answer.text
      #expect(!text.contains("<script>") && !text.contains("<b>"), "\(path)")
      #expect(!text.contains("href=\"javascript:"), "\(path)")
    }
    expectText(try visitor.get(""), "overview")
    expectText(try visitor.get("schema"), "schema")
    for (number, name) in Self.names.enumerated() {
      let table = "name=" + encoded(name)
      let rows = try visitor.get("table?" + table)
      expectText(rows, "table \(name)")
      #expect(rows.text.contains("value \(number) &lt;script&gt;alert(1)"), "\(name)")
      expectText(try visitor.get("object?" + table), "object \(name)")
      expectText(try visitor.get("row?\(table)&key=\(number)"), "row \(name)")
      let column = "&column=" + encoded("c" + name)
      expectText(try visitor.get("cell?\(table)&key=\(number)\(column)"), "cell \(name)")
      expectText(try visitor.get("table?\(table)&sort=\(encoded("c" + name))"), "sorted \(name)")
    }
    // All links of the pages lead to pages.
    for page in ["", "schema", "table?name=" + encoded(Self.names[0])] {
      for link in try visitor.get(page).links.prefix(150)
      where !link.hasPrefix("#") && !link.hasPrefix("data:") {
        let status = try visitor.get(visitor.resolve(link)).status
        #expect(status == 200, "\(link) of \(page): \(status)")
      }
    }
  }

  @Test func `values of all kinds are text`() throws {
    let file = try BrowsedFile("CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
    try file.execute(
      """
      INSERT INTO t (a) VALUES (NULL), (''), (9223372036854775807), (-9223372036854775808), (1e999), (-1e999),
        (0.1), (-0.0), (x''), (x'00ff'), (CAST(x'ff00fe41' AS TEXT)), (CAST(x'61006200' AS TEXT)),
        ('<img src=x onerror=alert(1)>'), ('{"a": [1, "<b>", {"c": null}]}'), ('[[[[[[]]]]]]'), ('{broken'),
        (char(8238) || 'evil'), (char(0) || 'zero'), ('line' || char(10) || 'break'),
        (x'89504e470d0a1a0a00'), (x'ffd8ff'), ('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
        (x'3c73766720786d6c6e733d'), (1.5), (x'474946383961')
      """)
    let visitor = try file.visit()
    let count = try file.writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } ?? 0
    let rows = try visitor.get("table?name=t")
    #expect(rows.status == 200 && rows.keys.count == count)
    #expect(!rows.text.contains("<img src=x") && !rows.text.contains("<b>"))
    for key in 1...count {
      for page in ["row", "cell"] {
        let answer = try visitor.get("\(page)?name=t&key=\(key)&column=a")
        #expect(answer.status == 200, "\(page) \(key)")
        #expect(!answer.text.contains("<img src=x") && !answer.text.contains("<b>"))
        #expect(
          !answer.text.contains("onload=\"alert")
            && String(validating: answer.body, as: UTF8.self) != nil)
      }
      // A picture is one of a browser's own kinds, and no markup.
      let picture = try visitor.get("picture?name=t&key=\(key)&column=a")
      let type = picture["Content-Type"] ?? ""
      #expect(!type.contains("html") || picture.status >= 400)
      #expect(!type.contains("svg") && !type.contains("xml"))
    }
    #expect(try visitor.query("SELECT a, typeof(a) FROM t").status == 200)
    for format in ["csv", "json"] {
      let link = try visitor.query("SELECT a, typeof(a) FROM t").links.first {
        $0.contains("download=" + format)
      }
      let answer = try visitor.get(visitor.resolve(try #require(link)))
      #expect(answer.status == 200 && answer["Content-Disposition"]?.contains("attachment") == true)
    }
  }

  @Test func `a writer never waits, and its log can be emptied, though readers vanish`() throws {
    let file = try BrowsedFile(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
      INSERT INTO t SELECT i, hex(zeroblob(200)) FROM n
      """)
    let visitor = try file.visit()
    let download = try #require(
      try visitor.query("SELECT a.a, b.a FROM t a, t b").links.first { $0.contains("download=csv") }
    )
    let events = try Connection(port: visitor.server.port)
    events.send(
      (["GET \(visitor.root)events HTTP/1.1"] + visitor.headers + ["", ""]).joined(
        separator: "\r\n"))
    #expect(events.receive(until: "retry") != nil)
    // Some of a result that never ends; then nothing is read any more.
    var readers = try (0..<2).map { _ in
      let reader = try Connection(port: visitor.server.port)
      reader.send(
        (["GET \(visitor.resolve(download)) HTTP/1.1"] + visitor.headers + ["", ""])
          .joined(separator: "\r\n"))
      _ = reader.receive(1000)
      return reader
    }
    for number in 0..<20 {
      // SQLITE_BUSY would be an error.
      try file.execute("UPDATE t SET a = ? WHERE id = 1", ["commit \(number)"])
      _ = try visitor.get("table?name=t")
    }
    readers = []
    withExtendedLifetime(readers) {}
    let deadline = Date(timeIntervalSinceNow: 60)
    var isBusy = true
    while isBusy, Date() < deadline {
      isBusy = try file.writer.writeWithoutTransaction { db in
        try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)") != 0
      }
    }
    #expect(!isBusy)
    let size = try FileManager.default.attributesOfItem(atPath: file.path + "-wal")[.size] as? Int
    #expect(size == 0)
    #expect(try visitor.get("table?name=t").text.contains("commit 19"))
  }

  @Test func `a query that never ends is ended, or stopped`() throws {
    let file = try BrowsedFile(Self.schema)
    let visitor = try file.visit()
    let endless =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    let address = try #require(
      try visitor.post("query", ["sql": endless])["Location"])
    let waiting = try Connection(port: visitor.server.port)
    waiting.send(
      (["GET \(visitor.resolve(address)) HTTP/1.1"] + visitor.headers + [
        "Connection: close", "", "",
      ])
      .joined(separator: "\r\n"))
    // Other pages come meanwhile, and stopping ends it, once it has begun.
    #expect(try visitor.get("table?name=t").status == 200)
    let stopper = Locked(false)

    let token = try visitor.csrf()
    Thread.detachNewThread {
      while !stopper.value {
        _ = try? visitor.post("stop", body: Array("csrf=\(token)".utf8))
        Thread.sleep(forTimeInterval: 0.05)
      }
    }
    let answer = waiting.answer()
    stopper.set(true)
    #expect(answer != nil && answer?.text.contains("error") == true)
    #expect(try visitor.query("SELECT 40 + 2").text.contains("42"))
  }
}

extension Answer {
  /// The addresses of its links.
  var links: [String] {
    text.matches(of: /href="([^"]*)"/).map { match in
      String(match.1).replacingOccurrences(of: "&amp;", with: "&")
        .replacingOccurrences(of: "&#39;", with: "'").replacingOccurrences(of: "&quot;", with: "\"")
    }
  }

  /// The keys of its rows, in order.
  var keys: [String] { text.matches(of: /<tr[^>]* data-key="([^"]*)"/).map { String($0.1) } }

  /// The address of the next or the previous page, if there is one.
  func link(_ relation: String) -> String? {
    for match in text.matches(of: /<a ([^>]*)>/) where match.1.contains("rel=\"\(relation)\"") {
      return Answer(status: 0, headers: [], body: Data(match.1.utf8)).links.first
    }
    return nil
  }
}
