import Foundation

/// What drawings share: coordinates, and round numbers for axes.
enum Drawing {
  /// A coordinate with at most one decimal place.
  static func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    let whole = "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10)"
    return tenths % 10 == 0 ? whole : "\(whole).\(abs(tenths) % 10)"
  }

  /// A text in a drawing; its `y` is that of its middle.
  static func label(_ text: String, x: Double, y: Double, class name: String) -> HTML {
    HTML.element("text", ["x": number(x), "y": number(y + 4), "class": name]) { text }
  }

  /// At most `count` characters, of which the last says that some are missing.
  static func cut(_ text: String, _ count: Int) -> String {
    // Characters of a text can be as long as the text: its bytes are bounded, too.
    let prefix = text.utf8.count > 16 * count ? text.unicodeScalars.prefix(2 * count) : nil
    let text = prefix.map { String($0) } ?? text
    return text.count > count || prefix != nil ? text.prefix(count - 1) + "…" : text
  }
}

/// An axis from the smallest to the largest value, with marks at round numbers.
struct Axis: Equatable {
  struct Mark: Equatable {
    var value: Double
    var label: String
  }

  private(set) var lower: Double
  private(set) var upper: Double
  private(set) var marks: [Mark]

  /// The place of a value: 0 at the lower end, 1 at the upper one.
  func fraction(of value: Double) -> Double {
    // The difference of two numbers can be too large for one.
    let scale = (upper - lower).isFinite ? 1 : 0.5
    return (value * scale - lower * scale) / (upper * scale - lower * scale)
  }

  /// An axis without marks. The ends differ.
  init(exactly lower: Double, _ upper: Double) {
    (self.lower, self.upper, marks) = (lower, upper, [])
  }

  /// An axis of numbers, a little longer than from `low` to `high`, so that it ends at marks.
  /// - Parameter count: About how many marks it has.
  init(numbers low: Double, _ high: Double, count: Int = 5) {
    var (low, high) = (low, high)
    if low == high { (low, high) = low == 0 ? (0, 1) : (min(low, 0), max(high, 0)) }
    let step = Self.roundStep((high / 2 - low / 2) / Double(count) * 2)
    let (first, last) = ((low / step).rounded(.down), (high / step).rounded(.up))
    // Neighbors of very large numbers may have no number between them.
    guard step.isFinite, step > 0, (first * step).isFinite, (last * step).isFinite,
      last > first, last - first <= 100
    else {
      (lower, upper) = (low, high)
      marks = [low, high].map { Mark(value: $0, label: Self.text($0, step: 0)) }
      return
    }
    (lower, upper) = (first * step, last * step)
    marks = stride(from: first, through: last, by: 1).map {
      Mark(value: $0 * step, label: Self.text($0 * step, step: step))
    }
  }

  /// An axis of seconds since 1970, with marks at round times in UTC.
  init(seconds low: Double, _ high: Double, count: Int = 6) {
    let span = high - low
    (lower, upper) = span > 0 ? (low, high) : (low - 43_200, low + 43_200)
    let wanted = (upper - lower) / Double(count)
    let steps: [Double] = [
      1, 5, 15, 30, 60, 300, 900, 1800, 3600, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800,
    ]
    if let step = steps.first(where: { $0 >= wanted }) {
      let first = (lower / step).rounded(.up)
      marks = stride(from: first * step, through: upper, by: step).map { seconds in
        Mark(value: seconds, label: Self.text(time: seconds, step: step))
      }
      return
    }
    let months = max(1, Int((wanted / 2_629_746).rounded(.up)))
    let step =
      [1, 2, 3, 6, 12].first { $0 >= months } ?? 12 * Int(Self.roundStep(Double(months) / 12))
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let begin = calendar.dateComponents([.year, .month], from: Date(timeIntervalSince1970: lower))
    var month = (begin.year ?? 0) * 12 + (begin.month ?? 1) - 1
    month -= ((month % step) + step) % step
    marks = []
    while marks.count < 4 * count {
      let date = calendar.date(from: DateComponents(year: month / 12, month: month % 12 + 1))
      guard let date, date.timeIntervalSince1970 <= upper else { break }
      if date.timeIntervalSince1970 >= lower {
        let name = Date.ISO8601FormatStyle().year().month().dateSeparator(.dash).format(date)
        marks.append(
          Mark(value: date.timeIntervalSince1970, label: step < 12 ? name : String(name.prefix(4))))
      }
      month += step
    }
  }

  /// The next of 1, 2, 5, 10, …, and their tenths.
  private static func roundStep(_ value: Double) -> Double {
    let power = pow(10, floor(log10(value)))
    return ([1, 2, 5].first { $0 * power >= value * 0.999 } ?? 10) * power
  }

  /// A number with thousands, millions and so on as letters where it is a mark of large steps.
  private static func text(_ value: Double, step: Double) -> String {
    if value == 0 { return "0" }
    guard abs(value) < 1e15, abs(value) >= 1e-6 else { return String(format: "%.3g", value) }
    let units: [(Double, String)] = [(1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")]
    let unit = units.first { step >= $0.0 || (abs(value) >= 1e5 && abs(value) >= $0.0) } ?? (1, "")
    let scaled = step / unit.0
    let digits = step > 0 && scaled < 1 ? min(9, Int((-log10(scaled)).rounded(.up))) : 0
    return String(format: "%.\(digits)f", value / unit.0) + unit.1
  }

  private static func text(time seconds: Double, step: Double) -> String {
    let date = Date(timeIntervalSince1970: seconds)
    if step >= 86_400 { return date.formatted(.iso8601.year().month().day()) }
    let isDay = seconds.truncatingRemainder(dividingBy: 86_400) == 0
    if isDay { return date.formatted(.iso8601.month().day()) }
    let time = date.formatted(.iso8601.time(includingFractionalSeconds: false))
    return step < 60 ? time : String(time.prefix(5))
  }
}
