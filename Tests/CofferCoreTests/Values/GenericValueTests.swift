import Coffer
import CofferExpectations
import CofferTestSupport
import Testing

/// A generic type that is stored if its values are, with the protocols that GRDB's has.
private struct Box<Value> {
  var value: Value
}

extension Box: Equatable where Value: Equatable {}
extension Box: SQLExpressible where Value: DatabaseValueConvertible {}
extension Box: StatementBinding where Value: DatabaseValueConvertible {}
extension Box: DatabaseValueConvertible where Value: DatabaseValueConvertible {
  var databaseValue: DatabaseValue { value.databaseValue }

  static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Box? {
    Value.fromDatabaseValue(dbValue).map { Box(value: $0) }
  }
}

/// An identifier, with conditions that differ from protocol to protocol.
private struct Tagged<Tag, RawValue>: RawRepresentable {
  var rawValue: RawValue
}

extension Tagged: Equatable where RawValue: Equatable {}
extension Tagged: SQLExpressible where RawValue: SQLExpressible {}
extension Tagged: StatementBinding where RawValue: StatementBinding {}
extension Tagged: DatabaseValueConvertible where RawValue: DatabaseValueConvertible {}
extension Tagged: Codable where RawValue: Codable {}

/// A type that can be bound whether or not it is a value.
private struct Loose<Value>: StatementBinding {
  var value: Value

  func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    0.bind(to: sqliteStatement, at: index)
  }
}

extension Loose: SQLExpressible where Value: DatabaseValueConvertible {}
extension Loose: DatabaseValueConvertible where Value: DatabaseValueConvertible {
  var databaseValue: DatabaseValue { value.databaseValue }

  static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Loose? {
    Value.fromDatabaseValue(dbValue).map { Loose(value: $0) }
  }
}

/// A type that can only be bound.
private struct Bound: StatementBinding {
  func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    7.bind(to: sqliteStatement, at: index)
  }
}

struct GenericValueTests {
  @Test func `a generic type is a value where its values are`() throws {
    try EncryptedQueue.with("CREATE TABLE t (a, b)") { db in
      try db.execute(
        sql: "INSERT INTO t VALUES (?, :b)", arguments: [Box(value: 1), Box(value: "x")])
      try db.execute(
        sql: "INSERT INTO t VALUES (:a, :b)",
        arguments: ["a": Box(value: 2), "b": nil as Box<String>?])
      let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?, ?)")
      try statement.execute(values: Box(value: 3), Box(value: "z"))
      #expect(
        try Box<Int>.fetchAll(db, sql: "SELECT a FROM t ORDER BY a")
          == [Box(value: 1), Box(value: 2), Box(value: 3)])
      #expect(
        try Box<Int>.fetchAll(
          db, sql: "SELECT a FROM t WHERE a IN (?)", arguments: [[Box(value: 2), Box(value: 9)]])
          == [Box(value: 2)])
      let row = try #require(try Row.fetchOne(db, sql: "SELECT a, b FROM t WHERE a = 2"))
      #expect(row["a"] == Box(value: 2))
      #expect(row["b"] as Box<String>? == nil)
      let boxed = Box(value: 3)
      let literal: SQL = "SELECT b FROM t WHERE a = \(boxed)"
      #expect(try SQLRequest<Box<String>>(literal: literal).fetchOne(db) == Box(value: "z"))
    }
  }

  @Test func `a generic type is an argument, whatever its conformances depend on`() throws {
    struct Player: Codable, FetchableRecord, PersistableRecord, Equatable {
      var id: Tagged<Player, Int64>
      var team: Tagged<String, String>?
    }
    try EncryptedQueue.with("CREATE TABLE player (id INTEGER PRIMARY KEY, team TEXT)") {
      db throws in
      let player = Player(id: Tagged(rawValue: 7), team: Tagged(rawValue: "red"))
      try player.insert(db)
      #expect(try Player.find(db, key: player.id) == player)
      #expect(try Player.filter { $0.team == player.team }.fetchAll(db) == [player])
      #expect(
        try Player.fetchAll(
          db, sql: "SELECT * FROM player WHERE id IN (?) AND team = ?",
          arguments: [[player.id], player.team]) == [player])
      let value: any StatementBinding = Tagged<Int, Int>(rawValue: 3)
      #expect(value.statementArgument == 3.statementArgument)
      let loose: any StatementBinding = Loose(value: "x")
      #expect(loose.statementArgument == "x".statementArgument)
    }
  }

  @Test func `NULL is nil of the outermost optional`() throws {
    struct Player: Codable, FetchableRecord, PersistableRecord, Equatable {
      var id: Int
      var score: Int??
    }
    try EncryptedQueue.with("CREATE TABLE player (id INTEGER PRIMARY KEY, score INTEGER)") {
      db throws in
      let players = [Player(id: 1, score: .none), Player(id: 2, score: 5)]
      for player in players { try player.insert(db) }
      #expect(try Player.fetchAll(db) == players)
    }
  }

  @Test func `an array is no value of a single parameter`() throws {
    try EncryptedQueue.with { db in
      let statement = try db.makeStatement(sql: "SELECT 1 WHERE 1 IN (?)")
      let error = databaseError { try statement.execute(values: [1, 2]) }
      #expect(error?.resultCode == .SQLITE_MISUSE)
      #expect(error?.message?.contains("array") == true)
      try statement.execute(arguments: [[1, 2]])
    }
  }

  @Test func `a type that can be bound needs nothing else to be`() throws {
    try EncryptedQueue.with("CREATE TABLE t (a)") { db in
      try db.makeStatement(sql: "INSERT INTO t VALUES (?)").execute(values: Bound())
      #expect(try Int.fetchOne(db, sql: "SELECT a FROM t") == 7)
    }
  }
}
