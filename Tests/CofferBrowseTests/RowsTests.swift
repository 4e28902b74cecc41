import Coffer
import CofferTestSupport
import Foundation
import Testing

@testable import CofferBrowse

/// Pages of rows, by key.
@Suite(.enabled(if: BrowseServer.isBuilt, "the tool is built without the trait Browse"))
struct RowsTests {
  /// The keys of all pages, from a page on.
  private static func walk(_ visitor: Visitor, _ path: String, _ relation: String) throws
    -> [[String]]
  {
    var pages: [[String]] = []
    var next: String? = path
    while let path = next, pages.count < 100 {
      let page = try visitor.get(visitor.resolve(path))
      #expect(page.status == 200)
      pages.append(page.keys)
      next = page.link(relation)
    }
    return pages
  }

  private static let values: [DatabaseValue] = {
    let numbers: [Double] = [-0.5, 1, Double(Int64.max), .infinity]
    let integers: [Int64] = [0, 1, .max]
    let texts = ["", "a", "A", "é", "e\u{301}", "1", "\u{0}"]
    let blobs = [Data(), Data([0]), Data([255])]
    var values: [DatabaseValue] = [.null]
    values += numbers.map(\.databaseValue)
    values += integers.map(\.databaseValue)
    values += texts.map(\.databaseValue)
    values += blobs.map(\.databaseValue)
    return values
  }()

  @Test(arguments: ["id INTEGER PRIMARY KEY, a, b", "a, b"])
  func `pages forward and backward are the rows of one SELECT`(columns: String) throws {
    var generator = SeededGenerator()
    let file = try BrowsedFile("CREATE TABLE t (\(columns)); CREATE INDEX t_b ON t(b)")
    // Few values, so that many rows have the same one.
    let values = Self.values
    try file.writer.write { db in
      for _ in 0..<350 {
        let row = (0..<2).map { _ in values[Int.random(in: 0..<values.count, using: &generator)] }
        let key = Int64(bitPattern: generator.next()) >> 20
        try db.execute(
          sql: "INSERT OR IGNORE INTO t (rowid, a, b) VALUES (?, ?, ?)",
          arguments: [key, row[0], row[1]])
      }
    }
    let visitor = try file.visit()
    for (sort, order) in [
      ("", "rowid"), ("&desc=1", "rowid DESC"), ("&sort=a", "a, rowid"), ("&sort=b", "b, rowid"),
      ("&sort=a&desc=1", "a DESC, rowid DESC"), ("&sort=b&desc=1", "b DESC, rowid DESC"),
    ] {
      let expected = try file.writer.read {
        try Int64.fetchAll($0, sql: "SELECT rowid FROM t ORDER BY \(order)")
      }.map { "\($0)" }
      let forward = try Self.walk(visitor, "table?name=t" + sort, "next")
      #expect(forward.count > 2)
      #expect(forward.joined().elementsEqual(expected), "forward \(sort)")
      let backward = try Self.walk(visitor, "table?name=t\(sort)&last=1", "prev")
      #expect(backward.count > 2)
      #expect(backward.reversed().joined().elementsEqual(expected), "backward \(sort)")
    }
  }

  @Test func `tables without rowids, with keys of several columns, have pages`() throws {
    var generator = SeededGenerator()
    let file = try BrowsedFile("CREATE TABLE t (a, b, c, PRIMARY KEY (b, a)) WITHOUT ROWID")
    try file.writer.write { db in
      for number in 0..<350 {
        try db.execute(
          sql: "INSERT OR IGNORE INTO t VALUES (?, ?, ?)",
          arguments: [
            "key \(Int.random(in: 0..<20, using: &generator))",
            Int.random(in: 0..<40, using: &generator), "value \(number)",
          ])
      }
    }
    let expected = try file.writer.read {
      try String.fetchAll($0, sql: "SELECT c FROM t ORDER BY b, a")
    }
    let visitor = try file.visit()
    var shown: [String] = []
    var next: String? = "table?name=t"
    while let path = next, shown.count < 1000 {
      let page = try visitor.get(visitor.resolve(path))
      shown += page.text.matches(of: /value [0-9]+/).map { String($0.0) }
      next = page.link("next")
    }
    #expect(shown == expected)
    // No address has a value of the key.
    let page = try visitor.get("table?name=t")
    #expect(!page.links.contains { $0.contains("key%20") || $0.contains("key+") })
  }

  @Test func `the last page of many rows is as quick as the first`() throws {
    let file = try BrowsedFile(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
      INSERT INTO t SELECT i, i FROM n
      """)
    let visitor = try file.visit()
    let last = try visitor.get("table?name=t&last=1")
    #expect(last.keys.last == "200000")
    let previous = try visitor.get(visitor.resolve(try #require(last.link("prev"))))
    #expect(previous.link("next") != nil)
    #expect(last.link("next") == nil)
    #expect(previous.keys.last.flatMap { Int($0) }.map { "\($0 + 1)" } == last.keys.first)
  }

  @Test func `conditions compare values by their types, and addresses have none of them`() throws {
    let file = try BrowsedFile(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a, n INTEGER, s TEXT);
      INSERT INTO t VALUES (1, 'é', 5, '5'), (2, 'e' || char(769), 50, '50%'), (3, NULL, -1, 'a_b'),
        (4, x'0a', 7, 'axb'), (5, 7, 8, ''), (6, '<b>"x"</b>', 9, '7');
      """)
    let visitor = try file.visit()
    let cases: [(column: String, comparison: String, value: String, keys: [String])] = [
      ("a", "=", "é", ["1"]), ("a", "=", "e\u{301}", ["2"]), ("a", "is NULL", "", ["3"]),
      ("a", "is not NULL", "", ["1", "2", "4", "5", "6"]), ("a", "=", "x'0a'", ["4"]),
      ("a", "=", "7", ["5"]), ("n", "<", "7", ["1", "3"]), ("n", "≥", "8", ["2", "5", "6"]),
      ("n", "≠", "7", ["1", "2", "3", "5", "6"]), ("s", "contains", "%", ["2"]),
      ("s", "contains", "_", ["3"]), ("s", "begins with", "5", ["1", "2"]), ("s", "=", "7", ["6"]),
      ("a", "=", "<b>\"x\"</b>", ["6"]), ("s", "=", "' OR 1 --", []), ("n", ">", "", []),
    ]
    for (column, comparison, value, keys) in cases {
      let answer = try visitor.post(
        "table?name=t", ["column0": column, "is0": comparison, "value0": value])
      let address = try #require(answer["Location"])
      // Shorter ones can be in any address.
      #expect(encoded(value).count < 6 || !address.contains(encoded(value)))
      let page = try visitor.get(visitor.resolve(address))
      #expect(page.keys == keys, "\(column) \(comparison) \(value)")
      #expect(!page.text.contains("<b>"))
    }
    let both = try visitor.submit(
      "table?name=t",
      [
        "column0": "n", "is0": ">", "value0": "6", "column1": "s", "is1": "begins with",
        "value1": "a",
      ])
    #expect(both.keys == ["4"])
  }

  @Test func `a full-text index is searched`() throws {
    let file = try BrowsedFile.shop(orders: 10)
    let visitor = try file.visit()
    let found = try visitor.submit("table?name=review_text", ["pattern": "sweet OR lid"])
    #expect(found.status == 200 && found.text.contains("Too sweet") && found.text.contains("lid"))
    #expect(!found.text.contains("Solid and easy"))
    let wrong = try visitor.submit("table?name=review_text", ["pattern": "\"AND ("])
    #expect(400..<500 ~= wrong.status)
  }

  @Test func `rows are shown as documents, with their JSON as trees`() throws {
    let visitor = try BrowsedFile.shop(orders: 1).visit()
    let page = try visitor.get("table?name=product&form=documents")
    #expect(page.status == 200)
    #expect(page.text.contains("class=\"document\"") && page.text.contains("class=\"tree\""))
    #expect(page.text.contains("certified"))
  }

  @Test func `foreign keys are links in both directions`() throws {
    let file = try BrowsedFile(
      """
      CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent(id));
      INSERT INTO parent VALUES (7, 'Seven');
      INSERT INTO child VALUES (1, 7), (2, NULL);
      """)
    let visitor = try file.visit()
    let children = try visitor.get("table?name=child")
    let link = try #require(children.links.first { $0.contains("name=parent") })
    let parents = try visitor.get(visitor.resolve(link))
    #expect(parents.text.contains("Seven") && parents.keys == ["7"])
    let parent = try visitor.get("row?name=parent&key=7")
    let back = try #require(
      parent.links.first { $0.contains("name=child") && $0.contains("where") })
    let found = try visitor.get(visitor.resolve(back))
    #expect(found.keys == ["1"])
  }

  @Test func `a view of a table that isn't there says so, and has its SQL`() throws {
    let visitor = try BrowsedFile(
      "CREATE TABLE gone (a); CREATE VIEW v AS SELECT a FROM gone; DROP TABLE gone"
    ).visit()
    let rows = try visitor.get("table?name=v")
    #expect(rows.status == 500 && rows.text.contains("no such table"))
    #expect(!rows.text.contains("PRAGMA"))
    #expect(try visitor.get("object?name=v").text.contains("CREATE VIEW v AS SELECT a FROM gone"))
    #expect(try visitor.get("").status == 200 && visitor.get("schema").status == 200)
  }

  @Test func `5,000 tables and 2,000 columns have pages, in little memory`() throws {
    let file = try BrowsedFile()
    try file.writer.write { db in
      let columns = (0..<2000).map { "column\($0) TEXT" }.joined(separator: ", ")
      try db.execute(sql: "CREATE TABLE aa_wide (\(columns))")
      try db.execute(sql: "INSERT INTO aa_wide (column0, column1999) VALUES ('first', 'last')")
      for number in 0..<5000 {
        try db.execute(
          sql: "CREATE TABLE t\(number) (id INTEGER PRIMARY KEY, a REFERENCES t\(number / 2))")
      }
    }
    let visitor = try file.visit()
    for path in [
      "", "schema", "table?name=aa_wide", "object?name=aa_wide", "row?name=aa_wide&key=1", "query",
    ] {
      let answer = try visitor.get(path)
      #expect(answer.status == 200, "\(path)")
      #expect(answer.body.count < 2 << 20, "\(path): \(answer.body.count)")
    }
    #expect(try visitor.query("SELECT * FROM aa_wide").status == 200)
    #expect(visitor.server.memory("VmHWM") < 96 << 20)
  }

  /// What takes more memory than there is for pages, in a table `t` with large values in `a`.
  private static let largeQueries = [
    "SELECT a FROM t", "SELECT * FROM t WHERE a > 'x'", "SELECT hex(a) FROM t",
    "SELECT a FROM t ORDER BY a", "SELECT DISTINCT a FROM t", "SELECT substr(a, 1, 10) FROM t",
    "SELECT zeroblob(900000000) || 'x'", "SELECT randomblob(900000000)",
    "SELECT printf('%900000000d', 1)", "SELECT replace(hex(zeroblob(9000000)), '0', '0123456789')",
    "SELECT zeroblob(2000000000)",
    """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000)
    SELECT group_concat(i || hex(zeroblob(50))) FROM n
    """,
    """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000000)
    SELECT i, hex(zeroblob(20)) AS h FROM n ORDER BY h, -i
    """,
  ]

  @Test(.enabled(if: ShownValue.knowsTextSizes, "pages take whole texts"))
  func `what takes much memory is refused, says what helps, and leaves the pages as they are`()
    throws
  {
    let file = try BrowsedFile(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a, b);
      INSERT INTO t VALUES (1, zeroblob(67108864), 'after');
      CREATE VIEW v AS SELECT group_concat(hex(a)) AS all_of_them FROM t;
      """)
    let visitor = try file.visit()
    let before = visitor.server.memory("VmHWM")
    for sql in Self.largeQueries {
      let answer = try visitor.query(sql)
      let isRefused = answer.text.contains("more memory") || answer.text.contains("longer than")
      #expect(answer.status == 200 && isRefused, "\(sql)")
      let name = answer.text.firstMatch(of: /q=(k[0-9]+)/)?.1 ?? ""
      for format in ["csv", "json"] {
        let download = try visitor.get("query?q=\(name)&download=\(format)")
        #expect(download.status >= 400 || download.body.count < 64 << 20, "\(sql)")
      }
    }
    for path in ["table?name=v", "table?name=t&sort=a"] {
      let answer = try visitor.get(path)
      #expect(answer.status == 200 || answer.text.contains("more memory"), "\(path)")
    }
    for path in ["table?name=t", "row?name=t&key=1", "cell?name=t&key=1&column=a", ""] {
      #expect(try visitor.get(path).status == 200, "\(path)")
    }
    #expect(try visitor.query("SELECT id, b, length(a) FROM t").text.contains("67108864"))
    #expect(visitor.server.memory("VmHWM") - before < 40 << 20)
  }

  @Test func `a download has large values whole`() throws {
    var generator = SeededGenerator()
    let file = try BrowsedFile("CREATE TABLE t (id INTEGER PRIMARY KEY, a, b)")
    let blob = Data(generator.bytes(3_000_001))
    let text = String(repeating: "é\"\n, ", count: 60_000) + "end"
    let plain = String(repeating: "plain", count: 40_000)
    try file.execute("INSERT INTO t VALUES (1, ?, ?), (2, x'', ?)", [blob, text, plain])
    let visitor = try file.visit()
    let links = try visitor.query("SELECT a, b FROM t ORDER BY id").links
    func download(_ format: String) throws -> Answer {
      try visitor.get(
        visitor.resolve(try #require(links.first { $0.contains("download=" + format) })))
    }
    let rows = try JSONSerialization.jsonObject(with: download("json").body) as? [[String: String]]
    #expect(rows?.first?["a"] == blob.base64EncodedString() && rows?.first?["b"] == text)
    #expect(rows?.last == ["a": "", "b": plain])
    let quoted = text.replacingOccurrences(of: "\"", with: "\"\"")
    let csv = "a,b\r\n\(blob.base64EncodedString()),\"\(quoted)\"\r\n\"\",\(plain)\r\n"
    #expect(try download("csv").body == Data(csv.utf8))
  }

  @Test func `values of 64 MiB have pages, in little memory`() throws {
    let file = try BrowsedFile(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a, b);
      INSERT INTO t VALUES (1, zeroblob(67108864), 'after'), (2, CAST(zeroblob(67108864) AS TEXT), 'it');
      INSERT INTO t VALUES (3, replace(hex(zeroblob(4194304)), '0', 'long '), 'text');
      """)
    let visitor = try file.visit()
    let before = visitor.server.memory("VmHWM")
    for path in [
      "table?name=t", "row?name=t&key=1", "row?name=t&key=2", "cell?name=t&key=1&column=a",
      "cell?name=t&key=1&column=a&offset=67000000", "cell?name=t&key=2&column=a",
      "cell?name=t&key=3&column=a",
      "table?name=t&sort=b",
    ] {
      let answer = try visitor.get(path)
      #expect(answer.status == 200, "\(path)")
      #expect(answer.body.count < 1 << 20, "\(path): \(answer.body.count)")
    }
    #expect(visitor.server.memory("VmHWM") - before < 48 << 20)
  }
}
