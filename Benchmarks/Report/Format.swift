import Foundation

/// Numbers as the documents show them.
package enum Format {
  package static func ratio(_ value: Double) -> String { String(format: "%.2f", value) }

  /// A time in nanoseconds, with a suitable unit and three digits.
  package static func time(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1e3: digits(nanoseconds) + " ns"
    case ..<1e6: digits(nanoseconds / 1e3) + " µs"
    case ..<1e9: digits(nanoseconds / 1e6) + " ms"
    default: digits(nanoseconds / 1e9) + " s"
    }
  }

  /// An amount of memory in bytes, with a suitable unit.
  package static func memory(_ bytes: Double) -> String {
    switch abs(bytes) {
    case ..<1e3: digits(bytes) + " B"
    case ..<1e6: digits(bytes / 1e3) + " kB"
    case ..<1e9: digits(bytes / 1e6) + " MB"
    default: digits(bytes / 1e9) + " GB"
    }
  }

  /// An integer with commas between groups of three digits.
  package static func count(_ value: Int) -> String {
    var digits = String(value.magnitude)
    var groups: [Substring] = []
    let padding = (3 - digits.count % 3) % 3
    digits = String(repeating: " ", count: padding) + digits
    var rest = digits[...]
    while !rest.isEmpty {
      groups.append(rest.prefix(3))
      rest = rest.dropFirst(3)
    }
    let text = groups.joined(separator: ",").trimmingPrefix { $0 == " " }
    return (value < 0 ? "-" : "") + text
  }

  private static func digits(_ value: Double) -> String {
    String(format: abs(value) < 10 ? "%.2f" : abs(value) < 100 ? "%.1f" : "%.0f", value)
  }
}
