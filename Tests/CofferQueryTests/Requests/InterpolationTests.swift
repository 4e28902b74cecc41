import CofferTestSupport
import Testing

@testable import Coffer

@Suite("Interpolation of requests' parts") struct InterpolationTests {
  private struct Reader: TableRecord, Codable {
    static let databaseTableName = "readers"
    enum CodingKeys: String, CodingKey, ColumnExpression { case id, name }
    var id: Int64
    var name: String
  }

  private enum Name: String, SQLSpecificExpressible { case arthur = "Arthur" }

  private struct Part: RawRepresentable, SQLSpecificExpressible, StatementBinding {
    let rawValue: DatabaseValue
  }

  private enum Age: Int, DatabaseValueConvertible { case adult = 18 }

  private let id = Column("id"), name = Column("name")

  private func sql(_ literal: SQL) throws -> String {
    try RequestDatabase().use { db throws in try literal.build(db).sql }
  }

  @Test func `expressions of any form are interpolated`() throws {
    let column: any SQLExpressible = name
    let value: any SQLExpressible = 1
    let none: (any SQLExpressible)? = nil
    let some: (any SQLExpressible)? = name
    let optional: Column? = id
    let specific: any SQLSpecificExpressible = name.lowercased
    #expect(try sql("\(column), \(value), \(none), \(some)") == "\"name\", ?, NULL, \"name\"")
    #expect(try sql("\(optional), \(Column?.none)") == "\"id\", NULL")
    #expect(try sql("\(specific)").contains("\"name\""))
    #expect(try sql("\(id + 1) > \(Int?.none)") == "\"id\" + ? > ?")
    #expect(
      try sql("\(Name.arthur), \(Age.adult), \(Part(rawValue: 1.databaseValue))") == "?, ?, ?")
    #expect(try sql("\("Arthur".prefix(2)), \(Character("a").description)") == "?, ?")
  }

  @Test func `selections and orders are interpolated`() throws {
    let selectable: any SQLSelectable = AllColumns()
    let optional: (any SQLSelectable)? = nil
    let ordering: any SQLOrderingTerm = name.desc
    #expect(try sql("SELECT \(.allColumns) FROM t") == "SELECT * FROM t")
    #expect(try sql("\(AllColumns()), \(selectable), \(optional)") == "*, *, NULL")
    #expect(try sql("\(name.forKey("n"))") == "\"name\" AS \"n\"")
    #expect(try sql("\(ordering), \(id.asc), \(name)") == "\"name\" DESC, \"id\" ASC, \"name\"")
  }

  @Test func `tables and columns are interpolated`() throws {
    let type: any TableRecord.Type = Reader.self
    let record: any TableRecord = Reader(id: 1, name: "a")
    let key: any CodingKey = Reader.CodingKeys.name
    #expect(try sql("\(Reader.self), \(type)") == "\"readers\", \"readers\"")
    #expect(
      try sql("\(tableOf: record), \(tableOf: Reader(id: 1, name: "a"))")
        == "\"readers\", \"readers\"")
    #expect(try sql("\(Table("readers")), \(Table<Reader>("r"))") == "\"readers\", \"r\"")
    #expect(try sql("\(key), \(Reader.CodingKeys.id)") == "\"name\", \"id\"")
    #expect(try sql("\(columnsOf: Reader.self)") == "\"readers\".*")
    #expect(try sql("\(identifier: "a\"b")") == "\"a\"\"b\"")
  }

  @Test func `collations are interpolated by name`() throws {
    let collation = DatabaseCollation("reverse") { _, _ in .orderedSame }
    #expect(
      try sql("a COLLATE \(.nocase), b COLLATE \(collation)")
        == "a COLLATE NOCASE, b COLLATE reverse")
  }

  @Test func `lists are interpolated as lists of any length`() throws {
    let mixed: [any SQLExpressible] = [1, name]
    let values: [any SQLExpressible] = [1, "a"]
    #expect(try sql("a IN \([1, 2])") == "a IN (?,?)")
    #expect(try sql("a IN \([id, id + 2])") == "a IN (\"id\",\"id\" + ?)")
    #expect(try sql("a IN \(mixed)") == "a IN (?,\"name\")")
    #expect(try sql("a IN \(values)") == "a IN (?,?)")
    #expect(try sql("a IN \([Column]())") == "a IN (SELECT NULL WHERE NULL)")
    #expect(try sql("a IN \(Set([1]).lazy.map { $0 + 1 })") == "a IN (?)")
    #expect(try sql("a IN \((1...20).map { $0.sqlExpression })") == "a IN (?)")
    try RequestDatabase().use { db throws in
      let request: SQLRequest<String> = """
        SELECT name FROM readers WHERE id IN \([id, 2.sqlExpression]) AND name IN \(["Arthur"])
        ORDER BY \(name.collating(.nocase).desc)
        """
      #expect(try request.fetchAll(db) == ["Arthur"])
    }
  }

  @Test func `groups have any condition`() throws {
    try RequestDatabase().use { db throws in
      let condition: any SQLExpressible = count(id) > 0
      let request = Table("readers").all().group(name).having(true).having(condition).select(name)
      #expect(try request.fetchCount(db) == 3)
    }
  }

  @Test func `no pattern matches no row`() throws {
    try RequestDatabase("CREATE VIRTUAL TABLE t USING fts4(a); INSERT INTO t VALUES ('moby')")
      .use { db throws in
        let pattern = FTS3Pattern(matchingAnyTokenIn: "moby")
        let request = Table("t")
        #expect(try request.filter(Column("a").match(pattern)).fetchCount(db) == 1)
        #expect(try request.filter(Column("a").match(FTS3Pattern?.none)).fetchCount(db) == 0)
      }
  }

  @Test(.enabled(if: SQLiteFeatures.linked.hasFTS5))
  func `no pattern of FTS5 matches no row`() throws {
    try RequestDatabase("CREATE VIRTUAL TABLE t USING fts5(a); INSERT INTO t VALUES ('moby')")
      .use { db throws in
        let request = Table("t")
        let pattern = FTS5Pattern(matchingAnyTokenIn: "moby")
        #expect(try request.filter(Column("a").match(pattern)).fetchCount(db) == 1)
        #expect(try request.filter(Column("a").match(FTS5Pattern?.none)).fetchCount(db) == 0)
      }
  }

  @Test func `a record of any type names its table`() throws {
    struct Reader: TableRecord { static let databaseTableName = "readers" }
    let reader = Reader()
    #expect(try sql("\(tableOf: reader as any TableRecord)") == "\"readers\"")
  }
}
