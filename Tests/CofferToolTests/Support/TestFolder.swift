import Foundation

/// A new, empty folder, deleted with all that is in it when the last reference goes.
final class TestFolder: Sendable {
  let path: String

  init() throws {
    path =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("coffer-tool-tests-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func path(_ name: String) -> String { "\(path)/\(name)" }

  func contents() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  /// Writes a file, and gives its path.
  func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }
}

/// The list of packages among the fixtures.
let dpkgStatusFixture = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent()  // Support
  .deletingLastPathComponent()  // CofferToolTests
  .deletingLastPathComponent()  // Tests
  .appendingPathComponent("Fixtures/dpkg-status").path
