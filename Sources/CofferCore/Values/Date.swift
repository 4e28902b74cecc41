import CofferVault
import FoundationEssentials

extension Date: DatabaseValueConvertible, StatementColumnConvertible {
  /// The text `YYYY-MM-DD HH:MM:SS.SSS` in UTC, rounded to milliseconds.
  ///
  /// The calendar is proleptic Gregorian, as in SQLite's date functions. A date outside the years 0
  /// to 9999 has no such text. It gets one of `/` or `Y` and 16 hexadecimal digits, which sorts
  /// like its date among all others, and which SQLite's date functions don't know.
  public var databaseValue: DatabaseValue {
    guard let milliseconds = storableMilliseconds else { return farDatabaseValue }
    let text = unsafe String(unsafeUninitializedCapacity: DateText.count) { buffer in
      DateText.write(milliseconds: milliseconds, to: buffer)
      return DateText.count
    }
    return text.databaseValue
  }

  /// Returns the date of a text in one of SQLite's formats, or of a number in seconds since 1970,
  /// as earlier versions stored dates outside the years 0 to 9999.
  ///
  /// In a text, `T` or a space precedes the time, and `Z`, `±HH:MM` or nothing (UTC) follows it.
  /// Returns nil for other values, for a time without a day, and for nonexistent days or times.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Date? {
    switch dbValue.storage {
    case .int64(let value): Date(timeIntervalSince1970: Double(value))
    case .double(let value): Date(timeIntervalSince1970: value)
    case .string(var value): value.withUTF8 { Date(databaseText: UnsafeRawBufferPointer($0)) }
    case .blob(let value): unsafe value.withUnsafeBytes { Date(databaseText: $0) }
    case .null: nil
    }
  }

  /// Creates a date from the column's text or number.
  @inlinable
  @safe public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    guard let value = Self.fromStatement(sqliteStatement, atUncheckedIndex: index) else {
      return nil
    }
    self = value
  }

  /// Returns the date of the column's text or number; nil for NULL and for values that are no date.
  @inlinable
  @safe public static func fromStatement(
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

  /// Binds ``databaseValue``, without creating a string.
  @safe public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    guard let milliseconds = storableMilliseconds else {
      return farDatabaseValue.bind(to: sqliteStatement, at: index)
    }
    return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: DateText.count) {
      buffer in
      DateText.write(milliseconds: milliseconds, to: buffer)
      return SQLite.bindText(UnsafeRawBufferPointer(buffer), to: sqliteStatement, at: index)
    }
  }

  /// Creates a date from an astronomical Julian day, rounded to milliseconds.
  ///
  /// Nil outside SQLite's range, from 0 to the end of the year 9999.
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
  /// The text of ``databaseValue`` with enough digits to read back exactly this date.
  ///
  /// These texts sort like their dates, also among texts of ``databaseValue``.
  package var exactDatabaseValue: DatabaseValue {
    let interval = timeIntervalSinceReferenceDate
    let milliseconds = (interval * 1000).rounded()
    guard storableMilliseconds != nil, milliseconds / 1000 != interval else {
      return databaseValue
    }
    var (seconds, fraction) = Date.decimal(interval.magnitude)
    if interval < 0 { (seconds, fraction) = (-seconds - 1, DateText.complement(of: fraction)) }
    let whole = Date(timeIntervalSinceReferenceDate: Double(seconds))
    // Rounding can have reached the year 0.
    guard whole.storableMilliseconds != nil, case .string(let text) = whole.databaseValue.storage
    else { return farDatabaseValue }
    fraction += String(repeating: "0", count: max(0, 3 - fraction.utf8.count))
    return String(text.dropLast(3) + fraction).databaseValue
  }

  /// Returns the shortest decimal representation of a number that has a fraction.
  private static func decimal(_ number: Double) -> (whole: Int, fraction: String) {
    let parts = number.description.split(separator: "e")
    let digits = parts[0].split(separator: ".")
    guard parts.count > 1, let exponent = Int(parts[1]) else {
      return (Int(digits[0]) ?? 0, digits.count > 1 ? String(digits[1]) : "0")
    }
    // A small number: `1.5e-05`.
    let significant = digits.joined()
    let ending =
      significant.hasSuffix("0") && digits.count > 1 ? significant.dropLast() : significant[...]
    return (0, String(repeating: "0", count: max(0, -exponent - 1)) + ending)
  }

  static var secondsFrom1970ToReference: Int { 978_307_200 }

  @usableFromInline
  @safe init?(databaseText text: UnsafeRawBufferPointer) {
    if let date = DateText(text)?.date {
      self = date
    } else {
      self.init(farText: text)
    }
  }

  /// Milliseconds since 1970, halves rounded up; nil outside the years 0 to 9999, and for NaN.
  private var storableMilliseconds: Int? {
    let milliseconds = (timeIntervalSince1970 * 1000 + 0.5).rounded(.down)
    guard milliseconds >= -62_167_219_200_000, milliseconds <= 253_402_300_799_999 else {
      return nil
    }
    return Int(milliseconds)
  }
}
