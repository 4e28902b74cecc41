@testable import CofferCore
import CofferTestSupport
import Foundation
import Testing

private func date(_ interval: TimeInterval) -> Date { Date(timeIntervalSince1970: interval) }

@Suite struct DateTests {
  @Test(arguments: [
    (0, "1970-01-01 00:00:00.000"),
    (0.001, "1970-01-01 00:00:00.001"),
    (0.0015, "1970-01-01 00:00:00.002"),
    (-0.0006, "1969-12-31 23:59:59.999"),
    (-0.5, "1969-12-31 23:59:59.500"),
    (-1, "1969-12-31 23:59:59.000"),
    (59.9996, "1970-01-01 00:01:00.000"),
    (951_782_400, "2000-02-29 00:00:00.000"),
    (951_868_800, "2000-03-01 00:00:00.000"),
    (-2_203_891_200, "1900-03-01 00:00:00.000"),
    (-2_203_891_201, "1900-02-28 23:59:59.000"),
    (1_709_164_800, "2024-02-29 00:00:00.000"),
    (-62_167_219_200, "0000-01-01 00:00:00.000"),
    (-62_162_121_600, "0000-02-29 00:00:00.000"),
    (-62_135_596_800, "0001-01-01 00:00:00.000"),
    (253_402_300_799.999, "9999-12-31 23:59:59.999"),
  ])
  func `a date is stored as text in UTC, to the millisecond`(interval: Double, text: String) throws
  {
    #expect(date(interval).databaseValue.storage == .string(text))
    #expect(try bound(date(interval)).value.storage == .string(text))
    let read = try #require(Date.fromDatabaseValue(text.databaseValue))
    #expect(abs(read.timeIntervalSince1970 - interval) < 0.000_51)
    #expect(read.databaseValue.storage == .string(text))
  }

  @Test func `dates on the millisecond come back equal`() throws {
    // 97 days, 7 hours and some apart, from the year 0 to 9999.
    var milliseconds = -62_167_219_200_000
    while milliseconds < 253_402_300_800_000 {
      let date = Date(
        timeIntervalSinceReferenceDate: Double(milliseconds - 978_307_200_000) / 1000)
      #expect(Date.fromDatabaseValue(date.databaseValue) == date)
      milliseconds += 8_407_123_457
    }
    try expectRoundTrip(Date(timeIntervalSinceReferenceDate: 458_438_400.123))
    try expectRoundTrip(Date.distantPast)
    try expectRoundTrip(Date.distantFuture)
  }

  @Test(arguments: [(from: -719_528, step: 97, count: 37_653), (-25_932, 1, 74_510)])
  func `days have SQLite's own dates`(from first: Int, step: Int, count: Int) throws {
    // The years 0 to 9999 in steps, and every day of 1899 to 2102.
    let sql = """
      WITH RECURSIVE days(n) AS (SELECT ?1 UNION ALL SELECT n + ?2 FROM days LIMIT ?3)
      SELECT group_concat(date(n + 2440587.5), ' ') FROM days
      """
    let expected = try withRow(sql, [first, step, count]) {
      try #require(String.fromStatement($0, atUncheckedIndex: 0))
    }
    let days = stride(from: first, to: first + step * count, by: step)
    let differences = zip(days, expected.split(separator: " ")).compactMap { day, expected in
      let text = "\(expected) 00:00:00.000"
      return date(Double(day) * 86_400).databaseValue.storage == .string(text) ? nil : day
    }
    #expect(differences == [])
  }

  @Test func `later dates have greater texts`() {
    let texts = [-62_167_219_200, -62_135_596_800.5, -1, -0.001, 0, 0.001, 1, 1e9, 253_402_300_799]
      .map { "\(date($0).databaseValue)" }
    #expect(texts == texts.sorted())
  }

  @Test func `dates agree with DateFormatter since the Gregorian calendar`() {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "yyyy-MM-dd HH:mm:ss.SSS"
    var generator = SeededGenerator()
    for _ in 0..<2000 {
      let value = date(.random(in: -12_000_000_000...250_000_000_000, using: &generator))
      #expect(value.databaseValue.storage == .string(formatter.string(from: value)), "\(value)")
    }
    for tick in -50...50 {
      let value = date(Double(tick) / 2000)
      #expect(value.databaseValue.storage == .string(formatter.string(from: value)), "\(tick)")
    }
  }

  @Test func `a date outside the years 0 to 9999 comes back, also from a number`() throws {
    for interval in [-62_167_219_200.500_1, 253_402_300_800, 1e15, -1e15, 1e300, .infinity] {
      try expectRoundTrip(date(interval))
      #expect(try bound(date(interval)).type == "text")
      #expect(Date.fromDatabaseValue(interval.databaseValue) == date(interval))
      #expect(date(interval).databaseValue.formerDate?.storage == .double(interval))
    }
    #expect(date(0).databaseValue.formerDate == nil)
    #expect(try bound(date(.nan)).value.isNull)
    #expect(date(.nan).databaseValue.isNull)
    for text in ["Y", "Y7FF800000000000", "Y7FF8000000000000", "Yg000000000000000", "Z0"] {
      #expect(Date.fromDatabaseValue(text.databaseValue) == nil)
    }
  }

  @Test func `texts of all dates sort like their dates, in columns of any affinity`() throws {
    var generator = SeededGenerator()
    var dates = [-.infinity, .infinity, 1e300, -1e300].map(date)
    for _ in 0..<300 {
      let magnitude = pow(10, Double.random(in: 0...14, using: &generator))
      dates.append(date(.random(in: -magnitude...magnitude, using: &generator)))
    }
    for form in [\Date.databaseValue, \Date.exactDatabaseValue] {
      let values = dates.map { $0[keyPath: form] }
      let read = values.compactMap { Date.fromDatabaseValue($0) }
      if form == \Date.exactDatabaseValue { #expect(read == dates) }
      for type in ["", "TEXT", "DATETIME", "REAL"] {
        try EncryptedQueue.with("CREATE TABLE t (a \(type))") { db throws in
          for value in values {
            try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [value])
          }
          #expect(try Date.fetchAll(db, sql: "SELECT a FROM t ORDER BY a") == read.sorted())
        }
      }
    }
  }

  @Test(arguments: [
    ("2015-07-22", 1_437_523_200),
    ("2015-07-22 01:02", 1_437_526_920),
    ("2015-07-22 01:02:03", 1_437_526_923),
    ("2015-07-22 01:02:03.4", 1_437_526_923.4),
    ("2015-07-22 01:02:03.45", 1_437_526_923.45),
    ("2015-07-22 01:02:03.456", 1_437_526_923.456),
    ("2015-07-22 01:02:03.456789", 1_437_526_923.456789),
    ("2015-07-22 01:02:03.1234567891234", 1_437_526_923.123456789),
    ("2015-07-22T01:02", 1_437_526_920),
    ("2015-07-22T01:02:03", 1_437_526_923),
    ("2015-07-22T01:02:03.456", 1_437_526_923.456),
    ("2015-07-22T01:02Z", 1_437_526_920),
    ("2015-07-22T01:02:03Z", 1_437_526_923),
    ("2015-07-22 01:02:03.456Z", 1_437_526_923.456),
    ("2015-07-22 01:02:03z", 1_437_526_923),
    ("2015-07-22 01:02:03 Z", 1_437_526_923),
    ("2015-07-22 01:02:03+02:00", 1_437_519_723),
    ("2015-07-22 01:02:03 +02:00", 1_437_519_723),
    ("2015-07-22T01:02:03.5-03:30", 1_437_539_523.5),
    ("2015-07-22 01:02+14:00", 1_437_476_520),
    ("2015-07-22 24:00", 1_437_609_600),
    ("2000-02-29", 951_782_400),
    ("2024-02-29", 1_709_164_800),
    ("0000-01-01", -62_167_219_200),
    ("0000-01-01 00:00+00:01", -62_167_219_260),
    ("9999-12-31 23:59:59.999", 253_402_300_799.999),
  ])
  func `a text in one of SQLite's formats is a date`(text: String, interval: Double) throws {
    let values = [
      Date.fromDatabaseValue(text.databaseValue),
      Date.fromDatabaseValue(Data(text.utf8).databaseValue),
      try live(Date.self, "'\(text)'"),
      try live(Date.self, "CAST('\(text)' AS BLOB)"),
    ]
    for value in values {
      #expect(abs(try #require(value).timeIntervalSince1970 - interval) < 0.000_001)
    }
  }

  @Test(arguments: [
    "", "a", "now", "2015", "2015-07", "2015-7-2", "2015-07-2", "2015-07-220", "2015-07-22 ",
    "2015-07-22T", "2015-07-22  01:02", "2015-07-22t01:02", "2015-07-22 1:02", "2015-07-22 01",
    "2015-07-22 01:", "2015-07-22 01:02:", "2015-07-22 01:02:03.", "2015-07-22 01:02:03.4x",
    "2015-07-22 01:02:03 ", "2015-07-22 01:02:03.456 GMT", "2015-07-22 01:02:03+2",
    "2015-07-22 01:02:03+02", "2015-07-22 01:02:03+0200", "2015-07-22 01:02:03+15:00",
    "2015-07-22 01:02:03+02:60", "2015-07-22Z", "2015-07-22 Z", " 2015-07-22", "-2015-07-22",
    "+2015-07-22", "12015-07-22", "2015/07/22", "2015-00-22", "2015-13-22", "2015-07-00",
    "2015-07-32", "2015-04-31", "2015-02-29", "1900-02-29", "2100-02-29", "2015-07-22 24:01",
    "2015-07-22 24:00:00.001", "2015-07-22 25:00", "2015-07-22 01:60", "2015-07-22 01:02:60",
    "2015-07-22\u{0}", "2015-07-22\u{0}01:02", "２０１５-07-22", "2015-07-22 é1:02", "é015-07-22",
    "2015‐07‐22", "٢٠١٥-٠٧-٢٢", "01:02", "01:02:03", "01:02:03.456", "01:02Z", "2015-07-22 -1:02",
    "2015-07-22 01:02:03.-1", "2015-07-22 01:02 BC", "2457225.5",
  ])
  func `a text that is no date is nil`(text: String) throws {
    #expect(Date.fromDatabaseValue(text.databaseValue) == nil)
    #expect(try withRow("SELECT ?", [text]) { Date.fromStatement($0, atUncheckedIndex: 0) } == nil)
    #expect(try withRow("SELECT ?", [text]) { Date(sqliteStatement: $0, index: 0) } == nil)
  }

  @Test func `random bytes make a date that can be stored, or none, and no trap`() {
    var generator = SeededGenerator()
    let alphabet = Array("0123456789-:. TZ+\u{FF}".utf8)
    var dates: [Date] = []
    for round in 0..<5000 {
      // Bytes at random, and a date in which one byte is another.
      var bytes = (0..<Int.random(in: 0...26, using: &generator)).map { _ in
        alphabet.randomElement(using: &generator)!
      }
      if round % 2 == 0 {
        bytes = Array("2015-07-22 01:02:03.456".utf8)
        let index = Int.random(in: bytes.indices, using: &generator)
        bytes[index] = alphabet.randomElement(using: &generator)!
      }
      if let date = Date.fromDatabaseValue(Data(bytes).databaseValue) { dates.append(date) }
    }
    #expect(!dates.isEmpty)
    #expect(dates.allSatisfy { Date.fromDatabaseValue($0.databaseValue) != nil })
  }

  @Test func `a number is seconds since 1970`() throws {
    for (sql, interval) in [("0", 0.0), ("1437526923", 1_437_526_923), ("-1.5", -1.5)] {
      #expect(try live(Date.self, sql) == date(interval))
      #expect(try stored(Date.self, sql) == date(interval))
    }
    #expect(try live(Date.self, "NULL") == nil)
    #expect(try stored(Date.self, "NULL") == nil)
  }

  @Test func `a Julian day is a date`() {
    #expect(Date(julianDay: 2_440_587.5) == date(0))
    #expect(Date(julianDay: 2_457_225.5) == date(1_437_523_200))
    #expect(Date(julianDay: 0)?.timeIntervalSince1970 == -210_866_760_000)
    #expect(Date(julianDay: 2_440_587.5 + 0.001 / 86_400) == date(0.001))
    #expect(
      Date(julianDay: 5_373_484.499_999)?.databaseValue.description.hasPrefix("\"9999") == true)
    #expect(Date(julianDay: -0.1) == nil)
    #expect(Date(julianDay: 5_373_484.5) == nil)
    #expect(Date(julianDay: .nan) == nil)
    #expect(Date(julianDay: .infinity) == nil)
  }

  @Test func `SQLite's julianday gives the date back`() throws {
    for text in ["2015-07-22 01:02:03.456", "0000-01-01 00:00:00.001", "9999-12-31 23:59:59.000"] {
      let julianDay = try withRow("SELECT julianday(?)", [text]) {
        Double.fromStatement($0, atUncheckedIndex: 0)
      }
      let date = try #require(julianDay.flatMap(Date.init(julianDay:)))
      #expect(date.databaseValue.storage == .string(text))
    }
  }
}

@Suite struct DatabaseDateComponentsTests {
  typealias Format = DatabaseDateComponents.Format

  static let formats: [(Format, String)] = [
    (.YMD, "2015-07-22"), (.YMD_HM, "2015-07-22 01:02"), (.YMD_HMS, "2015-07-22 01:02:03"),
    (.YMD_HMSS, "2015-07-22 01:02:03.456"), (.HM, "01:02"), (.HMS, "01:02:03"),
    (.HMSS, "01:02:03.456"),
  ]

  static let whole = DateComponents(
    year: 2015, month: 7, day: 22, hour: 1, minute: 2, second: 3, nanosecond: 456_000_000)

  @Test(arguments: formats)
  func `date components are written in each format`(format: Format, text: String) throws {
    let value = DatabaseDateComponents(Self.whole, format: format)
    #expect(value.databaseValue.storage == .string(text))
    #expect(try bound(value).value.storage == .string(text))
    #expect(String(decoding: try JSONEncoder().encode([value]), as: UTF8.self) == "[\"\(text)\"]")
  }

  @Test(arguments: formats)
  func `date components are read in each format`(format: Format, text: String) throws {
    let values = [
      DatabaseDateComponents.fromDatabaseValue(text.databaseValue),
      try live(DatabaseDateComponents.self, "'\(text)'"),
      try JSONDecoder().decode([DatabaseDateComponents].self, from: Data("[\"\(text)\"]".utf8))[0],
    ]
    var expected = Self.whole
    if !format.rawValue.contains("y") {
      (expected.year, expected.month, expected.day) = (nil, nil, nil)
    }
    if !format.rawValue.contains("H") { (expected.hour, expected.minute) = (nil, nil) }
    if !format.rawValue.contains("s") { expected.second = nil }
    if !format.rawValue.contains("S") { expected.nanosecond = nil }
    for value in values {
      let value = try #require(value)
      #expect(value.format == format)
      #expect(value.dateComponents == expected)
    }
  }

  @Test func `a format is known by its pattern`() {
    #expect(Format(rawValue: "yyyy-MM-dd HH:mm:ss.SSS") == .YMD_HMSS)
    #expect(Format(rawValue: "HH:mm") == .HM)
    #expect(Format(rawValue: "dd.MM.yyyy") == nil)
  }

  @Test func `missing components are 0, or 1 for month and day`() {
    let empty = DateComponents()
    #expect(
      DatabaseDateComponents(empty, format: .YMD_HMSS).databaseValue.storage
        == .string("0000-01-01 00:00:00.000"))
  }

  @Test func `nanoseconds are rounded and never reach the next second`() {
    for (nanosecond, text) in [
      (0, "00:00:00.000"), (499_999, "00:00:00.000"), (500_000, "00:00:00.001"),
      (999_499_999, "00:00:00.999"), (999_999_999, "00:00:00.999"),
    ] {
      let value = DatabaseDateComponents(DateComponents(nanosecond: nanosecond), format: .HMSS)
      #expect(value.databaseValue.storage == .string(text))
    }
  }

  @Test func `components out of range are written as they are, and not read`() {
    for components in [
      DateComponents(year: 10_000), DateComponents(year: -1), DateComponents(month: 13),
      DateComponents(day: 32), DateComponents(month: .max, day: .min),
    ] {
      let value = DatabaseDateComponents(components, format: .YMD)
      #expect(DatabaseDateComponents.fromDatabaseValue(value.databaseValue) == nil)
    }
  }

  @Test func `the zone of a text becomes the components' zone`() throws {
    for (text, offset) in [
      ("2015-07-22 01:02Z", 0), ("2015-07-22T01:02:03+02:00", 7200),
      ("01:02:03.5-03:30", -12_600),
    ] {
      let value = DatabaseDateComponents.fromDatabaseValue(text.databaseValue)
      #expect(try #require(value).dateComponents.timeZone?.secondsFromGMT() == offset)
    }
    let value = DatabaseDateComponents.fromDatabaseValue("2015-07-22 01:02".databaseValue)
    #expect(try #require(value).dateComponents.timeZone == nil)
  }

  @Test(arguments: ["", "1:02", "24:01", "01:60", "01:02:60", "01-02", "2015-02-30", "01:02:03x"])
  func `a text that is neither date nor time is nil`(text: String) throws {
    #expect(DatabaseDateComponents.fromDatabaseValue(text.databaseValue) == nil)
    #expect(try live(DatabaseDateComponents.self, "'\(text)'") == nil)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([DatabaseDateComponents].self, from: Data("[\"\(text)\"]".utf8))
    }
  }

  @Test func `numbers and NULL aren't date components`() throws {
    #expect(try live(DatabaseDateComponents.self, "20150722") == nil)
    #expect(try live(DatabaseDateComponents.self, "NULL") == nil)
    #expect(try stored(DatabaseDateComponents.self, "1.5") == nil)
  }
}
