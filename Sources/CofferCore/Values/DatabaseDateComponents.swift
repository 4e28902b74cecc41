import CofferVault
import FoundationEssentials

/// Date components with the text format in which they are stored.
///
/// ```swift
/// let day = DatabaseDateComponents(components, format: .YMD)
/// try db.execute(sql: "INSERT INTO event (day) VALUES (?)", arguments: [day])
/// ```
public struct DatabaseDateComponents: Sendable {
  /// A text format. The letters stand for year, month, day, hours, minutes, seconds and fraction.
  public enum Format: String, Sendable {
    /// `YYYY-MM-DD`
    case YMD = "yyyy-MM-dd"
    /// `YYYY-MM-DD HH:MM`
    case YMD_HM = "yyyy-MM-dd HH:mm"
    /// `YYYY-MM-DD HH:MM:SS`
    case YMD_HMS = "yyyy-MM-dd HH:mm:ss"
    /// `YYYY-MM-DD HH:MM:SS.SSS`
    case YMD_HMSS = "yyyy-MM-dd HH:mm:ss.SSS"
    /// `HH:MM`
    case HM = "HH:mm"
    /// `HH:MM:SS`
    case HMS = "HH:mm:ss"
    /// `HH:MM:SS.SSS`
    case HMSS = "HH:mm:ss.SSS"

    var hasDay: Bool {
      switch self {
      case .YMD, .YMD_HM, .YMD_HMS, .YMD_HMSS: true
      case .HM, .HMS, .HMSS: false
      }
    }

    var hasTime: Bool { self != .YMD }

    var hasSeconds: Bool {
      switch self {
      case .YMD, .YMD_HM, .HM: false
      case .YMD_HMS, .YMD_HMSS, .HMS, .HMSS: true
      }
    }

    var hasFraction: Bool { self == .YMD_HMSS || self == .HMSS }
  }

  /// The components.
  public let dateComponents: DateComponents

  /// The format that the components are stored in, or were read from.
  public let format: Format

  /// Creates components to store in a format.
  ///
  /// Components that the format lacks, and time zones, are not stored. Missing components are
  /// stored as 0, a missing month or day as 1.
  public init(_ dateComponents: DateComponents, format: Format) {
    self.dateComponents = dateComponents
    self.format = format
  }
}

extension DatabaseDateComponents: DatabaseValueConvertible, StatementColumnConvertible {
  /// The text in the ``format``, with the fraction rounded to milliseconds.
  ///
  /// Components are not validated: a 13th month gives a text that can't be read back.
  public var databaseValue: DatabaseValue { text.databaseValue }

  private var text: String {
    let components = dateComponents
    var text = ""
    if format.hasDay {
      text += padded(components.year ?? 0, 4) + "-" + padded(components.month ?? 1, 2)
      text += "-" + padded(components.day ?? 1, 2)
    }
    guard format.hasTime else { return text }
    if format.hasDay { text += " " }
    text += padded(components.hour ?? 0, 2) + ":" + padded(components.minute ?? 0, 2)
    guard format.hasSeconds else { return text }
    text += ":" + padded(components.second ?? 0, 2)
    guard format.hasFraction else { return text }
    let milliseconds = (Double(components.nanosecond ?? 0) / 1_000_000).rounded()
    // Rounding up to the next second would change the other components.
    return text + "." + padded(Int(min(milliseconds, 999)), 3)
  }

  private func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number.magnitude)
    let zeros = String(repeating: "0", count: max(0, width - digits.count))
    return (number < 0 ? "-" : "") + zeros + digits
  }

  /// Returns the components of a text in one of SQLite's formats.
  ///
  /// Nil for other values and for nonexistent days or times. A trailing `Z` or `±HH:MM` becomes the
  /// time zone.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseDateComponents? {
    switch dbValue.storage {
    case .string(var value): value.withUTF8 { Self(databaseText: UnsafeRawBufferPointer($0)) }
    case .blob(let value): unsafe value.withUnsafeBytes { Self(databaseText: $0) }
    default: nil
    }
  }

  /// Creates components from the column's text.
  @safe public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    let text = SQLite.columnText(sqliteStatement, index)
    self.init(databaseText: UnsafeRawBufferPointer(text))
  }

  @safe private init?(databaseText: UnsafeRawBufferPointer) {
    guard let text = DateText(databaseText) else { return nil }
    var components = DateComponents()
    if let day = text.day {
      components.year = day.year
      components.month = day.month
      components.day = day.day
    }
    if text.format.hasTime {
      components.hour = text.hour
      components.minute = text.minute
    }
    if text.format.hasSeconds { components.second = text.second }
    if text.format.hasFraction { components.nanosecond = text.nanosecond }
    components.timeZone = text.zoneOffset.flatMap { TimeZone(secondsFromGMT: $0) }
    self.init(components, format: text.format)
  }
}

extension DatabaseDateComponents: Codable {
  /// Decodes a text as encoded by ``encode(to:)``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let value = Self.fromDatabaseValue(text.databaseValue) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "not a date: \(String(reflecting: text))")
    }
    self = value
  }

  /// Encodes the text in the ``format``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
