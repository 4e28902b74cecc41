/// A day of the proleptic Gregorian calendar, which SQLite's date functions use.
///
/// - Invariant: The year is 0 to 9999, and the month and day exist.
struct CivilDate: Equatable {
  let year: Int
  let month: Int
  let day: Int

  /// Creates a day; nil if it doesn't exist in the calendar.
  init?(year: Int, month: Int, day: Int) {
    guard 0...9999 ~= year, 1...12 ~= month, 1...Self.length(ofMonth: month, in: year) ~= day
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  // Both conversions count from 1 March of year -400: leap days are at the end of a year, and no
  // count is negative.
  private static let daysPer400Years = 146_097
  private static let daysPer100Years = 36_524
  private static let daysPer4Years = 1_461
  private static let shiftOfEpoch = 719_468 + daysPer400Years

  /// The number of days since 1 January 1970.
  var daysSince1970: Int {
    let marchYear = (month < 3 ? year - 1 : year) + 400
    let monthsSinceMarch = (month + 9) % 12
    let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
    return marchYear * 365 + leapDays + Self.days(beforeMonth: monthsSinceMarch) + day - 1
      - Self.shiftOfEpoch
  }

  /// Creates a day from the number of days since 1 January 1970.
  /// - Precondition: The day is in the years 0 to 9999.
  init(daysSince1970: Int) {
    var days = daysSince1970 + Self.shiftOfEpoch
    var marchYear = days / Self.daysPer400Years * 400
    days %= Self.daysPer400Years
    // The last century and the last year of a cycle are a day longer.
    let centuries = min(days / Self.daysPer100Years, 3)
    days -= centuries * Self.daysPer100Years
    let leapCycles = days / Self.daysPer4Years
    days %= Self.daysPer4Years
    let years = min(days / 365, 3)
    days -= years * 365
    marchYear += centuries * 100 + leapCycles * 4 + years - 400

    let monthsSinceMarch = (5 * days + 2) / 153
    month = monthsSinceMarch < 10 ? monthsSinceMarch + 3 : monthsSinceMarch - 9
    day = days - Self.days(beforeMonth: monthsSinceMarch) + 1
    year = month < 3 ? marchYear + 1 : marchYear
  }

  // From March on, each five months have 153 days: 31, 30, 31, 30, 31.
  private static func days(beforeMonth monthsSinceMarch: Int) -> Int {
    (153 * monthsSinceMarch + 2) / 5
  }

  private static func length(ofMonth month: Int, in year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }
}
