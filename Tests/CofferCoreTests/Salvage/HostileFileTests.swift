import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore
@testable import CofferVault

/// Files that are made to be salvaged at any cost: each ends within 20 seconds of processor time
/// and 256 MiB of memory, and no more than the limits let is written.
@Suite(.serialized) struct HostileFileTests {
  /// A small file that asks for a lot.
  struct Hostile: CustomTestStringConvertible {
    let testDescription: String
    /// The SQL that makes it.
    var sql = ""
    /// Makes changes of the schema that SQLite would refuse.
    var schema = ""
    /// What SQLite has no way to write.
    var edit: @Sendable (inout Data) -> Void = { _ in }
    /// The limit that it reaches, if it doesn't end otherwise.
    var limit: SalvageLimit?
    /// What of SQLite it needs.
    var version = 0
  }

  private static let rows = """
    CREATE TABLE t (a);
    WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 300)
    INSERT INTO t SELECT i FROM c;
    """

  /// SQL that adds rows to the schema, numbered as `i`.
  private static func entries(_ count: Int, _ values: String) -> String {
    """
    WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < \(count))
    INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) SELECT \(values) FROM c;
    """
  }

  private static let pageSize = 4096

  static let files: [Hostile] = [
    Hostile(
      testDescription: "a stored column of 400 MB, 300 times", sql: rows,
      schema: """
        UPDATE sqlite_master SET sql = 'CREATE TABLE t (a, b AS (zeroblob(400000000)) STORED)';
        """, limit: .valueSize, version: 3_031_000),
    Hostile(
      testDescription: "a column of 1 MB, 300 times", sql: rows,
      schema: """
        UPDATE sqlite_master SET sql = 'CREATE TABLE t (a, b AS (zeroblob(1000000)) STORED)';
        """, limit: .fileSize, version: 3_031_000),
    Hostile(
      testDescription: "an index of values of 400 MB",
      sql: rows + "CREATE INDEX i ON t (a + 1);",
      schema: """
        UPDATE sqlite_master SET sql = 'CREATE INDEX i ON t (zeroblob(400000000))' WHERE name = 'i';
        """, limit: .valueSize),
    Hostile(
      testDescription: "1,000 indexes of values of 1 MB", sql: rows,
      schema: entries(
        1000, "'index', 'i' || i, 't', 2, 'CREATE INDEX i' || i || ' ON t (zeroblob(1000000))'")),
    Hostile(
      testDescription: "20,000 tables with one root page", sql: rows,
      schema: entries(20_000, "'table', 't' || i, 't' || i, 2, 'CREATE TABLE t' || i || ' (a)'"),
      limit: .definitions),
    Hostile(
      testDescription: "20,000 indexes with one root page", sql: rows,
      schema: entries(20_000, "'index', 'i' || i, 't', 2, 'CREATE INDEX i' || i || ' ON t (a)'"),
      limit: .definitions),
    Hostile(
      testDescription: "20,000 views", sql: rows,
      schema: entries(
        20_000, "'view', 'v' || i, 'v' || i, 0, 'CREATE VIEW v' || i || ' AS SELECT 1'"),
      limit: .definitions),
    Hostile(
      testDescription: "20,000 indexes with root pages behind the end", sql: rows,
      schema: entries(
        20_000, "'index', 'i' || i, 't', 2 + i, 'CREATE INDEX i' || i || ' ON t (a)'"),
      limit: .definitions),
    Hostile(
      testDescription: "views that take a lot of memory", sql: rows,
      schema: entries(
        12,
        """
        'view', 'v' || i, 'v' || i, 0, 'CREATE VIEW v' || i || ' AS SELECT 1 IN (1'
          || replace(hex(zeroblob(250000)), '0', ',1') || ')'
        """), limit: .definitionText),
    Hostile(
      testDescription: "8 views of 5 MB", sql: rows,
      schema: entries(
        8,
        """
        'view', 'v' || i, 'v' || i, 0,
        'CREATE VIEW v' || i || ' AS SELECT ''' || hex(zeroblob(2500000)) || ''''
        """), limit: .definitionText),
    Hostile(
      testDescription: "a tree whose pages lead to its root",
      sql: rows + "INSERT INTO t SELECT randomblob(100) FROM t, t AS u LIMIT 20000;",
      edit: { data in
        // The root of the table, page 2, is an inner page: its cells begin with the child's number.
        let root = pageSize..<(2 * pageSize)
        for offset in stride(from: root.lowerBound + 600, to: root.upperBound - 4, by: 2) {
          data.replaceSubrange(offset..<(offset + 4), with: [0, 0, 0, 2])
        }
      }),
    Hostile(
      testDescription: "a header of four thousand million pages", sql: rows,
      edit: { $0.replaceSubrange(28..<32, with: [0xFF, 0xFF, 0xFF, 0xFE]) }),
    Hostile(
      testDescription: "rows of each length up to 300 values",
      sql: "CREATE TABLE t (a); INSERT INTO t VALUES (0);"
        + (1..<300).map {
          "ALTER TABLE t ADD COLUMN c\($0); INSERT INTO t DEFAULT VALUES;"
        }.joined()),
    Hostile(
      testDescription: "rows that share one long value",
      sql: """
        CREATE TABLE t (a); CREATE TABLE u (a);
        INSERT INTO u VALUES (randomblob(400000));
        WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 200)
        INSERT INTO t SELECT randomblob(5000) FROM c;
        """,
      edit: { data in
        // Each page that another one could continue on continues on the same one.
        for start in stride(from: 10 * pageSize, to: data.count, by: pageSize) {
          data.replaceSubrange(start..<(start + 4), with: [0, 0, 0, 8])
        }
      }),
  ]

  @Test(arguments: files)
  func `a hostile file is salvaged within bounds`(file: Hostile) throws {
    let folder = try TemporaryDirectory()
    let (path, target) = (folder.path("hostile.db"), folder.path("saved.db"))
    let queue = try DatabaseQueue(path: path)
    try queue.inDatabase { db in
      try db.execute(sql: "PRAGMA journal_mode = DELETE; PRAGMA page_size = \(Self.pageSize)")
      try db.execute(sql: file.sql)
      if !file.schema.isEmpty {
        try db.execute(sql: "PRAGMA writable_schema = ON; \(file.schema)")
      }
    }
    try queue.close()
    let url = URL(fileURLWithPath: path)
    var data = try Data(contentsOf: url)
    file.edit(&data)
    try data.write(to: url)
    let (status, lines, error) = try TestProcess.run(["salvage", path, "-", target])
    #expect(status == 0, "\(error)")
    let memory = lines.last.flatMap { Int($0.dropFirst(6)) } ?? .max
    // The program itself takes some, and more with the code of newer engines.
    let program = SQLite.versionNumber >= 3_049_000 ? 24 << 20 : 8 << 20
    #expect(memory <= (256 << 20) + program, "\(lines)")
    let size = try? FileManager.default.attributesOfItem(atPath: target)[.size] as? Int
    #expect((size ?? 0) <= 8 * data.count + 64 << 20)
    if let limit = file.limit, SQLite.versionNumber >= file.version {
      #expect(lines.contains("reached \(limit.rawValue)"), "\(lines)")
      #expect(lines.contains("incomplete"))
    }
  }

  @Test func `limits that are lifted don't hold`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("db")
    let key = DatabaseKey.seeded()
    let queue = try DatabaseQueue(path: path, key: key)
    try queue.inDatabase { db in
      try db.execute(sql: Self.rows)
      try db.execute(
        sql: "PRAGMA writable_schema = ON;"
          + Self.entries(2000, "'table', 't' || i, 't' || i, 2, 'CREATE TABLE t' || i || ' (a)'"))
    }
    try queue.close()
    let limited = try DatabaseFile.salvage(at: path, key: key, to: folder.path("limited"))
    #expect(limited.reachedLimits == [.definitions])
    #expect(limited.tables.count < 1500)
    #expect("\(limited)".contains("definitions have reached their limit"))
    let all = try DatabaseFile.salvage(
      at: path, key: key, to: folder.path("all"), liftedLimits: [.definitions])
    #expect(all.reachedLimits == [])
    #expect(all.tables.count == 2001)
  }

  @Test func `a whole file with many definitions and large values reaches no limit`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("db")
    let key = DatabaseKey.seeded()
    let queue = try DatabaseQueue(path: path, key: key)
    try queue.write { db in
      for number in 0..<1500 {
        try db.execute(
          sql: """
            CREATE TABLE t\(number) (a, b); CREATE INDEX i\(number) ON t\(number) (b, a);
            INSERT INTO t\(number) VALUES (\(number), 'b');
            """)
      }
      try db.execute(sql: "CREATE TABLE large (a); INSERT INTO large VALUES (zeroblob(5000000))")
      try db.execute(sql: "CREATE INDEX l ON large (a)")
    }
    try queue.close()
    let report = try DatabaseFile.salvage(at: path, key: key, to: folder.path("saved"))
    #expect(report.isComplete && report.reachedLimits.isEmpty, "\(report)")
    #expect(report.tables.allSatisfy { $0.savedRows == 1 })
  }

  @Test func `what a killed salvage has left is removed by the next one`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("db")
    let key = DatabaseKey.seeded()
    let queue = try DatabaseQueue(path: path, key: key)
    try queue.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    try queue.close()
    let target = folder.path("saved")
    for suffix in ["", "-journal", "-wal"] {
      try Data(count: 100_000).write(
        to: URL(fileURLWithPath: target + PendingFile.suffix + suffix))
    }
    #expect(try DatabaseFile.salvage(at: path, key: key, to: target).isComplete)
    #expect(try folder.contents().filter { $0.hasPrefix("saved") } == ["saved"])
  }
}
