import CofferBrowse
import Foundation
import Glibc

/// A line for each request of pages, without names, values and secrets.
struct BrowseLog: Sendable {
  /// It stays open until the process ends.
  private let file: CInt

  /// - Returns: Nil without `--log`.
  init?(_ invocation: Invocation, _ opening: Opening) throws {
    guard let path = invocation.value("log") else { return nil }
    guard path != "-" else {
      file = STDOUT_FILENO
      return
    }
    if let objection = opening.objection(toWriting: path) {
      throw ToolError(.usage, "--log \(path) \(objection). Name another file")
    }
    file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      throw ToolError(
        .cantCreate, "\(path): \(String(cString: strerror(errno))). Check the folder and its rights"
      )
    }
  }

  /// Writes a line; callable from any thread.
  func add(_ request: BrowsedRequest) {
    let words = [
      Date().formatted(.iso8601),
      ["GET", "HEAD", "POST"].contains(request.method) ? request.method : "-",
      Self.page(request.path ?? "?"), "\(request.status)",
      "\(Int(request.time / .milliseconds(1)))", "ms",
    ]
    // A full disk is no reason to show no page.
    _ = Console.writeAll(Array((words.joined(separator: " ") + "\n").utf8), to: file)
  }

  /// The kind of page, such as `/table` or `/at/7/row`; `-` for what is no page, as that could be
  /// anything.
  private static func page(_ path: String) -> String {
    let names: Set<Substring> = [
      "", "schema", "object", "table", "row", "cell", "picture", "query", "stop", "check", "events",
      "style.css", "script.js", "archive", "open", "compare",
    ]
    let commit = path.prefixMatch(of: /at\/[0-9]{1,20}\//)
    return names.contains(path[(commit?.range.upperBound ?? path.startIndex)...]) ? "/" + path : "-"
  }
}
