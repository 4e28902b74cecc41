import Coffer
import CofferExpectations
import CofferTestSupport
import Testing

@Suite struct OperatorTests {
  private let readers = Table("readers")
  private let id = Column("id")
  private let name = Column("name")
  private let age = Column("age")

  private func condition(_ predicate: some SQLExpressible) throws -> String {
    let sql = try RequestDatabase().sql(readers.filter(predicate.sqlExpression))
    return String(sql.dropFirst(#"SELECT * FROM "readers" WHERE "#.count))
  }

  private func ids(_ predicate: some SQLExpressible) throws -> [Int] {
    try RequestDatabase().use { db throws in
      try readers.filter(predicate.sqlExpression).order(id).select(id, as: Int.self).fetchAll(db)
    }
  }

  @Test func `equality is =, and IS where a side is nil`() throws {
    #expect(try condition(age == 10) == #""age" = 10"#)
    #expect(try condition(10 == age) == #"10 = "age""#)
    #expect(try condition(age == (10 as Int?)) == #""age" = 10"#)
    #expect(try condition(age == age) == #""age" = "age""#)
    #expect(try condition(age == nil) == #""age" IS NULL"#)
    #expect(try condition(nil == age) == #""age" IS NULL"#)
    #expect(try condition(age == DatabaseValue.null) == #""age" IS NULL"#)
    #expect(try condition(age == true) == #""age" = 1"#)
    #expect(try condition(false == age) == #""age" = 0"#)
    #expect(try condition(true != age) == #""age" <> 1"#)
    #expect(try condition(!(true == age)) == #""age" <> 1"#)
    #expect(try condition(age != 10) == #""age" <> 10"#)
    #expect(try condition(age != nil) == #""age" IS NOT NULL"#)
    #expect(try condition(age === 10) == #""age" IS 10"#)
    #expect(try condition(age === nil) == #""age" IS NULL"#)
    #expect(try condition(10 !== age) == #"10 IS NOT "age""#)
    #expect(try ids(age == nil) == [3])
    #expect(try ids(age != 36) == [1])
    #expect(try ids(age !== 36) == [1, 3])
  }

  @Test func `a negation becomes that of the operator, where there is one`() throws {
    #expect(try condition(!(age == 10)) == #""age" <> 10"#)
    #expect(try condition(!(age === nil)) == #""age" IS NOT NULL"#)
    #expect(try condition(!age) == #"NOT "age""#)
    #expect(try condition(!(!age)) == #"NOT (NOT "age")"#)
    #expect(try condition(!(age > 10)) == #"NOT ("age" > 10)"#)
    #expect(try condition(![1, 2].contains(id)) == #""id" NOT IN (1, 2)"#)
    #expect(try condition(!(![1, 2].contains(id))) == #""id" IN (1, 2)"#)
    #expect(try condition(!(1...2).contains(id)) == #""id" NOT BETWEEN 1 AND 2"#)
    #expect(try condition(!name.like("A%")) == #""name" NOT LIKE 'A%'"#)
    #expect(try ids(!(age > 40)) == [2])
  }

  @Test func `operands are in parentheses where they need them`() throws {
    #expect(
      try condition(age != nil || name != nil && id != nil)
        == #"("age" IS NOT NULL) OR (("name" IS NOT NULL) AND ("id" IS NOT NULL))"#)
    #expect(
      try condition(age != nil && name != nil && id != nil)
        == #"("age" IS NOT NULL) AND ("name" IS NOT NULL) AND ("id" IS NOT NULL)"#)
    #expect(try condition(age && true) == #""age" AND 1"#)
    #expect(try condition(-(-age + 1)) == #"-((-"age") + 1)"#)
    #expect(try condition((age - age) - 1) == #"("age" - "age") - 1"#)
    #expect(try condition(1 + (age + age)) == #"1 + ("age" + "age")"#)
    #expect(try condition(age * 2 + 5) == #"("age" * 2) + 5"#)
    #expect(try condition(age / 2.0) == #""age" / 2.0"#)
    #expect(try condition((age & 3) | 4) == #"("age" & 3) | 4"#)
    #expect(try condition((~age << 2) >> 1) == #"((~"age") << 2) >> 1"#)
    #expect(try condition(age % 10 == 2) == #"("age" % 10) = 2"#)
    #expect(try condition(age ?? 2) == #"IFNULL("age", 2)"#)
    #expect(try condition(SQL("age > \(1)") && id == 1) == #"(age > 1) AND ("id" = 1)"#)
    #expect(try ids(age % 10 == 2) == [1])
  }

  @Test func `expressions join by an operator`() throws {
    let none: [SQLExpression] = []
    #expect(try condition(none.joined(operator: .and)) == "1")
    #expect(try condition(none.joined(operator: .or) && true) == "0 AND 1")
    #expect(try condition([id == 1].joined(operator: .and) || false) == #"("id" = 1) OR 0"#)
    #expect(
      try condition([id == 1, name != nil, age == nil].joined(operator: .or))
        == #"("id" = 1) OR ("name" IS NOT NULL) OR ("age" IS NULL)"#)
    #expect(
      try condition(![id == 1, name != nil].joined(operator: .and))
        == #"NOT (("id" = 1) AND ("name" IS NOT NULL))"#)
    let sum = [age, 2.databaseValue, age] as [any SQLSpecificExpressible]
    #expect(try condition(sum.joined(operator: .add)) == #""age" + 2 + "age""#)
    let text = [
      [name, "a".databaseValue] as [any SQLSpecificExpressible],
      ["b".databaseValue, name],
    ].map { $0.joined(operator: .concat) }
    #expect(
      try condition(text.joined(operator: .concat)) == #""name" || 'a' || 'b' || "name""#)
  }

  @Test func `a list of one is an equality, of none is false, of many is one argument`() throws {
    #expect(try condition([1].contains(id)) == #""id" = 1"#)
    #expect(try condition(![1].contains(id)) == #""id" <> 1"#)
    #expect(try condition([Int]().contains(id)) == "0")
    #expect(try condition(![Int]().contains(id)) == "1")
    #expect(try condition([1, 2, 3].contains(id)) == #""id" IN (1, 2, 3)"#)
    #expect(try condition([id].contains(id)) == #""id" = "id""#)
    #expect(try condition(AnySequence([1, 2]).contains(id)) == #""id" IN (1, 2)"#)
    #expect(try ids((1...100_000).map { $0 * 3 }.contains(id)) == [3])
    #expect(try ids(!(1...100_000).map { $0 * 3 }.contains(id)) == [1, 2])
    #expect(try ids([nil, 42].contains(age)) == [1])
    #expect(try ids(["ARTHUR", "x"].contains(name.collating(.nocase))) == [1])
  }

  @Test func `a long list is one statement whatever its length`() throws {
    try RequestDatabase().use { db throws in
      for count in [10, 100, 1000] {
        _ = try readers.filter((0..<count).map(\.self).contains(id)).fetchCount(db)
      }
      #expect(db.statementCacheStatistics.hits >= 2)
    }
  }

  @Test func `ranges are BETWEEN or two comparisons`() throws {
    #expect(try condition((1...10).contains(id)) == #""id" BETWEEN 1 AND 10"#)
    #expect(try condition((1..<10).contains(id)) == #"("id" >= 1) AND ("id" < 10)"#)
    #expect(try condition(("A"..."z").contains(name)) == #""name" BETWEEN 'A' AND 'z'"#)
    #expect(try condition((40...).contains(age)) == #""age" >= 40"#)
    #expect(try ids((36..<42).contains(age)) == [2])
  }

  @Test func `a collation is one of the comparison`() throws {
    #expect(
      try condition(name.collating(.nocase) == "fOo") == #""name" = 'fOo' COLLATE NOCASE"#)
    #expect(
      try condition(("a"..."b").contains(name.collating(.nocase)))
        == #"("name" COLLATE NOCASE) BETWEEN 'a' AND 'b'"#)
    #expect(
      try condition(["a", "b"].contains(name.collating(.nocase)))
        == #"("name" COLLATE NOCASE) IN ('a', 'b')"#)
    #expect(try ids(name.collating(.nocase) == "ARTHUR") == [1])
    #expect(try ids(!(name.collating(.nocase) == "ARTHUR")) == [2, 3])
    #expect(try ids(("a"..."bb").contains(name.collating(.nocase))) == [1, 2])
  }

  @Test func `a collation after a list or a range is its left side's`() throws {
    #expect(
      try condition(["a", "b"].contains(name).collating(.nocase))
        == #"("name" COLLATE NOCASE) IN ('a', 'b')"#)
    #expect(
      try condition((!["a", "b"].contains(name)).collating(.nocase))
        == #"("name" COLLATE NOCASE) NOT IN ('a', 'b')"#)
    #expect(
      try condition(("a"..<"b").contains(name).collating(.nocase))
        == #"("name" >= 'a' COLLATE NOCASE) AND ("name" < 'b' COLLATE NOCASE)"#)
    #expect(
      try condition(["fOo"].contains(name).collating(.nocase))
        == #""name" = 'fOo' COLLATE NOCASE"#)
    #expect(
      try condition(["fOo"].contains(name.collating(.nocase)))
        == #""name" = 'fOo' COLLATE NOCASE"#)
    #expect(try ids(["ARTHUR", "x"].contains(name).collating(.nocase)) == [1])
    #expect(try ids(("a"..."bb").contains(name).collating(.nocase)) == [1, 2])
    #expect(try ids(("a"..<"bb").contains(name).collating(.nocase)) == [1, 2])
  }

  @Test func `a query is a value, a list, or exists`() throws {
    let oldest = readers.select(max(age))
    #expect(
      try condition(age == oldest) == #""age" = (SELECT MAX("age") FROM "readers")"#)
    let names = readers.select(age).filter(name != nil).distinct()
    #expect(
      try condition(names.contains(age))
        == #""age" IN (SELECT DISTINCT "age" FROM "readers" WHERE "name" IS NOT NULL)"#)
    let raw = SQLRequest<Int>(sql: "SELECT ? UNION SELECT ?", arguments: [1, 2])
    #expect(try condition(raw.contains(age + 1)) == #"("age" + 1) IN (SELECT 1 UNION SELECT 2)"#)
    #expect(
      try condition(!readers.filter(id == 9).exists())
        == #"NOT EXISTS (SELECT * FROM "readers" WHERE "id" = 9)"#)
    #expect(try ids(age == oldest) == [1])
  }

  @Test func `an outer table is known in a subquery by its alias`() throws {
    let outer = TableAlias(), inner = TableAlias()
    let older = readers.aliased(inner).filter(inner[age] > outer[age])
    let request = readers.aliased(outer).filter(older.exists())
    try RequestDatabase().use { db throws in
      #expect(try request.select(name, as: String.self).fetchAll(db) == ["Barbara"])
    }
    let sql = try RequestDatabase().sql(request)
    #expect(
      sql == """
        SELECT * FROM "readers" WHERE EXISTS (SELECT "readers2".* FROM "readers" "readers2" \
        WHERE "readers2"."age" > "readers"."age")
        """)
    let lost = databaseError {
      try RequestDatabase().use { try readers.filter(outer[age] > 1).fetchCount($0) }
    }
    #expect(lost?.resultCode == .SQLITE_MISUSE)
  }

  @Test func `values that could be SQL stay values`() throws {
    let evil = "'; DROP TABLE readers; --"
    #expect(try ids(name == evil) == [])
    // Before 3.29, SQLite takes a quoted name that it doesn't know for text.
    guard SQLiteFeatures.linked.version >= 3_029_000 else { return }
    let unknown = databaseError {
      try RequestDatabase().use { try readers.filter(Column(#"na"me"#) == 1).fetchCount($0) }
    }
    #expect(unknown?.message?.contains("no such column") == true)
  }
}

extension OperatorTests {
  @Test func `an optional expression of Swift is unwrapped by Swift's operator`() throws {
    let condition: SQLExpression? = Column("age") > 1
    let none: SQLExpression? = nil
    let other = Column("age") < 0
    let sql = try RequestDatabase().sql(Table("readers").filter(condition ?? other))
    #expect(sql.hasSuffix(#"WHERE "age" > 1"#))
    #expect(
      try RequestDatabase().sql(Table("readers").filter(none ?? other))
        .hasSuffix(#"WHERE "age" < 0"#))
  }

  @Test func `an expression that Swift's operators accept too is SQL`() throws {
    // Without a type around them, since a type would choose.
    let isNull = Column("age") == nil
    let isNotNull = nil != Column("age")
    let either: any SQLExpressible = Column("age") ?? Column("id")
    let greatest = max(Column("age"), Column("id"))
    #expect(try condition(isNull as SQLExpression) == #""age" IS NULL"#)
    #expect(try condition(isNotNull as SQLExpression) == #""age" IS NOT NULL"#)
    #expect(try condition(either.sqlExpression) == #"IFNULL("age", "id")"#)
    #expect(try condition(greatest as SQLExpression) == #"MAX("age", "id")"#)
    #expect(try ids(nil == Column("age")) == [3])
  }
}
