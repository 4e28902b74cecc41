/// Shows the progress of a job: as a bar where lines can be overwritten, as a few plain lines
/// elsewhere.
struct ProgressBar {
  private static let barWidth = 24

  private let console: Console
  private let title: String
  /// The total amount of work, in any unit; nil if it isn't known.
  private let total: Int?
  private var lastPercent = -1
  private var lastDraw: ContinuousClock.Instant?

  init(_ title: String, total: Int?, console: Console) {
    self.title = title
    self.total = total.map { max($0, 1) }
    self.console = console
  }

  /// Shows the amount of work that is done. It is cheap enough to call for each item.
  mutating func advance(to done: Int, note: @autoclosure () -> String) {
    let percent = total.map { min(100, done * 100 / $0) }
    if console.redraws {
      draw(percent: percent, note: note())
    } else if let percent, percent / 25 > lastPercent / 25, percent >= 25 {
      console.line("  \(title): \(percent / 25 * 25) %")
    }
    lastPercent = max(lastPercent, percent ?? 0)
  }

  /// Removes the bar. Later output takes its place.
  func finish() {
    if console.redraws { console.write("\r\u{1B}[K") }
  }

  private mutating func draw(percent: Int?, note: @autoclosure () -> String) {
    let now = ContinuousClock.now
    if let lastDraw, now - lastDraw < .milliseconds(40), percent != 100 { return }
    if percent == 100, lastPercent == 100 { return }
    lastDraw = now
    var text = "  \(title) "
    if let percent {
      let filled = percent * Self.barWidth / 100
      text += String(repeating: "█", count: filled)
      text += String(repeating: "░", count: Self.barWidth - filled)
      text += " " + "\(percent) %".paddedLeft(to: 5)
    }
    // One column stays free, since a full line would wrap.
    console.write("\r\((text + "  " + note()).cut(to: console.width - 1))\u{1B}[K")
  }
}
