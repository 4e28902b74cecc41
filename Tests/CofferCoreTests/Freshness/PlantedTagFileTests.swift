import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

/// Files that others put where the tags and the anchor of a database will be.
struct PlantedTagFileTests {
  private func expectRefusal(
    _ plant: (_ path: String, _ victim: String) -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for suffix in ["-tags", "-anchor.coffer-partial"] {
      let directory = try TemporaryDirectory()
      let (path, victim) = (directory.path("db"), directory.path("victim"))
      try InPlaceErrorTests.make(path, .raw([UInt8](repeating: 1, count: 32)))
      try Data("precious".utf8).write(to: URL(fileURLWithPath: victim))
      plant(path + suffix, victim)
      var configuration = Configuration()
      configuration.key = try .raw([UInt8](repeating: 1, count: 32))
      configuration.freshness = Freshness(anchor: .sidecar)
      #expect(throws: (any Error).self, sourceLocation: sourceLocation) {
        try DatabaseQueue(path: path, configuration: configuration)
      }
      #expect(
        FileManager.default.contents(atPath: victim) == Data("precious".utf8),
        sourceLocation: sourceLocation)
      // Without what was planted, it opens.
      unlink(path + suffix)
      try DatabaseQueue(path: path, configuration: configuration).close()
    }
  }

  @Test func `a second name of another file isn't written to`() throws {
    try expectRefusal { path, victim in link(victim, path) }
  }

  @Test func `a symbolic link isn't followed`() throws {
    try expectRefusal { path, victim in symlink(victim, path) }
  }

  @Test func `a pipe isn't waited for`() throws {
    try expectRefusal { path, _ in mkfifo(path, 0o666) }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
  func `a file of another user isn't written to`() throws {
    try expectRefusal { path, _ in
      close(open(path, O_RDWR | O_CREAT, 0o666))
      chown(path, 65534, 65534)
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
  func `a file of the database's owner, or beside a shared database, is used`() throws {
    for mode in [mode_t(0o600), 0o660] {
      let directory = try TemporaryDirectory()
      let path = directory.path("db")
      try InPlaceErrorTests.make(path, .raw([UInt8](repeating: 1, count: 32)))
      var configuration = Configuration()
      configuration.key = try .raw([UInt8](repeating: 1, count: 32))
      configuration.freshness = Freshness(anchor: .sidecar)
      try DatabaseQueue(path: path, configuration: configuration).close()
      chown(path, mode == 0o600 ? 65534 : 65533, 65534)
      chmod(path, mode)
      chown(path + "-tags", 65534, 65534)
      try DatabaseQueue(path: path, configuration: configuration).close()
    }
  }
}
