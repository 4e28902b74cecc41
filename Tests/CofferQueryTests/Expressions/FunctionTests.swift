import Coffer
import CofferExpectations
import CofferTestSupport
import Testing

@Suite struct SQLFunctionTests {
  private let readers = Table("readers")
  private let name = Column("name")
  private let age = Column("age")

  private func sql(_ expression: any SQLSelectable) throws -> String {
    let sql = try RequestDatabase().sql(readers.select(expression))
    return String(sql.dropFirst("SELECT ".count).dropLast(#" FROM "readers""#.count))
  }

  private func value<T: DatabaseValueConvertible>(_ expression: any SQLSelectable) throws -> T? {
    try RequestDatabase().use { db in
      let row = try readers.order(Column("id")).select(expression).fetchOne(db)
      return row.flatMap { T.fromDatabaseValue($0[0]) }
    }
  }

  @Test func `a function calls SQL's function of that name`() throws {
    #expect(try sql(abs(age)) == #"ABS("age")"#)
    #expect(try sql(length(name)) == #"LENGTH("name")"#)
    #expect(try sql(cast(age, as: .text)) == #"CAST("age" AS TEXT)"#)
    #expect(try sql(coalesce([age, name])) == #"COALESCE("age", "name")"#)
    #expect(try sql(coalesce([age])) == #""age""#)
    #expect(try sql(max(age, 18, name)) == #"MAX("age", 18, "name")"#)
    #expect(try sql(name.lowercased) == #"swiftLowercaseString("name")"#)
    #expect(try sql(name.capitalized == "X") == #"swiftCapitalizedString("name") = 'X'"#)
    #expect(try value(cast(age, as: .text)) == "42")
    #expect(try value(max(age, 50)) == 50)
    #expect(try value(min(age, 50)) == 42)
    #expect(try value(name.uppercased) == "ARTHUR")
    #expect(try value(name.substr(2, 3)) == "rth")
    #expect(try value(name.replace("A", with: "a")) == "arthur")
    #expect(try value(name.instr("h")) == 4)
    #expect(try value(age.typeOf()) == "integer")
    #expect(try value(age.nullIf(42)) == Int?.none)
    #expect(try value((age / 5.0).round(digits: 1)) == 8.4)
    #expect(try value(" x ".databaseValue.trim()) == "x")
  }

  @Test func `aggregates count what they are asked to`() throws {
    #expect(try sql(count(age)) == #"COUNT("age")"#)
    #expect(try sql(count(distinct: age)) == #"COUNT(DISTINCT "age")"#)
    #expect(try sql(average(age / 2)) == #"AVG("age" / 2)"#)
    #expect(try sql(sum(age)) == #"SUM("age")"#)
    #expect(try sql(total(age)) == #"TOTAL("age")"#)
    #expect(try sql(min(age)) == #"MIN("age")"#)
    #expect(try sql(countAll()) == "COUNT(*)")
    #expect(try value(count(age)) == 2)
    #expect(try value(countAll()) == 3)
    #expect(try value(average(age)) == 39.0)
    #expect(try value(groupConcat(name, separator: "|")) == "Arthur|Barbara|Craig")
  }

  @Test func `a filter of an aggregate works, or says what it needs`() throws {
    let young = count(age, filter: age < 40)
    guard SQLiteFeatures.linked.hasAggregateFilter else {
      #expect(databaseError { try sql(young) }?.message?.contains("3.30.0") == true)
      return
    }
    #expect(try sql(young) == #"COUNT("age") FILTER (WHERE "age" < 40)"#)
    #expect(try value(young) == 1)
    #expect(try value(max(age, filter: age < 40)) == 36)
    #expect(try value(countAll(filter: age == nil)) == 1)
  }

  @Test func `an order in an aggregate works, or says what it needs`() throws {
    let names = groupConcat(name, orderBy: name.desc)
    guard SQLiteFeatures.linked.hasAggregateOrdering else {
      #expect(databaseError { try sql(names) }?.message?.contains("3.44.0") == true)
      return
    }
    #expect(try sql(names) == #"GROUP_CONCAT("name" ORDER BY "name" DESC)"#)
    #expect(try value(names) == "Craig,Barbara,Arthur")
  }

  @Test func `window functions see other rows, or say what they need`() throws {
    let rank = SQLWindow.rank().over(orderBy: age.desc)
    guard SQLiteFeatures.linked.hasWindowFunctions else {
      #expect(databaseError { try sql(rank) }?.message?.contains("3.25.0") == true)
      return
    }
    #expect(try sql(rank) == #"RANK() OVER (ORDER BY "age" DESC)"#)
    let frame = SQLWindowFrame.rows(.preceding(1), .currentRow)
    let sums = sum(age).over(partitionBy: name, orderBy: Column("id"), frame: frame)
    #expect(
      try sql(sums) == """
        SUM("age") OVER (PARTITION BY "name" ORDER BY "id" \
        ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
        """)
    try RequestDatabase().use { db throws in
      let order = Column("id")
      let requests: [(SQLExpression, [Int?])] = [
        (SQLWindow.rowNumber().over(orderBy: order.desc), [3, 2, 1]),
        (SQLWindow.lag(age).over(orderBy: order), [nil, 42, 36]),
        (SQLWindow.lead(age, offset: 2, default: -1).over(orderBy: order), [nil, -1, -1]),
        (SQLWindow.firstValue(age).over(orderBy: order), [42, 42, 42]),
        (SQLWindow.nthValue(age, 2).over(orderBy: order), [nil, 36, 36]),
        (count(age).over(), [2, 2, 2]), (SQLWindow.ntile(2).over(orderBy: order), [1, 1, 2]),
        (SQLWindow.denseRank().over(orderBy: age), [3, 2, 1]),
      ]
      for (expression, expected) in requests {
        let values = try readers.select(expression.forKey("x")).order(order).asRequest(
          of: Int?.self
        )
        .fetchAll(db)
        #expect(values == expected)
      }
      // Rows stay apart, unlike those of an aggregate.
      let request = readers.select(count(age).over())
      #expect(try request.fetchCount(db) == 3)
    }
    let misuse = databaseError { try sql(age.sqlExpression.over()) }
    #expect(misuse?.resultCode == .SQLITE_MISUSE)
  }

  @Test func `a case takes the first branch that fits`() throws {
    let level = SQLCase().when(age > 40, then: "old").when(age > 30, then: "grown").else("?")
    #expect(
      try sql(level)
        == #"CASE WHEN "age" > 40 THEN 'old' WHEN "age" > 30 THEN 'grown' ELSE '?' END"#)
    let number = SQLCase(name).when("Arthur", then: 1).when("Barbara", then: nil)
    #expect(try sql(number) == #"CASE "name" WHEN 'Arthur' THEN 1 WHEN 'Barbara' THEN NULL END"#)
    try RequestDatabase().use { db throws in
      #expect(try readers.select(level, as: String.self).fetchAll(db) == ["old", "grown", "?"])
      #expect(try readers.select(number, as: Int?.self).fetchAll(db) == [1, nil, nil])
      #expect(try readers.select(SQLCase().else(5), as: Int.self).fetchAll(db) == [5, 5, 5])
    }
  }

  @Test func `dates are SQLite's`() throws {
    let date = "2026-11-21 10:30:00".databaseValue
    #expect(try sql(dateTime(age, .unixEpoch)) == #"DATETIME("age", 'unixepoch')"#)
    #expect(try value(dateTime(date, .day(1), .startOfDay)) == "2026-11-22 00:00:00")
    #expect(try value(dateTime(date, .month(-11), .hour(2), .minute(5))) == "2025-12-21 12:35:00")
    #expect(try value(date.date(.startOfYear)) == "2026-01-01")
    #expect(try value(date.time(.second(1.5))) == "10:30:01")
    #expect(try value(julianDay(date)) == 2_461_365.9375)
    #expect(try value(date.unixEpoch()) == 1_795_257_000)
    #expect(try value(date.strftime("%Y/%m", .year(1))) == "2027/11")
    #expect(try value(dateTime(date, .weekday(0), .startOfMonth)) == "2026-11-01 00:00:00")
  }

  @Test func `patterns match text`() throws {
    #expect(try sql(name.like("A%")) == #""name" LIKE 'A%'"#)
    #expect(try sql(name.like("A!%", escape: "!")) == #""name" LIKE 'A!%' ESCAPE '!'"#)
    #expect(try sql(name.like("%a") == true) == #"("name" LIKE '%a') = 1"#)
    #expect(try value(name.like("arth%")) == true)
    #expect(try value(name.glob("arth*")) == false)
    #expect(try value(name.glob("Arth*")) == true)
  }
}
