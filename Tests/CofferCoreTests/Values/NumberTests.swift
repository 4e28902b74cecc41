@testable import CofferCore
import CofferTestSupport
import Foundation
import Testing

@Suite struct IntegerTests {
  @Test func `extremes of every width come back`() throws {
    func check<I: FixedWidthInteger & Codable & DatabaseValueConvertible>(
      _ type: I.Type
    ) throws where I: StatementColumnConvertible {
      try expectRoundTrip(I.min)
      try expectRoundTrip(0 as I)
      try expectRoundTrip(1 as I)
      try expectRoundTrip(I(clamping: Int64.max))
    }
    try check(Int.self)
    try check(Int8.self)
    try check(Int16.self)
    try check(Int32.self)
    try check(Int64.self)
    try check(UInt.self)
    try check(UInt8.self)
    try check(UInt16.self)
    try check(UInt32.self)
    try check(UInt64.self)
  }

  @Test func `an integer out of range is nil on both ways`() throws {
    func check<I: FixedWidthInteger & DatabaseValueConvertible & StatementColumnConvertible>(
      _ type: I.Type, _ sql: String
    ) throws {
      #expect(try live(type, sql) == nil, "\(type) \(sql)")
      #expect(try stored(type, sql) == nil, "\(type) \(sql)")
      #expect(try withRow("SELECT \(sql)") { I(sqliteStatement: $0, index: 0) } == nil)
    }
    try check(Int8.self, "128")
    try check(Int8.self, "-129")
    try check(UInt8.self, "256")
    try check(UInt8.self, "-1")
    try check(Int16.self, "32768")
    try check(UInt16.self, "65536")
    try check(Int32.self, "2147483648")
    try check(UInt32.self, "4294967296")
    try check(UInt32.self, "-1")
    try check(UInt64.self, "-1")
    try check(UInt.self, "-9223372036854775808")
    try check(Int64.self, "9223372036854775808")
    try check(Int.self, "1e300")
    try check(Int.self, "-1e300")
    try check(Int64.self, "9e999")
    try check(UInt64.self, "1e19")
  }

  @Test func `a real loses its fraction`() throws {
    for (sql, expected) in [
      ("1.5", 1), ("-1.5", -1), ("0.5", 0), ("-0.0", 0), ("1e15", 1_000_000_000_000_000),
      ("-9223372036854775808.0", Int.min), ("9223372036854774784.0", 9_223_372_036_854_774_784),
    ] {
      #expect(try live(Int.self, sql) == expected, "\(sql)")
      #expect(try stored(Int.self, sql) == expected, "\(sql)")
    }
  }

  @Test func `text and blob convert in a statement only`() throws {
    for (sql, expected) in [
      ("'12'", 12), ("'12 apples'", 12), ("'apples'", 0), ("''", 0), ("' -7'", -7), ("x'3132'", 12),
      ("x''", 0), ("'1.9'", 1),
    ] {
      #expect(try live(Int.self, sql) == expected, "\(sql)")
      #expect(try stored(Int.self, sql) == nil, "\(sql)")
    }
  }

  @Test func `NULL is nil`() throws {
    #expect(try live(Int.self, "NULL") == nil)
    #expect(try live(UInt8.self, "NULL") == nil)
    #expect(try stored(Int.self, "NULL") == nil)
  }

  @Test func `an unsigned integer above SQLite's range is refused when bound`() throws {
    try withRow("SELECT ?") { statement in
      #expect(
        UInt64.max.bind(to: statement, at: 1) == ResultCode.SQLITE_MISMATCH.rawValue)
      #expect(
        (UInt(Int64.max) + 1).bind(to: statement, at: 1) == ResultCode.SQLITE_MISMATCH.rawValue)
    }
  }

  @Test func `an unsigned integer above SQLite's range has no database value`() async {
    await #expect(processExitsWith: .failure) {
      _ = UInt64.max.databaseValue
    }
  }

  @Test func `integers are stored as integers`() throws {
    let found = try bound(UInt8(200))
    #expect(found.value.storage == .int64(200))
    #expect(found.type == "integer")
  }
}

@Suite struct FloatingPointTests {
  @Test func `reals come back`() throws {
    for value in [
      0, -0.0, 1, 1.5, -1.5, 0.1, .pi, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
      .infinity, -.infinity, 9_007_199_254_740_992,
    ] {
      try expectRoundTrip(value)
    }
    for value in [0, 0.1, -3.25, Float.greatestFiniteMagnitude, .infinity] {
      try expectRoundTrip(value)
    }
  }

  @Test func `a CGFloat is a real`() throws {
    for value in [0, 1.5, -0.1, .greatestFiniteMagnitude, .infinity] as [CGFloat] {
      try expectRoundTrip(value)
    }
    #expect((1.5 as CGFloat).databaseValue.storage == .double(1.5))
    #expect(CGFloat.fromDatabaseValue(2.databaseValue) == 2)
    #expect(CGFloat.fromDatabaseValue("2".databaseValue) == nil)
    try EncryptedQueue.with("CREATE TABLE t (x REAL, y REAL)") { db in
      let (x, y): (CGFloat, CGFloat?) = (1, nil)
      try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [x, y])
      let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM t"))
      #expect(row["x"] as CGFloat == x)
      #expect(row["y"] as CGFloat? == nil)
    }
  }

  @Test func `an integer converts to a real`() throws {
    #expect(try live(Double.self, "3") == 3)
    #expect(try stored(Double.self, "3") == 3)
    #expect(try live(Double.self, "0") == 0)
    #expect(try live(Double.self, "9223372036854775807") == 0x1p63)
    #expect(try stored(Double.self, "9223372036854775807") == 0x1p63)
    #expect(try stored(Float.self, "16777217") == 16_777_216)
  }

  @Test func `a real beyond Float is infinite`() throws {
    #expect(try live(Float.self, "1e300") == .infinity)
    #expect(try stored(Float.self, "1e300") == .infinity)
  }

  @Test func `text and blob convert in a statement only`() throws {
    for (sql, expected) in [("'1.5'", 1.5), ("'1.5kg'", 1.5), ("'kg'", 0), ("x'322e35'", 2.5)] {
      #expect(try live(Double.self, sql) == expected, "\(sql)")
      #expect(try stored(Double.self, sql) == nil, "\(sql)")
    }
  }

  @Test func `NULL is nil`() throws {
    #expect(try live(Double.self, "NULL") == nil)
    #expect(try stored(Double.self, "NULL") == nil)
    #expect(try live(Float.self, "NULL") == nil)
  }

  @Test func `NaN is stored as NULL`() throws {
    #expect(try bound(Double.nan).value.isNull)
    #expect(try bound(Double.nan.databaseValue).value.isNull)
  }
}

@Suite struct BoolTests {
  @Test func `Booleans are stored as 1 and 0`() throws {
    try expectRoundTrip(true)
    try expectRoundTrip(false)
    #expect(try bound(true).value.storage == .int64(1))
    #expect(try bound(false).value.storage == .int64(0))
    #expect(true.databaseValue.storage == .int64(1))
  }

  @Test(arguments: [
    ("0", false), ("1", true), ("-1", true), ("2", true), ("0.0", false), ("0.5", true),
    ("-0.25", true), ("1e300", true), ("9223372036854775807", true),
  ])
  func `a number is true unless it is 0`(sql: String, expected: Bool) throws {
    #expect(try live(Bool.self, sql) == expected)
    #expect(try stored(Bool.self, sql) == expected)
    #expect(try withRow("SELECT \(sql)") { Bool(sqliteStatement: $0, index: 0) } == expected)
  }

  @Test func `text and blob convert in a statement only`() throws {
    for (sql, expected) in [("'1'", true), ("'true'", false), ("''", false), ("x'31'", true)] {
      #expect(try live(Bool.self, sql) == expected, "\(sql)")
      #expect(try stored(Bool.self, sql) == nil, "\(sql)")
    }
  }

  @Test func `NULL is nil`() throws {
    #expect(try live(Bool.self, "NULL") == nil)
    #expect(try stored(Bool.self, "NULL") == nil)
  }
}
