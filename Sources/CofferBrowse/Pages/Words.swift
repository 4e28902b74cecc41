import Foundation

/// Numbers and dates as text.
enum Words {
  /// 1,234,567
  static func grouped(_ number: Int) -> String {
    let digits = Array(String(number.magnitude))
    var text = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return text
  }

  /// "1 row", "2 rows".
  static func count(_ number: Int, _ noun: String) -> String {
    "\(grouped(number)) \(number == 1 ? noun : noun + "s")"
  }

  /// "12 bytes", "3.4 MiB".
  static func size(_ bytes: Int) -> String {
    if bytes < 1024 { return count(bytes, "byte") }
    var (value, unit) = (Double(bytes) / 1024, 0)
    let units = ["KiB", "MiB", "GiB", "TiB"]
    while value >= 1024, unit < units.count - 1 { (value, unit) = (value / 1024, unit + 1) }
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0
      ? "\(tenths / 10) \(units[unit])" : "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }

  /// "2026-11-23 17:00:05", in UTC.
  static func date(_ date: Date) -> String {
    date.formatted(.iso8601.dateTimeSeparator(.space)).replacing("Z", with: "") + " UTC"
  }

  /// "4 s", "12 min", "3 h", "5 d".
  static func age(_ seconds: Double) -> String {
    switch Int(max(0, seconds)) {
    case let seconds where seconds < 120: "\(seconds) s"
    case let seconds where seconds < 7_200: "\(seconds / 60) min"
    case let seconds where seconds < 172_800: "\(seconds / 3_600) h"
    case let seconds: count(seconds / 86_400, "day")
    }
  }
}

extension String {
  /// Whether the bytes are the same: two names can be one for Swift, and differ in SQLite.
  func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
