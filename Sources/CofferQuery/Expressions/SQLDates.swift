import CofferCore

// https://www.sqlite.org/lang_datefunc.html

/// A modifier of SQLite's date functions.
///
/// - Note: <https://www.sqlite.org/lang_datefunc.html#modifiers>
public enum SQLDateModifier: SQLSpecificExpressible, Sendable {
  /// Adds seconds.
  case second(Double)
  /// Adds minutes.
  case minute(Int)
  /// Adds hours.
  case hour(Int)
  /// Adds days.
  case day(Int)
  /// Adds months; a day past the end of the month overflows into the next month.
  case month(Int)
  /// Adds years.
  case year(Int)
  /// Moves back to midnight.
  case startOfDay
  /// Moves back to the first day of the month.
  case startOfMonth
  /// Moves back to the first day of the year.
  case startOfYear
  /// Moves forward to a day of the week, unless the date is on that day; 0 is Sunday.
  case weekday(Int)
  /// Interprets a number as seconds since 1970.
  case unixEpoch
  /// Converts UTC to local time.
  case localTime
  /// Converts local time to UTC.
  case utc

  /// The modifier as text.
  public var sqlExpression: SQLExpression { SQLExpression(text.databaseValue) }

  private var text: String {
    switch self {
    case .second(let count): "\(count) seconds"
    case .minute(let count): "\(count) minutes"
    case .hour(let count): "\(count) hours"
    case .day(let count): "\(count) days"
    case .month(let count): "\(count) months"
    case .year(let count): "\(count) years"
    case .startOfDay: "start of day"
    case .startOfMonth: "start of month"
    case .startOfYear: "start of year"
    case .weekday(let day): "weekday \(day)"
    case .unixEpoch: "unixepoch"
    case .localTime: "localtime"
    case .utc: "utc"
    }
  }
}

/// Returns `DATETIME(value, …)`: the date and time as text, `2026-11-21 10:30:00`.
public func dateTime(
  _ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...
) -> SQLExpression {
  dateFunction("DATETIME", value, modifiers)
}

/// Returns `JULIANDAY(value, …)`: the days since noon UTC on 24 November 4714 BC.
public func julianDay(
  _ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...
) -> SQLExpression {
  dateFunction("JULIANDAY", value, modifiers)
}

extension SQLSpecificExpressible {
  /// Returns `DATE(value, …)`: the date as text, `2026-11-21`.
  public func date(_ modifiers: SQLDateModifier...) -> SQLExpression {
    dateFunction("DATE", self, modifiers)
  }

  /// Returns `TIME(value, …)`: the time as text, `10:30:00`.
  public func time(_ modifiers: SQLDateModifier...) -> SQLExpression {
    dateFunction("TIME", self, modifiers)
  }

  /// Returns `STRFTIME('%s', value, …)`: the seconds since 1970, as an integer.
  public func unixEpoch(_ modifiers: SQLDateModifier...) -> SQLExpression {
    SQLExpression(.cast(CofferQuery.strftime("%s", self, modifiers), type: "INTEGER"))
  }

  /// Returns `STRFTIME(format, value, …)`: the date and time as formatted text.
  ///
  /// In the format, `%Y` is the year, `%m` the month, `%d` the day, and `%H` the hour.
  public func strftime(_ format: String, _ modifiers: SQLDateModifier...) -> SQLExpression {
    CofferQuery.strftime(format, self, modifiers)
  }
}

func dateFunction(
  _ name: String, _ value: some SQLExpressible, _ modifiers: [SQLDateModifier]
) -> SQLExpression {
  SQLExpression(.function(name, [value.sqlExpression] + modifiers.map(\.sqlExpression)))
}

func strftime(
  _ format: String, _ value: some SQLExpressible, _ modifiers: [SQLDateModifier]
) -> SQLExpression {
  let arguments = [format.sqlExpression, value.sqlExpression] + modifiers.map(\.sqlExpression)
  return SQLExpression(.function("STRFTIME", arguments))
}
