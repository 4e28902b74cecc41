import CofferExpectations
import CofferTestSupport
import Dispatch
import Foundation
import Testing

@testable import Coffer
@testable import CofferArchive
@testable import CofferCore

@Suite struct ArchiveGapTests {
  /// A session whose log may have so many bytes.
  private static func fixture(_ size: Int) throws -> ArchiveFixture {
    try ArchiveFixture { $0.maximumLogSize = size }
  }

  @Test func `the last commit is the reported one, also where no segment follows a gap`() throws {
    let fixture = try Self.fixture(40_000)
    let session = try fixture.start()
    try fixture.write()
    try fixture.archiveNow(session)
    try fixture.write(200)
    let number = try fixture.archiveNow(session)
    #expect(try fixture.manifest().gaps.count == 2)
    let restored = try fixture.restored()
    #expect(restored.commit.number == number)
    #expect(restored.content == fixture.contents[number])
    #expect(try fixture.archive.summary(key: ArchiveFixture.key).last?.number == number)
    try session.stop()
    #expect(try fixture.restored().commit.number == number)
  }

  @Test func `history that is let go is counted at once, while the destination is away`() throws {
    let fixture = try Self.fixture(40_000)
    let session = try fixture.start()
    try fixture.write()
    try fixture.archiveNow(session)
    #expect(session.status.gapCount == 0)
    fixture.destination.fail { _, _ in true }
    try fixture.write(200)
    #expect(throws: (any Error).self) { try session.archiveNow() }
    #expect(session.status.gapCount == 1)
    fixture.destination.fail { _, _ in false }
    try fixture.archiveNow(session)
    #expect(session.status.gapCount == 1)
    try session.stop()
  }

  @Test(arguments: [false, true])
  func `a gap whose manifest can't be stored at first is no bridge`(isStored: Bool) throws {
    let fixture = try Self.fixture(40_000)
    let session = try fixture.start()
    try fixture.write()
    try fixture.archiveNow(session)
    try fixture.write(200)
    fixture.destination.fail(storing: isStored) { $0 == "put" && $1.hasPrefix("manifest/") }
    #expect(throws: MemoryDestination.Failure.self) { try session.archiveNow() }
    fixture.destination.fail { _, _ in false }
    for _ in 0..<3 {
      try fixture.write()
      try fixture.archiveNow(session)
    }
    try session.stop()
    try fixture.checkContents()
    #expect(try fixture.archive.verify(key: ArchiveFixture.key) == [])
  }

  @Test func `a log that grows too long while a commit's part is being stored costs one gap`()
    throws
  {
    let fixture = try ArchiveFixture {
      $0.maximumLogSize = 400_000
      $0.limits = CommitCapture.Limits(pieceSize: 5 * 4_100, pieceCount: 1)
    }
    let session = try fixture.start()
    try fixture.write()
    try fixture.archiveNow(session)
    try fixture.write(200)
    // The destination stores a part of the commit, but says that it has failed.
    fixture.destination.fail(storing: true) { $0 == "put" && $1.hasPrefix("log/") }
    #expect(throws: MemoryDestination.Failure.self) { try session.archiveNow() }
    try fixture.write(600)
    #expect(throws: (any Error).self) { try session.archiveNow() }
    fixture.destination.fail { _, _ in false }
    try fixture.write()
    try fixture.archiveNow(session)
    try fixture.write()
    try fixture.archiveNow(session)
    #expect(session.status.isRunning)
    try session.stop()
    try fixture.checkContents()
  }

  @Test func `a failed read of the log blocks no later commit`() throws {
    let fixture = try ArchiveFixture { $0.maximumLogSize = 40_000 }
    let session = try fixture.start()
    try fixture.write()
    try fixture.archiveNow(session)
    try fixture.write()
    // The file can't be opened by its name for a moment; connections have it open.
    let wal = fixture.path + "-wal"
    try FileManager.default.moveItem(atPath: wal, toPath: wal + "-away")
    _ = try? session.archiveNow()
    try FileManager.default.moveItem(atPath: wal + "-away", toPath: wal)
    try fixture.write(200)
    try fixture.archiveNow(session)
    for _ in 0..<3 {
      let before = fixture.contents.keys.max() ?? 0
      try fixture.write()
      #expect(try fixture.archiveNow(session) > before)
    }
    try session.stop()
    try fixture.checkContents()
  }

  @Test func `gaps while others write are where they are said to be`() throws {
    let fixture = try Self.fixture(8_000_000)
    fixture.pool = try ArchiveFixture.open(fixture.path) {
      $0.checkpointPolicy = CheckpointPolicy(automaticPageCount: 1, maximumPageCount: 100)
    }
    let session = try fixture.start()
    let group = DispatchGroup()
    let pool = fixture.pool
    let isDone = Locked(false)
    detachThread(group: group) {
      while !isDone.value {
        try pool.write { try $0.execute(sql: "INSERT INTO item (text) VALUES ('x')") }
      }
    }
    for _ in 0..<trialCount(5) {
      session.capture?.letGo()
      _ = try session.archiveNow()
      #expect(throws: Never.self) { try fixture.archive.summary(key: ArchiveFixture.key) }
      #expect(throws: Never.self) { try fixture.restored() }
    }
    isDone.set(true)
    group.wait()
    try session.stop()
    #expect(try fixture.archive.verify(key: ArchiveFixture.key) == [])
  }
}
