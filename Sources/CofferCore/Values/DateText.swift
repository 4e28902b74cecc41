import FoundationEssentials

/// A parsed date text.
///
/// The formats are SQLite's, from `YYYY-MM-DD` and `HH:MM` to `YYYY-MM-DDTHH:MM:SS.SSS+HH:MM`.
struct DateText {
  private(set) var format: DatabaseDateComponents.Format
  private(set) var day: CivilDate?
  private(set) var hour = 0
  private(set) var minute = 0
  private(set) var second = 0
  private(set) var nanosecond = 0
  /// The digits of the fraction if there are more than three.
  private var fraction = ""
  /// Seconds east of UTC, if the text has `Z` or `±HH:MM`.
  private(set) var zoneOffset: Int?

  /// Parses the whole text; nil if the format is wrong or the day or time doesn't exist.
  @safe init?(_ utf8: UnsafeRawBufferPointer) {
    var scanner = unsafe Scanner(bytes: utf8)
    if utf8.count >= 10, unsafe utf8[4] == UInt8(ascii: "-") {
      guard let day = scanner.day() else { return nil }
      self.day = day
      format = .YMD
      if scanner.isAtEnd { return }
      guard scanner.skip(" ") || scanner.skip("T") else { return nil }
      format = .YMD_HM
    } else {
      format = .HM
    }
    guard readTime(&scanner), readZone(&scanner), scanner.isAtEnd else { return nil }
  }

  private mutating func readTime(_ scanner: inout Scanner) -> Bool {
    guard let hour = scanner.number(digits: 2), scanner.skip(":"),
      let minute = scanner.number(digits: 2), hour <= 24, minute <= 59
    else { return false }
    self.hour = hour
    self.minute = minute
    if scanner.skip(":") {
      guard let second = scanner.number(digits: 2), second <= 59 else { return false }
      self.second = second
      format = day == nil ? .HMS : .YMD_HMS
      if scanner.skip(".") {
        let start = scanner.position
        guard let nanosecond = scanner.nanosecond() else { return false }
        self.nanosecond = nanosecond
        if scanner.position - start > 3 {
          fraction = unsafe String(decoding: scanner.bytes[start..<scanner.position], as: UTF8.self)
        }
        format = day == nil ? .HMSS : .YMD_HMSS
      }
    }
    // 24:00 is the end of the day; no later time is valid.
    return hour < 24 || (minute == 0 && second == 0 && nanosecond == 0)
  }

  private mutating func readZone(_ scanner: inout Scanner) -> Bool {
    if scanner.isAtEnd { return true }
    while scanner.skip(" ") {}
    if scanner.skip("Z") || scanner.skip("z") {
      zoneOffset = 0
      return true
    }
    let isWest = scanner.skip("-")
    guard isWest || scanner.skip("+"), let hours = scanner.number(digits: 2), scanner.skip(":"),
      let minutes = scanner.number(digits: 2), hours <= 14, minutes <= 59
    else { return false }
    let offset = hours * 3600 + minutes * 60
    zoneOffset = isWest ? -offset : offset
    return true
  }

  /// The date in UTC; nil if the text has only a time.
  var date: Date? {
    guard let day else { return nil }
    let seconds =
      day.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second - (zoneOffset ?? 0)
      - Date.secondsFrom1970ToReference
    // A single division gives the double nearest to a time in milliseconds.
    let interval =
      fraction.isEmpty
      ? Double(seconds * 1000 + nanosecond / 1_000_000) / 1000
      : DateText.interval(seconds, fraction)
    return Date(timeIntervalSinceReferenceDate: interval)
  }

  /// Returns the double nearest to a number of seconds plus a decimal fraction.
  private static func interval(_ seconds: Int, _ fraction: String) -> Double {
    let isZero = fraction.utf8.allSatisfy { $0 == UInt8(ascii: "0") }
    if seconds >= 0 || isZero { return Double("\(seconds).\(fraction)") ?? Double(seconds) }
    return Double("-\(-seconds - 1).\(complement(of: fraction))") ?? Double(seconds)
  }

  /// Returns the digits of one minus a fraction, which is not zero.
  static func complement(of fraction: String) -> String {
    var digits = Array(fraction.utf8)
    let last = digits.lastIndex { $0 != UInt8(ascii: "0") } ?? 0
    for index in 0...last {
      digits[index] =
        UInt8(ascii: "0") + (index == last ? 10 : 9) - (digits[index] - UInt8(ascii: "0"))
    }
    return String(decoding: digits, as: UTF8.self)
  }
}

extension DateText {
  @safe private struct Scanner {
    let bytes: UnsafeRawBufferPointer
    var position = 0

    var isAtEnd: Bool { unsafe position == bytes.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard unsafe position < bytes.count, unsafe bytes[position] == UInt8(ascii: character) else {
        return false
      }
      position += 1
      return true
    }

    mutating func digit() -> Int? {
      guard unsafe position < bytes.count else { return nil }
      let value = unsafe bytes[position] &- UInt8(ascii: "0")
      guard value <= 9 else { return nil }
      position += 1
      return Int(value)
    }

    mutating func number(digits count: Int) -> Int? {
      var number = 0
      for _ in 0..<count {
        guard let digit = digit() else { return nil }
        number = number * 10 + digit
      }
      return number
    }

    mutating func day() -> CivilDate? {
      guard let year = number(digits: 4), skip("-"), let month = number(digits: 2), skip("-"),
        let day = number(digits: 2)
      else { return nil }
      return CivilDate(year: year, month: month, day: day)
    }

    /// Reads a decimal fraction of at least one digit; digits after the ninth are ignored.
    mutating func nanosecond() -> Int? {
      guard let first = digit() else { return nil }
      var fraction = first
      var unit = 100_000_000
      while let digit = digit() {
        if unit == 1 { continue }
        unit /= 10
        fraction = fraction * 10 + digit
      }
      return fraction * unit
    }
  }
}

// MARK: Writing

extension DateText {
  /// The length of `YYYY-MM-DD HH:MM:SS.SSS`.
  static var count: Int { 23 }

  /// Writes `YYYY-MM-DD HH:MM:SS.SSS` in UTC.
  /// - Parameter milliseconds: Milliseconds since 1970, in the years 0 to 9999.
  @safe static func write(milliseconds: Int, to buffer: UnsafeMutableBufferPointer<UInt8>) {
    var writer = unsafe Writer(buffer: buffer)
    let (dayNumber, time) = milliseconds.flooredDivision(by: 86_400_000)
    let day = CivilDate(daysSince1970: dayNumber)
    writer.put(day.year, digits: 4)
    writer.put("-")
    writer.put(day.month, digits: 2)
    writer.put("-")
    writer.put(day.day, digits: 2)
    writer.put(" ")
    writer.put(time / 3_600_000, digits: 2)
    writer.put(":")
    writer.put(time / 60_000 % 60, digits: 2)
    writer.put(":")
    writer.put(time / 1000 % 60, digits: 2)
    writer.put(".")
    writer.put(time % 1000, digits: 3)
  }

  @safe private struct Writer {
    let buffer: UnsafeMutableBufferPointer<UInt8>
    var position = 0

    mutating func put(_ character: Unicode.Scalar) {
      unsafe buffer[position] = UInt8(ascii: character)
      position += 1
    }

    mutating func put(_ number: Int, digits count: Int) {
      var rest = number
      for offset in (0..<count).reversed() {
        unsafe buffer[position + offset] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      }
      position += count
    }
  }
}

extension Int {
  fileprivate func flooredDivision(by divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
