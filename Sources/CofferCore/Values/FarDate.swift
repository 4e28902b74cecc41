import CofferVault
import FoundationEssentials

// Dates outside the years 0 to 9999, for which SQLite's formats have no digits.

extension Date {
  /// The length of ``farText``.
  fileprivate static var farTextCount: Int { 17 }

  /// A text that sorts before or after all texts with a year, and like its date among its kind.
  ///
  /// `/`, which precedes all digits, or `Y`, and 16 hexadecimal digits of the seconds since 2001:
  /// the bits of the double, inverted for dates before 2001, whose bits grow with the distance. It
  /// isn't numeric, so that a column of any affinity keeps it. NULL for NaN.
  var farDatabaseValue: DatabaseValue {
    let seconds = timeIntervalSinceReferenceDate
    guard !seconds.isNaN else { return .null }
    let bits = seconds < 0 ? ~seconds.bitPattern : seconds.bitPattern
    let digits = String(bits, radix: 16, uppercase: true)
    let zeros = String(repeating: "0", count: 16 - digits.utf8.count)
    return ((seconds < 0 ? "/" : "Y") + zeros + digits).databaseValue
  }

  /// Returns the date of a ``farDatabaseValue``.
  @safe init?(farText text: UnsafeRawBufferPointer) {
    guard text.count == Self.farTextCount, let first = unsafe text.first,
      [UInt8(ascii: "/"), UInt8(ascii: "Y")].contains(first)
    else { return nil }
    var bits: UInt64 = 0
    for index in 1..<text.count {
      guard let digit = unsafe JSONFragment.hexDigit(text[index]) else { return nil }
      bits = bits << 4 | UInt64(digit)
    }
    let seconds = Double(bitPattern: first == UInt8(ascii: "/") ? ~bits : bits)
    guard !seconds.isNaN else { return nil }
    self.init(timeIntervalSinceReferenceDate: seconds)
  }
}

extension DatabaseValue {
  /// The number as which earlier versions stored a date outside the years 0 to 9999; nil for other
  /// values.
  package var formerDate: DatabaseValue? {
    guard case .string(var text) = storage, text.utf8.count == Date.farTextCount,
      let date = text.withUTF8({ Date(farText: UnsafeRawBufferPointer($0)) })
    else { return nil }
    return date.timeIntervalSince1970.databaseValue
  }
}
