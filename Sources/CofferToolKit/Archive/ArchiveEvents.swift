import CofferArchive
import Foundation

/// What a run tells of itself: lines for each event, signs of life for a service manager, and
/// figures in a file.
struct ArchiveEvents {
  private let console: Console
  private let target: String
  /// The form of the lines; nil for none.
  private let form: String?
  private let metrics: String?
  private let manager = ServiceManager()
  private var lastSign: ContinuousClock.Instant?
  private var lastMetrics: ContinuousClock.Instant?
  private var lastStatus = ""
  private var lastError: String?
  private var gapCount = 0

  init(_ invocation: Invocation, target: String, _ console: Console) throws {
    self.console = console
    self.target = target
    form = invocation.value("log")
    metrics = invocation.value("metrics")
    guard form.map({ ["text", "json"].contains($0) }) ?? true else {
      throw ToolError(.usage, "--log takes text or json, and not \((form ?? "").printable)")
    }
  }

  /// Tells that the archive has begun.
  mutating func start() {
    manager?.send("READY=1")
    tell("start", "the archive is \(target)")
  }

  /// Tells what is new. Called about once a second.
  mutating func show(_ status: ArchiveStatus, databaseAt path: String) {
    if status.gapCount > gapCount { tell("gap", "history was let go: gap \(status.gapCount)") }
    gapCount = status.gapCount
    let error = status.lastError.map { ToolError($0).description }
    if let error, error != lastError { tell("error", error) }
    if error == nil, lastError != nil { tell("recovered", "the archive goes on") }
    lastError = error
    sign(status)
    guard let metrics, lastMetrics.map({ .now - $0 >= .seconds(10) }) ?? true else { return }
    lastMetrics = .now
    var figures = ArchiveMetrics(target: target)
    figures.add(ArchiveSession.report(ofDatabaseAt: path))
    do { try figures.write(to: metrics) } catch { tell("error", "\(error)") }
  }

  private mutating func sign(_ status: ArchiveStatus) {
    guard let manager else { return }
    let commit = status.archived.map { "commit \($0.number)" } ?? "no commit yet"
    let text = lastError ?? "archived: \(commit)"
    if text != lastStatus {
      manager.send("STATUS=\(text.split(separator: "\n").first ?? "")")
      lastStatus = text
    }
    guard let watchdog = manager.watchdog, lastSign.map({ .now - $0 >= watchdog }) ?? true else {
      return
    }
    manager.send("WATCHDOG=1")
    lastSign = .now
  }

  /// Tells that the run ends.
  mutating func stop() { manager?.send("STOPPING=1") }

  /// Tells how the run has ended.
  mutating func end(_ error: (any Error)?) {
    tell("end", error.map { ToolError($0).description } ?? "all commits are archived")
  }

  private func tell(_ event: String, _ text: String) {
    guard let form else { return }
    let date = Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    if form == "json" {
      console.logError(
        "{\"time\":\"\(date)\",\"event\":\"\(event)\",\"target\":\(JSONRows.quoted(target)),"
          + "\"message\":\(JSONRows.quoted(text))}")
    } else {
      console.logError("\(date) \(event): \(text)")
    }
  }
}
