import CofferArchive

/// What is shown of a session on the error output: one line on a terminal, and elsewhere a line for
/// each error that is another one than before.
struct ArchiveStatusLine {
  private let console: Console
  private var lastError: String?
  /// What the line shows.
  private var shown = ""

  init(_ console: Console) { self.console = console }

  /// Whether one line is overwritten.
  var isOverwritten: Bool { console.redrawsErrors }

  mutating func show(_ status: ArchiveStatus) {
    if let error = status.lastError { return show(error) }
    if lastError != nil, !isOverwritten { console.error("coffer: the archive goes on") }
    lastError = nil
    draw(Self.text(status))
  }

  mutating func show(_ follower: ArchiveFollower) {
    if let error = follower.lastError { return show(error) }
    if lastError != nil, !isOverwritten { console.error("coffer: the archive is followed again") }
    lastError = nil
    let commit = follower.commit
    draw("Followed: commit \(commit.number) of \(commit.dateText)")
  }

  /// Shows the error of an attempt that is followed by another one.
  mutating func show(_ error: any Error) {
    var text = ToolError(error).description
    if text.hasSuffix(".") { text.removeLast() }
    if text != lastError, !isOverwritten { console.error("coffer: \(text). It is tried again") }
    lastError = text
    draw(text)
  }

  /// Removes the line.
  func clear() {
    if isOverwritten { console.writeError("\r\u{1B}[K") }
  }

  private mutating func draw(_ text: String) {
    guard isOverwritten, text != shown else { return }
    shown = text
    // One column stays free, since a full line would wrap.
    let width = min(console.resized.width, console.isTerminal ? .max : 80) - 1
    console.writeError("\r\(text.printable.cut(to: width))\u{1B}[K")
  }

  private static func text(_ status: ArchiveStatus) -> String {
    var parts: [String] = []
    if let archived = status.archived {
      parts.append("commit \(archived.number) of \(archived.dateText)")
    }
    if let progress = status.progress {
      parts.append("all pages: \(Int(progress * 100)) %")
    } else if status.archived == nil {
      parts.append("all pages: 0 %")
    }
    if status.waitingByteCount > 0 {
      let size = Numbers.mebibytes(fromKibibytes: status.waitingByteCount / 1_024)
      parts.append("\(size) wait for \(Numbers.age(status.lag))")
    }
    if status.gapCount > 0 { parts.append(Numbers.count(status.gapCount, "gap")) }
    return "Archived: " + parts.joined(separator: ", ")
  }
}
