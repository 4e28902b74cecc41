import CofferCore
import CofferTestSupport
import FoundationEssentials
import Testing

@Suite struct DatabaseCollationTests {
  private static let words = ["b", "É", "a", "B", "e\u{301}", "A", "é", "Z", "", "file10", "file9"]

  private func makeDatabase() throws -> EncryptedQueue {
    let database = try EncryptedQueue("CREATE TABLE t(a TEXT)")
    try database.use { db throws in
      for word in Self.words {
        try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [word])
      }
    }
    return database
  }

  private func sorted(_ db: Database, by collation: String) throws -> [String] {
    try String.fetchAll(db, sql: "SELECT a FROM t ORDER BY a COLLATE \(collation), hex(a)")
  }

  @Test func `the Swift order is that of the standard library`() throws {
    try makeDatabase().use { db throws in
      let swift = Self.words.sorted {
        $0 == $1 ? $0.utf8.lexicographicallyPrecedes($1.utf8) : $0 < $1
      }
      #expect(
        try sorted(db, by: "swiftCompare").map { Array($0.utf8) } == swift.map { Array($0.utf8) })
      let equal = try Int.fetchOne(
        db, sql: "SELECT count(*) FROM t WHERE a = ? COLLATE swiftCompare", arguments: ["é"])
      #expect(equal == 2)
    }
  }

  @Test func `equal prefixes, ASCII or not, sort by length and then by what follows`() throws {
    let texts = ["", "a", "a\0", "ab", "abc", "abd", "aé", "é", "éa", "z", "\u{10FFFF}"]
    try EncryptedQueue().use { db throws in
      for (left, right) in texts.flatMap({ left in texts.map { (left, $0) } }) {
        let row = try #require(
          try Row.fetchOne(
            db, sql: "SELECT :l < :r COLLATE swiftCompare, :l = :r COLLATE swiftCompare",
            arguments: ["l": left, "r": right]))
        #expect(row[0] as Bool == (left < right), "\(left) < \(right)")
        #expect(row[1] as Bool == (left == right), "\(left) = \(right)")
      }
    }
  }

  @Test(arguments: ["swiftCaseInsensitiveCompare", "swiftLocalizedCaseInsensitiveCompare"])
  func `letters are equal in either case, beyond ASCII`(collation: String) throws {
    try makeDatabase().use { db throws in
      let counts = try ["B", "É", "z"].map { word in
        try Int.fetchOne(
          db, sql: "SELECT count(*) FROM t WHERE a = ? COLLATE \(collation)", arguments: [word])
      }
      #expect(counts == [2, 3, 1])
    }
  }

  @Test func `the localized order puts accents beside their letters, and numbers in order`() throws
  {
    try makeDatabase().use { db throws in
      for collation in ["swiftLocalizedCompare", "swiftLocalizedStandardCompare"] {
        let words = try sorted(db, by: collation)
        let accent = try #require(words.firstIndex(of: "É"))
        #expect(accent < (try #require(words.firstIndex(of: "file9"))))
        #expect(accent > (try #require(words.firstIndex(of: "b"))))
      }
      let files = try sorted(db, by: "swiftLocalizedStandardCompare").filter {
        $0.hasPrefix("file")
      }
      #expect(files == ["file9", "file10"])
    }
  }

  @Test func `a custom collation sorts, compares and serves an index`() throws {
    let byLength = DatabaseCollation("length") { lhs, rhs in
      lhs.utf8.count < rhs.utf8.count
        ? .orderedAscending
        : lhs.utf8.count == rhs.utf8.count ? .orderedSame : .orderedDescending
    }
    let database = try makeDatabase()
    try database.use { db throws in
      db.add(collation: byLength)
      #expect(
        try sorted(db, by: "Length").map(\.utf8.count) == Self.words.map(\.utf8.count).sorted())
      try db.execute(sql: "CREATE INDEX i ON t(a COLLATE length)")
      let sql = "SELECT count(*) FROM t WHERE a COLLATE length = 'xxxxx'"
      #expect(try Int.fetchOne(db, sql: sql) == 1)
      let plan = try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql)
      #expect(plan.contains { ($0["detail"] as String).contains("INDEX i") })
    }
    let other = try database.other()
    let error = try #require(throws: DatabaseError.self) {
      try other.write { try $0.execute(sql: "INSERT INTO t VALUES ('x')") }
    }
    #expect(error.message?.contains("no such collation sequence: length") == true)
  }

  @Test func `a removed collation is unknown`() throws {
    try makeDatabase().use { db throws in
      let collation = DatabaseCollation("mine") { _, _ in .orderedSame }
      db.add(collation: collation)
      _ = try sorted(db, by: "mine")
      db.remove(collation: collation)
      #expect(throws: DatabaseError.self) { try sorted(db, by: "mine") }
    }
  }

  @Test func `a rebuilt index follows the new order of its collation`() throws {
    try makeDatabase().use { db throws in
      let ascending = DatabaseCollation("odd") {
        $0 < $1 ? .orderedAscending : $0 == $1 ? .orderedSame : .orderedDescending
      }
      let descending = DatabaseCollation("odd") {
        $0 > $1 ? .orderedAscending : $0 == $1 ? .orderedSame : .orderedDescending
      }
      db.add(collation: ascending)
      try db.execute(sql: "CREATE INDEX i ON t(a COLLATE odd)")
      let sql = "SELECT a FROM t INDEXED BY i ORDER BY a COLLATE odd"
      let before = try String.fetchAll(db, sql: sql)
      db.add(collation: descending)
      #expect(try String.fetchAll(db, sql: sql) == before)
      try db.reindex(collation: descending)
      #expect(try String.fetchAll(db, sql: sql) == before.sorted(by: >))
      db.add(collation: ascending)
      try db.reindex(collation: Database.CollationName(rawValue: "odd"))
      #expect(try String.fetchAll(db, sql: sql) == before.sorted())
      #expect(throws: DatabaseError.self) {
        try db.reindex(collation: Database.CollationName(rawValue: "no \"such\""))
      }
      try db.reindex(collation: .nocase)
    }
  }

  @Test func `the standard collations go by their names`() {
    let collations: [DatabaseCollation] = [
      .unicodeCompare, .caseInsensitiveCompare, .localizedCaseInsensitiveCompare,
      .localizedCompare, .localizedStandardCompare,
    ]
    #expect(
      collations.map(\.name) == [
        "swiftCompare", "swiftCaseInsensitiveCompare", "swiftLocalizedCaseInsensitiveCompare",
        "swiftLocalizedCompare", "swiftLocalizedStandardCompare",
      ])
    #expect(DatabaseCollation("SWIFTCOMPARE") { _, _ in .orderedSame }.id == collations[0].id)
    #expect(Set(collations.map(\.id)).count == 5)
  }
}
