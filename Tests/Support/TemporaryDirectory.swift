import Foundation

/// A new, empty directory, deleted with all that is in it when the last reference goes.
package final class TemporaryDirectory: Sendable {
  package let path: String

  package init() throws {
    path =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("coffer-tests-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    // A test may have left a folder in it that can't be written to; root can.
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Has the directory deleted when the process ends: a global is never released.
  package func staysUntilExit() {
    if TemporaryDirectory.kept.changing({
      $0.append(path); return $0.count == 1
    }) {
      atexit {
        for path in TemporaryDirectory.kept.value {
          try? FileManager.default.removeItem(atPath: path)
        }
      }
    }
  }

  private static let kept = Locked<[String]>([])

  /// The path of a file in the directory, which need not exist.
  package func path(_ name: String) -> String {
    "\(path)/\(name)"
  }

  /// Writes a file, and returns its path.
  package func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }

  /// The names of what is in the directory, in order.
  package func contents() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }
}
