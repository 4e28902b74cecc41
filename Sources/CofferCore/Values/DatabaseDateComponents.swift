import FoundationEssentials

/// Date components, and the text format in which they are stored.
///
/// ```swift
/// let day = DatabaseDateComponents(components, format: .YMD)
/// try db.execute(sql: "INSERT INTO event (day) VALUES (?)", arguments: [day])
/// ```
public struct DatabaseDateComponents: Sendable {
  /// The formats, by what they have: year, month, day, hours, minutes,
  /// seconds, fraction of a second.
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

  /// The format in which they are stored, or were.
  public let format: Format

  /// The components, to be stored in the format.
  ///
  /// What the format lacks is not stored, nor is a time zone; what the
  /// components lack is stored as 0, or 1 for month and day.
  public init(_ dateComponents: DateComponents, format: Format) {
    self.dateComponents = dateComponents
    self.format = format
  }
}

extension DatabaseDateComponents: DatabaseValueConvertible, StatementColumnConvertible {
  /// The text in the ``format``, its fraction rounded to the millisecond.
  ///
  /// The components are written as they are: a 13th month makes a text that
  /// is no date when read.
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

  /// The components of a text in one of SQLite's formats; nil for everything
  /// else, and for a day or time that doesn't exist.
  ///
  /// `Z` or `±HH:MM` at its end becomes the components' time zone.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseDateComponents? {
    switch dbValue.storage {
    case .string(var value): value.withUTF8 { Self(databaseText: UnsafeRawBufferPointer($0)) }
    case .blob(let value): value.withUnsafeBytes { Self(databaseText: $0) }
    default: nil
    }
  }

  /// The components of the column's text.
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    let text = SQLite.columnText(sqliteStatement, index)
    self.init(databaseText: UnsafeRawBufferPointer(text))
  }

  private init?(databaseText: UnsafeRawBufferPointer) {
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
  /// Decodes the text that ``encode(to:)`` encodes.
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
