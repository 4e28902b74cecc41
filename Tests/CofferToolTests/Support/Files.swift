import CofferTestSupport
import Foundation

extension TemporaryDirectory {
  /// Writes a file, and returns its path.
  func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }
}

/// The path of the fixture with a list of packages.
let dpkgStatusFixture = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent()  // Support
  .deletingLastPathComponent()  // CofferToolTests
  .deletingLastPathComponent()  // Tests
  .appendingPathComponent("Fixtures/dpkg-status").path
