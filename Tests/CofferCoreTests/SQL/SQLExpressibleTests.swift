import Coffer
import Testing

@Suite struct SQLExpressibleTests {
  private func build(_ sql: SQL) throws -> (sql: String, arguments: StatementArguments) {
    try DatabaseQueue().read { db in try sql.build(db) }
  }

  @Test func `a value is a parameter, an SQL literal its text`() throws {
    let value: any SQLExpressible = 12
    let literal: any SQLSpecificExpressible = SQL("score + \(1)")
    #expect(try build(SQL(value.sqlExpression)).sql == "?")
    #expect(try build(SQL(value.sqlExpression)).arguments == [12])
    #expect(try build("SELECT \(literal.sqlExpression)").sql == "SELECT score + ?")
    #expect(try build("ORDER BY \(literal.sqlOrdering)").sql == "ORDER BY score + ?")
    #expect(try build("SELECT \(literal.sqlSelection)").arguments == [1])
    #expect(try build(SQL(Int?.none.sqlExpression)).sql == "NULL")
  }

  @Test func `a request is a subquery in parentheses`() throws {
    let request: SQLRequest<Int> = "SELECT max(id) FROM t WHERE x = \(3)"
    let (sql, arguments) = try build("SELECT * FROM t WHERE id = \(request)")
    #expect(sql == "SELECT * FROM t WHERE id = (SELECT max(id) FROM t WHERE x = ?)")
    #expect(arguments == [3])
  }

  @Test func `a function is called with expressions`() throws {
    let function = DatabaseFunction("add_up", argumentCount: 2, pure: true) { values in
      (Int.fromDatabaseValue(values[0]) ?? 0) + (Int.fromDatabaseValue(values[1]) ?? 0)
    }
    let sum = try DatabaseQueue().read { db in
      db.add(function: function)
      return try SQLRequest<Int>(literal: "SELECT \(function(1, SQL("2 * \(20)")))").fetchOne(db)
    }
    #expect(sum == 41)
  }

  @Test func `an array of SQL is joined`() throws {
    let conditions: [SQL] = ["a = \(1)", "b = \("x")"]
    let (sql, arguments) = try build(conditions.joined(separator: " AND "))
    #expect(sql == "a = ? AND b = ?")
    #expect(arguments == [1, "x"])
  }
}
