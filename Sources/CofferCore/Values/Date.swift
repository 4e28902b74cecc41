import FoundationEssentials

extension Date: DatabaseValueConvertible, StatementColumnConvertible {
  /// The text `YYYY-MM-DD HH:MM:SS.SSS` in UTC, rounded to the millisecond.
  ///
  /// The calendar is Gregorian at all times, as in SQLite's date functions. A
  /// date outside the years 0 to 9999, for which there is no such text, is
  /// stored as a real, the seconds since 1970.
  public var databaseValue: DatabaseValue {
    guard let milliseconds = storableMilliseconds else {
      return timeIntervalSince1970.databaseValue
    }
    let text = String(unsafeUninitializedCapacity: DateText.count) { buffer in
      DateText.write(milliseconds: milliseconds, to: buffer)
      return DateText.count
    }
    return text.databaseValue
  }

  /// The date of a text in one of SQLite's formats, with `T` or a space before
  /// the time, and `Z`, `±HH:MM` or nothing (UTC) after it; or that of a
  /// number, the seconds since 1970.
  ///
  /// Nil for everything else, for a time without a day, and for a day or time
  /// that doesn't exist.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Date? {
    switch dbValue.storage {
    case .int64(let value): Date(timeIntervalSince1970: Double(value))
    case .double(let value): Date(timeIntervalSince1970: value)
    case .string(var value): value.withUTF8 { Date(databaseText: UnsafeRawBufferPointer($0)) }
    case .blob(let value): value.withUnsafeBytes { Date(databaseText: $0) }
    case .null: nil
    }
  }

  /// The date of the column's text or number.
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    guard let value = Self.fromStatement(sqliteStatement, atUncheckedIndex: index) else {
      return nil
    }
    self = value
  }

  /// The date of the column's text or number; nil for NULL, and for what is no date.
  @inlinable
  public static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> Date? {
    switch SQLite.columnType(sqliteStatement, index) {
    case SQLite.textType, SQLite.blobType:
      let text = SQLite.columnText(sqliteStatement, index)
      return Date(databaseText: UnsafeRawBufferPointer(text))
    case SQLite.nullType:
      return nil
    default:
      return Date(timeIntervalSince1970: SQLite.columnDouble(sqliteStatement, index))
    }
  }

  /// Binds ``databaseValue``, without a string in between.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    guard let milliseconds = storableMilliseconds else {
      return timeIntervalSince1970.bind(to: sqliteStatement, at: index)
    }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: DateText.count) { buffer in
      DateText.write(milliseconds: milliseconds, to: buffer)
      return SQLite.bindText(UnsafeRawBufferPointer(buffer), to: sqliteStatement, at: index)
    }
  }

  /// The date of an astronomical Julian day, rounded to the millisecond.
  ///
  /// Nil outside 0 up to the end of the year 9999, SQLite's own range.
  public init?(julianDay: Double) {
    guard julianDay >= 0, julianDay < 5_373_484.5 else { return nil }
    let milliseconds = Int((julianDay * 86_400_000).rounded(.toNearestOrAwayFromZero))
    // 1 January 1970 is Julian day 2440587.5.
    let sinceReference =
      milliseconds - 210_866_760_000_000 - Self.secondsFrom1970ToReference * 1000
    self.init(timeIntervalSinceReferenceDate: Double(sinceReference) / 1000)
  }
}

extension Date {
  /// The text of ``databaseValue``, with as many further digits as the date has: what is read of it
  /// is the very date. Texts have the order of their dates, those of ``databaseValue`` among them.
  package var exactDatabaseValue: DatabaseValue {
    let interval = timeIntervalSinceReferenceDate
    let milliseconds = (interval * 1000).rounded()
    guard storableMilliseconds != nil, milliseconds / 1000 != interval else {
      return databaseValue
    }
    var (seconds, fraction) = Date.decimal(interval.magnitude)
    if interval < 0 { (seconds, fraction) = (-seconds - 1, DateText.complement(of: fraction)) }
    let whole = Date(timeIntervalSinceReferenceDate: Double(seconds)).databaseValue
    guard case .string(let text) = whole.storage else { return databaseValue }
    fraction += String(repeating: "0", count: max(0, 3 - fraction.utf8.count))
    return String(text.dropLast(3) + fraction).databaseValue
  }

  /// The shortest decimal that stands for a number that has a fraction.
  private static func decimal(_ number: Double) -> (whole: Int, fraction: String) {
    let parts = number.description.split(separator: "e")
    let digits = parts[0].split(separator: ".")
    guard parts.count > 1, let exponent = Int(parts[1]) else {
      return (Int(digits[0]) ?? 0, digits.count > 1 ? String(digits[1]) : "0")
    }
    // A small one: `1.5e-05`.
    let significant = digits.joined()
    let ending =
      significant.hasSuffix("0") && digits.count > 1 ? significant.dropLast() : significant[...]
    return (0, String(repeating: "0", count: max(0, -exponent - 1)) + ending)
  }

  static var secondsFrom1970ToReference: Int { 978_307_200 }

  @usableFromInline
  init?(databaseText text: UnsafeRawBufferPointer) {
    guard let date = DateText(text)?.date else { return nil }
    self = date
  }

  /// Milliseconds since 1970, halves rounded up; nil outside the years 0 to
  /// 9999, and for what is no number.
  private var storableMilliseconds: Int? {
    let milliseconds = (timeIntervalSince1970 * 1000 + 0.5).rounded(.down)
    guard milliseconds >= -62_167_219_200_000, milliseconds <= 253_402_300_799_999 else {
      return nil
    }
    return Int(milliseconds)
  }
}
