import Coffer
import CofferArchive
import CofferCore
import Foundation

/// The figures of archives in the text format of Prometheus, for a node exporter's folder.
///
/// See <https://prometheus.io/docs/instrumenting/exposition_formats/>.
struct ArchiveMetrics {
  private struct Figure {
    let name: String
    let help: String
    let type: String
    var samples: [String] = []
  }

  private var figures: [Figure] = []
  /// The labels of the figures that are added next.
  private var labels = ""

  init(target: String) { setLabels([("target", target)]) }

  /// Figures of several databases: ``begin(target:database:)`` comes before those of each.
  init() {}

  /// Labels what follows.
  mutating func begin(target: String, database: String) {
    setLabels([("database", database), ("target", target)])
  }

  private mutating func setLabels(_ pairs: [(name: String, value: String)]) {
    let texts = pairs.map { pair in
      let value = pair.value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        .replacing("\n", with: "\\n")
      return "\(pair.name)=\"\(value)\""
    }
    labels = "{" + texts.joined(separator: ",") + "}"
  }

  /// Adds a figure.
  mutating func add(_ name: String, _ help: String, _ value: Double, type: String = "gauge") {
    // All samples of one figure stand together.
    let index = figures.firstIndex { $0.name == name } ?? figures.endIndex
    if index == figures.endIndex { figures.append(Figure(name: name, help: help, type: type)) }
    figures[index].samples.append("coffer_archive_\(name)\(labels) \(value)")
  }

  /// Adds what a session tells.
  mutating func add(_ report: ArchiverReport?) {
    add("up", "Whether a process archives the database.", report == nil ? 0 : 1)
    guard let report else { return }
    add(
      "last_current_seconds", "When the archive last had all commits, in seconds since 1970.",
      report.lastCurrent.timeIntervalSince1970)
    add("waiting_bytes", "Bytes that wait for the archive.", Double(report.waitingByteCount))
    if let count = report.waitingCommitCount {
      add("waiting_commits", "Commits that wait for the archive.", Double(count))
    }
    add(
      "gaps_total", "Gaps that the process has made.", Double(report.gapCount), type: "counter")
    add("failing", "Whether the last attempt has failed.", report.error == nil ? 0 : 1)
    if let commit = report.commit { add("commit", "The last archived commit.", Double(commit)) }
  }

  /// Replaces a file.
  func write(to path: String) throws {
    let lines = figures.flatMap { figure in
      [
        "# HELP coffer_archive_\(figure.name) \(figure.help)",
        "# TYPE coffer_archive_\(figure.name) \(figure.type)",
      ] + figure.samples
    }
    let file = try PendingFile(for: path)
    try file.write(Array((lines.joined(separator: "\n") + "\n").utf8))
    try file.moveToTarget(replaces: true)
  }
}
