import CofferTestSupport
import Foundation
import Testing

@testable import Coffer
@testable import CofferArchive
@testable import CofferCore
@testable import CofferVault

/// What an archive has to reach at least, by a commit, a date or an anchor.
@Suite struct ArchiveEndTests {
  /// An archive whose last segments the newest manifest doesn't know of, and its last commit.
  private static func made() throws -> (fixture: ArchiveFixture, last: ArchiveCommit) {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    var last: ArchiveCommit?
    for _ in 0..<5 {
      fixture.clock.advance(7)
      try fixture.write()
      try fixture.archiveNow(session)
      last = session.status.archived
    }
    let objects = fixture.destination.objects
    try session.stop()
    fixture.destination.objects = objects
    return (fixture, try #require(last))
  }

  private static func dropEnd(_ fixture: ArchiveFixture) throws {
    let last = try #require(fixture.destination.names.last { $0.hasPrefix("log/") })
    fixture.destination.objects[last] = nil
  }

  @Test(arguments: [true, false])
  func `an archive that has lost its end isn't taken for a whole one`(isDate: Bool) throws {
    let (fixture, last) = try Self.made()
    let minimum = isDate ? ArchiveMinimum.date(last.date) : .commit(last.number)
    let (archive, key) = (fixture.archive, try ArchiveFixture.key)
    let target = fixture.folder.path("restored.db")
    #expect(try archive.restore(to: target, atLeast: [minimum], key: key) == last)
    let whole = try archive.verification(atLeast: [minimum], key: key)
    #expect(whole.findings == [] && whole.last == last)
    let copy = fixture.folder.path("copy.db")
    let follower = try ArchiveFollower(archive, path: copy, atLeast: [minimum], key: key)
    #expect(try follower.follow() == last)
    try follower.close()

    try Self.dropEnd(fixture)
    #expect(try archive.verify(key: key) == [])
    let before = try #require(try archive.summary(key: key).last)
    #expect(before.number == last.number - 1)
    let value: ArchiveMinimum.Value = isDate ? .date(last.date) : .commit(last.number)
    let error = ArchiveError.notReached(value, last: before)
    #expect(try archive.verify(atLeast: [minimum], key: key) == [error])
    let other = fixture.folder.path("other.db")
    for point in [ArchivePoint.latest, .commit(1)] {
      #expect(throws: error) {
        try archive.restore(to: other, at: point, atLeast: [minimum], key: key)
      }
    }
    #expect(throws: error) {
      try ArchiveFollower(archive, path: other, atLeast: [minimum], key: key)
    }
    #expect(try !fixture.folder.contents().contains { $0.hasPrefix("other.db") })
    #expect(error.description.contains("commit \(before.number) of \(before.dateText)"))
    #expect(try archive.restore(to: other, key: key) == before)
  }

  @Test func `a date is reached by a commit of the same millisecond`() throws {
    let (fixture, last) = try Self.made()
    let archive = fixture.archive
    let key = try ArchiveFixture.key
    let reached = [last.date, last.date + 0.0004, last.date - 60]
    #expect(try archive.verify(atLeast: reached.map { .date($0) }, key: key) == [])
    let later = last.date + 0.001
    #expect(
      try archive.verify(atLeast: [.date(last.date), .date(later)], key: key)
        == [.notReached(.date(later), last: last)])
  }

  @Test func `an archive without a commit reaches nothing`() throws {
    let fixture = try ArchiveFixture()
    fixture.destination.fail { $0 == "put" && $1.hasPrefix("layer/") }
    let session = try fixture.start()
    #expect(throws: MemoryDestination.Failure.self) { try session.archiveNow() }
    #expect(
      try fixture.archive.verify(atLeast: [.commit(1)], key: ArchiveFixture.key)
        == [.notReached(.commit(1), last: nil)])
    try? session.stop()
  }

  // MARK: Anchors

  /// A database with an anchor.
  private struct Anchored {
    let fixture: ArchiveFixture
    var anchor: FileAnchor { FileAnchor(path: fixture.folder.path("anchor")) }
    var minimum: ArchiveMinimum { .anchor(anchor) }

    func open(_ interval: Duration = .seconds(1)) throws -> DatabasePool {
      try ArchiveFixture.open(fixture.path) {
        var freshness = Freshness(anchor: anchor)
        freshness.minimumInterval = interval
        $0.freshness = freshness
      }
    }

    /// Writes and archives, and closes the pool.
    func archived(_ archive: Archive? = nil) throws -> ArchiveCommit {
      fixture.pool = try open()
      let session = try (archive ?? fixture.archive).start(fixture.pool)
      try fixture.write()
      let last = try session.archiveNow()
      try session.stop()
      try fixture.pool.close()
      return last
    }

    /// The size of the anchor, in bytes.
    func size() throws -> Int { try Data(contentsOf: URL(fileURLWithPath: anchor.path)).count }

    init() throws {
      fixture = try ArchiveFixture()
      try fixture.pool.close()
    }
  }

  @Test func `an anchor knows the last commit that was archived, also after other commits`() throws
  {
    let anchored = try Anchored()
    let fixture = anchored.fixture
    let key = try ArchiveFixture.key
    _ = try anchored.archived()
    let objects = fixture.destination.objects
    let last = try anchored.archived()
    for _ in 0..<2 {
      #expect(try fixture.archive.verify(atLeast: [anchored.minimum], key: key) == [])
      let older = Archive(MemoryDestination(objects), configuration: fixture.configuration)
      let before = try #require(try older.summary(key: key).last)
      #expect(
        try older.verify(atLeast: [anchored.minimum], key: key)
          == [.notReached(.commit(last.number), last: before)])
      // Without a session.
      fixture.pool = try anchored.open()
      try fixture.write()
      try fixture.pool.close()
    }
    let target = fixture.folder.path("restored.db")
    #expect(
      try fixture.archive.restore(to: target, atLeast: [anchored.minimum], key: key) == last)
  }

  @Test func `an open database's anchor follows the archive`() throws {
    let anchored = try Anchored()
    let fixture = anchored.fixture
    fixture.pool = try anchored.open(.milliseconds(1))
    let session = try fixture.start()
    let key = try fixture.derivedKey()
    for _ in 0..<3 {
      try fixture.write()
      let last = try session.archiveNow()
      let deadline = ContinuousClock.now + .seconds(20)
      while ContinuousClock.now < deadline,
        try anchored.anchor.archivedEnd(forDatabaseAt: fixture.path, key: key)?.commit
          != last.number
      {
        usleep(1_000)
      }
      let end = try anchored.anchor.archivedEnd(forDatabaseAt: fixture.path, key: key)
      #expect(end?.commit == last.number && end?.date == last.date.archivedMilliseconds)
    }
    try session.stop()
    try fixture.pool.close()
  }

  @Test func `an anchor of the older form opens its database, and the other way round`() throws {
    let anchored = try Anchored()
    let fixture = anchored.fixture
    let key = try ArchiveFixture.key
    try anchored.open().close()
    #expect(try anchored.size() == FreshnessState.byteCount)
    _ = try anchored.archived()
    #expect(throws: FreshnessError.anchorMissing) {
      try fixture.archive.verify(
        atLeast: [.anchor(FileAnchor(path: fixture.folder.path("none")))], key: key)
    }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: anchored.anchor.path))
    #expect(bytes.count == 2 * FreshnessState.byteCount)
    // The state alone is what earlier versions wrote, and read.
    try bytes.prefix(FreshnessState.byteCount).write(
      to: URL(fileURLWithPath: anchored.anchor.path))
    #expect(
      try fixture.archive.verify(atLeast: [anchored.minimum], key: key) == [.notInAnchor])
    try anchored.open().close()
    _ = try anchored.archived()
    #expect(try fixture.archive.verify(atLeast: [anchored.minimum], key: key) == [])
  }

  @Test func `an anchor says nothing of another archive`() throws {
    let anchored = try Anchored()
    let fixture = anchored.fixture
    let other = Archive(MemoryDestination(), configuration: fixture.configuration)
    _ = try anchored.archived(other)
    _ = try anchored.archived()
    let key = try ArchiveFixture.key
    #expect(try fixture.archive.verify(atLeast: [anchored.minimum], key: key) == [])
    #expect(try other.verify(atLeast: [anchored.minimum], key: key) == [.notInAnchor])
  }

  @Test func `an anchor whose archived commit was changed knows none`() throws {
    let anchored = try Anchored()
    let fixture = anchored.fixture
    _ = try anchored.archived()
    let url = URL(fileURLWithPath: anchored.anchor.path)
    let bytes = try Data(contentsOf: url)
    for offset in stride(from: FreshnessState.byteCount, to: bytes.count, by: 7) {
      var changed = bytes
      changed[offset] ^= 1
      try changed.write(to: url)
      #expect(
        try fixture.archive.verify(atLeast: [anchored.minimum], key: ArchiveFixture.key)
          == [.notInAnchor], "byte \(offset)")
    }
  }

  @Test func `accepting a database keeps what its anchor knows of the archive`() throws {
    let anchored = try Anchored()
    let fixture = anchored.fixture
    _ = try anchored.archived()
    let key = try ArchiveFixture.key
    try Freshness(anchor: anchored.anchor).accept(databaseAt: fixture.path, key: key)
    #expect(try fixture.archive.verify(atLeast: [anchored.minimum], key: key) == [])
    try anchored.open().close()
    #expect(try fixture.archive.verify(atLeast: [anchored.minimum], key: key) == [])
  }

  @Test func `an anchor goes back only with an archive that has all commits`() throws {
    let anchored = try Anchored()
    let fixture = anchored.fixture
    _ = try anchored.archived()
    let objects = fixture.destination.objects
    var last: ArchiveCommit?
    for _ in 0..<3 { last = try anchored.archived() }
    // The archive is put back, and a session ends before it has archived anything.
    fixture.destination.objects = objects
    let key = try ArchiveFixture.key
    fixture.pool = try anchored.open()
    fixture.destination.fail { $0 == "put" && !$1.hasPrefix("manifest/") }
    let session = try fixture.start()
    #expect(throws: (any Error).self) { try session.archiveNow() }
    try? session.stop()
    try fixture.pool.close()
    fixture.destination.fail { _, _ in false }
    let number = try #require(last?.number)
    #expect(
      try fixture.archive.verify(atLeast: [anchored.minimum], key: key).contains {
        if case .notReached(.commit(number), _) = $0 { true } else { false }
      })
    _ = try anchored.archived()
    #expect(try fixture.archive.verify(atLeast: [anchored.minimum], key: key) == [])
  }
}
