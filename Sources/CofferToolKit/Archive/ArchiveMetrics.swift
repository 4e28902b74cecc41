import Coffer
import CofferArchive
import CofferCore
import Foundation

/// The figures of an archive in the text format of Prometheus, for a node exporter's folder.
///
/// See <https://prometheus.io/docs/instrumenting/exposition_formats/>.
struct ArchiveMetrics {
  /// The label of each figure.
  let target: String
  private var lines: [String] = []

  init(target: String) { self.target = target }

  /// Adds a figure.
  mutating func add(_ name: String, _ help: String, _ value: Double, type: String = "gauge") {
    let label = target.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      .replacing("\n", with: "\\n")
    lines += [
      "# HELP coffer_archive_\(name) \(help)", "# TYPE coffer_archive_\(name) \(type)",
      "coffer_archive_\(name){target=\"\(label)\"} \(value)",
    ]
  }

  /// Adds what a session tells.
  mutating func add(_ report: ArchiverReport?) {
    add("up", "Whether a process archives the database.", report == nil ? 0 : 1)
    guard let report else { return }
    add(
      "last_current_seconds", "When the archive last had all commits, in seconds since 1970.",
      report.lastCurrent.timeIntervalSince1970)
    add("waiting_bytes", "Bytes that wait for the archive.", Double(report.waitingByteCount))
    add(
      "gaps_total", "Gaps that the process has made.", Double(report.gapCount), type: "counter")
    add("failing", "Whether the last attempt has failed.", report.error == nil ? 0 : 1)
    if let commit = report.commit { add("commit", "The last archived commit.", Double(commit)) }
  }

  /// Replaces a file.
  func write(to path: String) throws {
    let file = try PendingFile(for: path)
    try file.write(Array((lines.joined(separator: "\n") + "\n").utf8))
    try file.moveToTarget(replaces: true)
  }
}
