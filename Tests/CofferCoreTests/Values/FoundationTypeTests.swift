@testable import CofferCore
import CofferTestSupport
import Foundation
import Testing

@Suite struct UUIDTests {
  static let text = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
  static let bytes: [UInt8] = [
    0xE6, 0x21, 0xE1, 0xF8, 0xC3, 0x6C, 0x49, 0x5A, 0x93, 0xFC, 0x0C, 0x24, 0x7A, 0x3E, 0x6E, 0x5F,
  ]

  @Test func `a UUID is stored as a blob of 16 bytes`() throws {
    let uuid = try #require(UUID(uuidString: Self.text))
    try expectRoundTrip(uuid)
    #expect(uuid.databaseValue.storage == .blob(Data(Self.bytes)))
    #expect(try bound(uuid).type == "blob")
  }

  @Test func `a UUID is read from a blob at any alignment`() {
    let uuid = UUID(uuidString: Self.text)
    let shifted = Data([0] + Self.bytes)[1...]
    #expect(UUID.fromDatabaseValue(shifted.databaseValue) == uuid)
  }

  @Test(arguments: [text, text.lowercased()])
  func `a UUID is read from text`(text: String) throws {
    let uuid = try #require(UUID(uuidString: Self.text))
    #expect(UUID.fromDatabaseValue(text.databaseValue) == uuid)
    #expect(try live(UUID.self, "'\(text)'") == uuid)
  }

  @Test(arguments: [
    "NULL", "1", "1.5", "''", "x''", "'foo'", "'E621E1F8C36C495A93FC0C247A3E6E5F'",
    "'{E621E1F8-C36C-495A-93FC-0C247A3E6E5F}'", "'E621E1F8-C36C-495A-93FC-0C247A3E6E5FF'",
    "x'E621E1F8C36C495A93FC0C247A3E6E'", "x'E621E1F8C36C495A93FC0C247A3E6E5F00'",
    "CAST('E621E1F8-C36C-495A-93FC-0C247A3E6E5F' AS BLOB)",
  ])
  func `a value that is no UUID is nil`(sql: String) throws {
    #expect(try live(UUID.self, sql) == nil)
    #expect(try stored(UUID.self, sql) == nil)
  }
}

@Suite struct URLTests {
  @Test(arguments: [
    "https://example.com/a?b=c#d", "file:///tmp/a%20b", "relative/path", "mailto:a@example.com",
  ])
  func `a URL is stored as its text`(text: String) throws {
    let url = try #require(URL(string: text))
    #expect(url.databaseValue.storage == .string(text))
    #expect(URL.fromDatabaseValue(url.databaseValue) == url)
    #expect(try bound(url).value.storage == .string(text))
  }

  @Test func `a relative URL is stored with its base`() throws {
    let base = try #require(URL(string: "https://example.com/a/"))
    let url = try #require(URL(string: "b", relativeTo: base))
    #expect(url.databaseValue.storage == .string("https://example.com/a/b"))
  }

  @Test(arguments: ["NULL", "1", "''", "x'ff'"])
  func `a value that is no URL is nil`(sql: String) throws {
    #expect(try stored(URL.self, sql) == nil)
  }
}

@Suite struct DecimalTests {
  private func decimal(_ text: String) throws -> Decimal { try #require(Decimal(string: text)) }

  @Test(arguments: [
    "0", "1", "-1", "12.5", "-0.01", "0.1", "3.133", "12345678901234567890123456789012345678",
    "-99999999999999999999999999999999999999", "0.00000000000000000000000000000000000001",
    "1e127", "1e-127",
  ])
  func `a decimal number comes back with all digits`(text: String) throws {
    try expectRoundTrip(decimal(text))
    #expect(try bound(decimal(text)).type == "text")
  }

  @Test func `the extreme decimal numbers come back`() throws {
    try expectRoundTrip(Decimal.greatestFiniteMagnitude)
    try expectRoundTrip(-Decimal.greatestFiniteMagnitude)
    try expectRoundTrip(Decimal.leastNonzeroMagnitude)
    try expectRoundTrip(Decimal.leastNormalMagnitude)
    #expect(Decimal.fromDatabaseValue(Decimal.nan.databaseValue)?.isNaN == true)
  }

  @Test func `a decimal number is stored as plain text`() throws {
    #expect(try decimal("-12.50").databaseValue.storage == .string("-12.5"))
    #expect(try decimal("1e20").databaseValue.storage == .string("100000000000000000000"))
  }

  @Test(arguments: [
    ("12", "12"), ("-9223372036854775808", "-9223372036854775808"),
    ("9223372036854775807", "9223372036854775807"), ("0.1", "0.1"), ("3.133", "3.133"),
    ("1e-7", "0.0000001"), ("1e25", "10000000000000000000000000"), ("'0012.500'", "12.5"),
    ("'+5'", "5"), ("'.5'", "0.5"), ("'5.'", "5"), ("'1E3'", "1000"), ("'1e+3'", "1000"),
    ("'25e-1'", "2.5"),
  ])
  func `a decimal number is read from text, integer and real`(sql: String, expected: String) throws
  {
    #expect(try live(Decimal.self, sql) == decimal(expected))
    #expect(try stored(Decimal.self, sql) == decimal(expected))
  }

  @Test(arguments: [
    "NULL", "''", "'.'", "'-'", "'e5'", "'1e'", "'1e+'", "'12 apples'", "'1,5'", "' 1'", "'1 '",
    "'1.2.3'", "'--1'", "'0x10'", "'١'", "'inf'", "9e999", "-9e999", "'1e500'", "x'31'",
    "'1' || char(0)", "'nan'",
  ])
  func `a value that is no number is nil`(sql: String) throws {
    #expect(try live(Decimal.self, sql) == nil)
    #expect(try stored(Decimal.self, sql) == nil)
  }
}

@Suite struct FoundationClassTests {
  private func roundTrip<T: NSObject & DatabaseValueConvertible>(
    _ value: T, _ storage: DatabaseValue.Storage, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(value.databaseValue.storage == storage, sourceLocation: sourceLocation)
    #expect(T.fromDatabaseValue(value.databaseValue) == value, sourceLocation: sourceLocation)
    try EncryptedQueue.with { db in
      let row = try #require(try Row.fetchOne(db, sql: "SELECT ? AS a", arguments: [value]))
      #expect(row["a"] as T == value, sourceLocation: sourceLocation)
      let optional = try T.fetchOne(db, sql: "SELECT ?", arguments: [value])
      #expect(optional == value, sourceLocation: sourceLocation)
    }
  }

  @Test func `classes are stored as the types of Swift`() throws {
    try roundTrip(NSString(string: "é"), .string("é"))
    try roundTrip(NSData(data: Data([1, 0, 2])), .blob(Data([1, 0, 2])))
    try roundTrip(NSData(), .blob(Data()))
    let date = Date(timeIntervalSinceReferenceDate: 86_400.5)
    try roundTrip(
      NSDate(timeIntervalSinceReferenceDate: 86_400.5), date.databaseValue.storage)
    let url = try #require(NSURL(string: "https://example.com/a%20b?c#d"))
    try roundTrip(url, .string("https://example.com/a%20b?c#d"))
    let uuid = try #require(NSUUID(uuidString: UUIDTests.text))
    try roundTrip(uuid, .blob(Data(UUIDTests.bytes)))
  }

  @Test func `numbers are stored as they were made`() throws {
    try roundTrip(NSNumber(value: Int64.min), .int64(.min))
    try roundTrip(NSNumber(value: UInt64(Int64.max)), .int64(.max))
    try roundTrip(NSNumber(value: Int8(-3)), .int64(-3))
    try roundTrip(NSNumber(value: UInt8.max), .int64(255))
    try roundTrip(NSNumber(value: true), .int64(1))
    try roundTrip(NSNumber(value: 1.5), .double(1.5))
    try roundTrip(NSNumber(value: 2.0), .double(2))
    try roundTrip(NSNumber(value: Float(0.5)), .double(0.5))
    try roundTrip(NSDecimalNumber(string: "12.5"), .double(12.5))
    for text in ["0", "12", "9223372036854775807", "-9223372036854775808"] {
      try roundTrip(NSDecimalNumber(string: text), .int64(try #require(Int64(text))))
    }
    for text in ["9223372036854775808", "9223372036854775806.5"] {
      let storage = NSDecimalNumber(string: text).databaseValue.storage
      #expect(storage == .double(9_223_372_036_854_775_808))
    }
    #expect(NSDecimalNumber.notANumber.databaseValue.storage != .int64(0))
    #expect(NSNumber.fromDatabaseValue("1.25".databaseValue) == NSDecimalNumber(string: "1.25"))
    #expect(NSDecimalNumber.fromDatabaseValue(0.1.databaseValue) == NSDecimalNumber(string: "0.1"))
  }

  @Test func `a value that doesn't convert is nil`() {
    for value in [DatabaseValue.null, "foo".databaseValue, Data([0xFF]).databaseValue] {
      #expect(NSNumber.fromDatabaseValue(value) == nil)
      #expect(NSDecimalNumber.fromDatabaseValue(value) == nil)
      #expect(NSDate.fromDatabaseValue(value) == nil)
      #expect(NSUUID.fromDatabaseValue(value) == nil)
    }
    #expect(NSString.fromDatabaseValue(1.databaseValue) == nil)
    #expect(NSData.fromDatabaseValue(1.databaseValue) == nil)
    #expect(NSURL.fromDatabaseValue(.null) == nil)
  }

  @Test func `rows and arguments are made of any Foundation value`() throws {
    let dictionary: [AnyHashable: Any] = [
      "date": NSDate(timeIntervalSinceReferenceDate: 0), "data": NSData(), "null": NSNull(),
      "number": NSNumber(value: 7),
    ]
    let row = try #require(Row(dictionary))
    #expect(row["date"] as Date == Date(timeIntervalSinceReferenceDate: 0))
    #expect(row["data"] as Data == Data())
    #expect(row["number"] as Int == 7)
    #expect(row["null"] as Int? == nil)
    #expect(StatementArguments([NSString(string: "a"), NSNull()] as [Any]) == ["a", nil])
  }
}
