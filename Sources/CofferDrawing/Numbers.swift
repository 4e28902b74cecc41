import Foundation

/// Numbers, sizes and dates as text.
package enum Numbers {
  /// 1,234,567
  package static func grouped(_ number: Int) -> String {
    let digits = Array(String(number.magnitude))
    var text = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return text
  }

  /// "1 package", "2 packages".
  package static func count(_ number: Int, _ noun: String) -> String {
    "\(grouped(number)) \(number == 1 ? noun : noun + "s")"
  }

  /// "12 bytes", "3.4 MiB".
  package static func size(_ bytes: Int) -> String {
    if bytes < 1024 { return count(bytes, "byte") }
    var (value, unit) = (Double(bytes) / 1024, 0)
    let units = ["KiB", "MiB", "GiB", "TiB"]
    while value >= 1024, unit < units.count - 1 { (value, unit) = (value / 1024, unit + 1) }
    return "\(Drawing.number(value)) \(units[unit])"
  }

  /// "2026-11-23 17:00:05 UTC".
  package static func date(_ date: Date) -> String {
    date.formatted(.iso8601.dateTimeSeparator(.space)).replacing("Z", with: "") + " UTC"
  }
}
