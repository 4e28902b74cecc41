import CofferTestSupport
import Foundation
import Testing

@testable import Coffer
@testable import CofferArchive
@testable import CofferCore

/// Two writers by mistake, and what a prune leaves to the other one.
struct ArchiveTakeoverTests {
  /// A fixture with an archive, its writer, and a copy of the database that differs from it.
  private func writers() throws -> (ArchiveFixture, first: ArchiveSession, copy: DatabasePool) {
    let fixture = try ArchiveFixture()
    try fixture.makeWideRows(10)
    let first = try fixture.start()
    try fixture.set([1, 2], 1)
    try fixture.archiveNow(first)
    let path = fixture.folder.path("copy.db")
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: fixture.path + suffix, toPath: path + suffix)
    }
    let copy = try ArchiveFixture.open(path)
    try copy.write { try $0.execute(sql: "UPDATE item SET text = 'second'") }
    try copy.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    return (fixture, first, copy)
  }

  @Test(arguments: [("put", "log/", false), ("put", "log/", true), ("put", "manifest/", true)])
  func `a takeover that failed halfway keeps the writer before from going on, too`(
    call: String, prefix: String, isStored: Bool
  ) throws {
    let (fixture, first, copy) = try writers()
    let takingOver = ArchiveFixture.archived(fixture, to: fixture.destination) {
      $0.takesOver = true
    }
    fixture.destination.fail(storing: isStored) { $0 == call && $1.hasPrefix(prefix) }
    #expect(throws: MemoryDestination.Failure.self) { try takingOver.start(copy) }
    fixture.destination.fail { _, _ in false }
    let second = try takingOver.start(copy)
    fixture.contents[try second.archiveNow().number] = try ArchiveFixture.content(of: copy)
    for value in 2...4 {
      try fixture.set([1, value], value)
      #expect(throws: ArchiveError.superseded) { try first.archiveNow() }
    }
    try copy.write { try $0.execute(sql: "INSERT INTO item (text) VALUES ('third')") }
    fixture.contents[try second.archiveNow().number] = try ArchiveFixture.content(of: copy)
    try second.stop()
    try fixture.checkContents()
    #expect(try fixture.restored().content == ArchiveFixture.content(of: copy))
    #expect(try fixture.archive.verify(key: ArchiveFixture.key) == [])
  }

  @Test func `a segment of an older writer behind a newer writer's layer is no commit`() throws {
    let fixture = try ArchiveFixture()
    let first = try fixture.start()
    try fixture.archiveNow(first)
    try first.stop()
    let second = try fixture.start()
    try fixture.write()
    try fixture.archiveNow(second)
    try second.stop()
    let manifest = try fixture.manifest()
    let reader = try ArchiveReader(
      fixture.destination, key: ArchiveFixture.key, settings: .default, path: "")
    let (segment, _) = try #require(try reader.segment(manifest.tip.sequence - 1))
    var changes = CommitChanges(
      after: segment.firstCommit - 1, upTo: .max, fence: segment.fence + 1)
    #expect(throws: ArchiveError.brokenChain(ObjectName.segment(segment.sequence))) {
      _ = try changes.frames(of: segment, pageSize: manifest.header.pageSize)
    }
  }

  @Test func `a prune deletes nothing of a writer that begins meanwhile`() throws {
    let fixture = try ArchiveFixture()
    try fixture.makeWideRows(10)
    let first = try fixture.start()
    try fixture.archiveNow(first)
    try first.stop()
    // Without what is beside the database, the next session begins with a copy of all pages.
    try FileManager.default.removeItem(atPath: fixture.statePath)
    let destination = HookedDestination(fixture.destination)
    let once = Once()
    let session = Locked<ArchiveSession?>(nil)
    let (archive, pool) = (fixture.archive, fixture.pool)
    destination.before { call, name in
      guard call == "list", name == ObjectName.layers, once.first() else { return }
      let started = try archive.start(pool)
      try pool.write { try $0.execute(sql: "INSERT INTO item (text) VALUES ('meanwhile')") }
      try started.archiveNow()
      session.set(started)
    }
    try ArchiveFixture.archived(fixture, to: destination).prune(key: ArchiveFixture.key)
    destination.unhook()
    let started = try #require(session.value)
    try fixture.archiveNow(started)
    try fixture.checkContents()
    #expect(try fixture.archive.verify(key: ArchiveFixture.key) == [])
    try started.stop()
  }

  @Test(arguments: [false, true])
  func `an idle session that was taken over notices`(isInFolder: Bool) throws {
    let fixture = try ArchiveFixture()
    let folder = FolderDestination(path: fixture.folder.path("archive"))
    let destination: any ArchiveDestination = isInFolder ? folder : fixture.destination
    let archive = ArchiveFixture.archived(fixture, to: destination)
    let session = try archive.start(fixture.pool)
    try fixture.archiveNow(session)
    let writer = try archive.summary(key: ArchiveFixture.key).writer
    for _ in 0..<2 {
      let taking = ArchiveFixture.archived(fixture, to: destination) {
        $0.takesOverWriter = writer
      }
      // The number of one that was taken over wins no second time.
      _ = try? taking.prune(key: ArchiveFixture.key)
    }
    let after = try archive.summary(key: ArchiveFixture.key)
    #expect(!after.hasWriter && after.writer > writer)
    fixture.clock.advance(isInFolder ? 21 : 601)
    #expect(throws: ArchiveError.superseded) { try session.workNow() }
  }

  @Test func `an idle session of an object store asks nothing for ten minutes`() throws {
    let fixture = try ArchiveFixture()
    let destination = HookedDestination(fixture.destination)
    let session = try ArchiveFixture.archived(fixture, to: destination).start(fixture.pool)
    try fixture.archiveAll(session)
    try fixture.archiveAll(session)
    let calls = Locked(0)
    destination.before { _, _ in calls.update { $0 += 1 } }
    for _ in 0..<28 {
      fixture.clock.advance(21)
      try session.workNow()
    }
    #expect(calls.value == 0)
    fixture.clock.advance(21)
    try session.workNow()
    #expect(calls.value == 1)
    destination.unhook()
    try session.stop()
  }

  @Test func `a session that can't begin leaves the archive to others`() throws {
    let fixture = try ArchiveFixture()
    let first = try fixture.start()
    try fixture.archiveNow(first)
    try first.stop()
    for succeeding in 0...1 {
      let left = Locked(succeeding)
      fixture.destination.fail { call, name in
        guard call == "list", name == ObjectName.segments else { return false }
        defer { left.update { $0 -= 1 } }
        return left.value <= 0
      }
      #expect(throws: MemoryDestination.Failure.self) { try fixture.start() }
      fixture.destination.fail { _, _ in false }
      #expect(try fixture.manifest().isReleased)
    }
    let session = try fixture.start()
    try fixture.archiveNow(session)
    try session.stop()
    try fixture.checkContents()
  }
}
