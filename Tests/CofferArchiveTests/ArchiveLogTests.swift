import CofferExpectations
import CofferTestSupport
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Coffer
@testable import CofferArchive
@testable import CofferCore

/// What an archive does to the log of a database, and to those who write to it.
struct ArchiveLogTests {
  private func frameCount(_ fixture: ArchiveFixture) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: fixture.path + "-wal")
    return ((attributes[.size] as? Int) ?? 0) / 4_120
  }

  @Test func `the log starts again at the first checkpoint, each time`() throws {
    let fixture = try ArchiveFixture()
    fixture.pool = try ArchiveFixture.open(fixture.path) {
      $0.checkpointPolicy = CheckpointPolicy(automaticPageCount: 50, maximumPageCount: 10_000)
    }
    try fixture.makeWideRows(20)
    try fixture.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    let session = try fixture.start()
    for value in 1...400 { try fixture.set([value % 20 + 1], value) }
    // A log that is reused keeps its size.
    let frameCount = try frameCount(fixture)
    #expect(frameCount < 120, "\(frameCount) frames")
    try fixture.archiveNow(session)
    try session.stop()
    try fixture.checkContents()
  }

  @Test(arguments: [Database.CheckpointMode.restart, .truncate])
  func `a checkpoint that an archive prevents ends at once`(mode: Database.CheckpointMode) throws {
    let fixture = try ArchiveFixture {
      $0.limits = CommitCapture.Limits(pieceSize: 4 * 4_100, pieceCount: 2)
    }
    try fixture.makeWideRows(20)
    let session = try fixture.start()
    try fixture.archiveNow(session)
    fixture.destination.fail { call, _ in call == "put" }
    for value in 1...40 { try fixture.set([value % 20 + 1], value) }
    #expect(throws: MemoryDestination.Failure.self) { try session.archiveNow() }
    let error = #expect(throws: DatabaseError.self) {
      try fixture.pool.writeWithoutTransaction { _ = try $0.checkpoint(mode) }
    }
    #expect(error?.resultCode == .SQLITE_BUSY)
    fixture.destination.fail { _, _ in false }
    try fixture.archiveNow(session)
    try fixture.pool.writeWithoutTransaction { _ = try $0.checkpoint(mode) }
    try fixture.write()
    try fixture.archiveNow(session)
    try session.stop()
    try fixture.checkContents()
  }

  @Test func `a program that asks for the status while it waits for a lock gets it`() throws {
    let fixture = try ArchiveFixture()
    let session = Mutex<ArchiveSession?>(nil)
    let asked = Mutex(0)
    fixture.pool = try ArchiveFixture.open(fixture.path) {
      $0.busyMode = .callback { count in
        guard let session = session.withLock({ $0 }) else { return false }
        _ = session.status
        asked.withLock { $0 += 1 }
        return count < 3
      }
    }
    let started = try fixture.start()
    session.withLock { $0 = started }
    try fixture.archiveNow(started)
    let reader = try ArchiveFixture.open(fixture.path)
    let snapshot = try reader.makeSnapshot()
    try fixture.write()
    #expect(throws: DatabaseError.self) {
      try fixture.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    }
    #expect(asked.withLock { $0 } > 0)
    _ = snapshot
    try started.stop()
  }

  @Test func `a database with freshness is archived without a new copy after it was closed`() throws
  {
    let fixture = try ArchiveFixture()
    let anchor = fixture.folder.path("anchor")
    func open() throws -> DatabasePool {
      try ArchiveFixture.open(fixture.path) {
        $0.freshness = Freshness(anchor: FileAnchor(path: anchor))
      }
    }
    try fixture.pool.close()
    fixture.pool = try open()
    var session = try fixture.start()
    try fixture.write()
    try fixture.archiveNow(session)
    let (count, gaps) = (
      try fixture.layers(Manifest.snapshotLevel).count, try fixture.manifest().gaps
    )
    for _ in 0..<3 {
      try session.stop()
      try fixture.write()
      try fixture.pool.close()
      fixture.pool = try open()
      session = try fixture.start()
      try fixture.write()
      try fixture.archiveNow(session)
    }
    #expect(try fixture.manifest().gaps == gaps)
    #expect(try fixture.layers(Manifest.snapshotLevel).count == count)
    try session.stop()
    try fixture.checkContents()
  }

  @Test func `a session that has ended keeps no commits in memory`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    fixture.destination.fail { call, _ in call == "put" }
    try fixture.write(50)
    let capture = try #require(session.capture)
    _ = try capture.collect()
    #expect(capture.pieceCount > 0)
    #expect(throws: (any Error).self) { try session.stop() }
    #expect(capture.pieceCount == 0)
    fixture.destination.fail { _, _ in false }
    let next = try fixture.start()
    try fixture.archiveNow(next)
    try next.stop()
    try fixture.checkContents()
  }

  @Test func `the log is let go while a call hangs and another process writes`() throws {
    let fixture = try ArchiveFixture {
      $0.maximumLogSize = 30 * 4_120
      $0.limits = CommitCapture.Limits(pieceSize: 4 * 4_100, pieceCount: 2)
      $0.interval = .milliseconds(20)
    }
    try fixture.makeWideRows(20)
    let destination = HookedDestination(fixture.destination)
    let session = try ArchiveFixture.archived(fixture, to: destination).start(fixture.pool)
    try fixture.archiveNow(session)
    let (isHanging, release) = (Locked(false), DispatchSemaphore(value: 0))
    destination.before { call, name in
      guard call == "put", name.hasPrefix("log/"), !isHanging.value else { return }
      isHanging.set(true)
      release.wait()
    }
    let other = try ArchiveFixture.open(fixture.path) { $0.checkpointPolicy = .manual }
    try other.write { try $0.execute(sql: "UPDATE item SET text = 'first' WHERE id = 1") }
    let end = ContinuousClock.now + .seconds(60)
    while !isHanging.value, ContinuousClock.now < end { usleep(1_000) }
    for value in 1...60 {
      try other.write {
        try $0.execute(
          sql: "UPDATE item SET text = ? WHERE id = ?", arguments: [value, value % 20 + 1])
      }
    }
    let capture = try #require(session.capture)
    while capture.backlog().isFollowing, ContinuousClock.now < end { usleep(1_000) }
    #expect(!capture.backlog().isFollowing)
    destination.unhook()
    release.signal()
    try fixture.archiveNow(session)
    try session.stop()
    try fixture.checkContents()
  }

  /// Writes a part of the log's index, of which there are two copies, by another process: one that
  /// closed the file here would end SQLite's locks.
  private static func changeIndex(of fixture: ArchiveFixture, _ command: String) throws {
    let index = "'\(fixture.path)-shm'"
    let saved = "'\(fixture.folder.path("saved"))'"
    let result = try #require(
      Command.run(
        "/bin/sh",
        [
          "-ec",
          command == "halve"
            ? "dd if=\(index) of=\(saved) bs=4 skip=14 count=1 2>/dev/null\n"
              + "printf halt | dd of=\(index) bs=4 seek=14 conv=notrunc 2>/dev/null"
            : "dd if=\(saved) of=\(index) bs=4 seek=14 conv=notrunc 2>/dev/null",
        ]))
    #expect(result.status == 0, "\(result.output)")
  }

  @Test func `a writer that stops between the two copies of the log's index is waited for`() throws
  {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    try fixture.write()
    let capture = try #require(session.capture)
    let other = try ArchiveFixture.open(fixture.path)
    let (group, begins) = (DispatchGroup(), DispatchSemaphore(value: 0))
    try other.write { db in
      try db.execute(sql: "INSERT INTO item (text) VALUES ('other')")
      try Self.changeIndex(of: fixture, "halve")
      detachThread(group: group) {
        begins.signal()
        _ = try capture.collect()
      }
      begins.wait()
      usleep(50_000)
      try Self.changeIndex(of: fixture, "restore")
    }
    group.wait()
    try fixture.archiveNow(session)
    try session.stop()
    try fixture.checkContents()
  }

  @Test func `an index that a killed writer has half written is recovered`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    try fixture.write()
    try Self.changeIndex(of: fixture, "halve")
    let number = try session.archiveNow().number
    fixture.contents[number] = try ArchiveFixture.content(of: fixture.pool)
    try session.stop()
    try fixture.checkContents()
  }

  // MARK: Keys and damage

  @Test func `no page of a new key gets to the archive, however large the database is`() throws {
    let fixture = try ArchiveFixture {
      $0.limits = CommitCapture.Limits(pieceSize: 10 * 4_100, pieceCount: 2)
    }
    fixture.pool = try ArchiveFixture.open(fixture.path) { $0.cacheSize = 40_960 }
    try fixture.makeWideRows(300)
    let session = try fixture.start()
    try fixture.archiveNow(session)
    let before = fixture.destination.objects
    try fixture.pool.changeKey(to: .raw([UInt8](repeating: 6, count: 32)))
    #expect(throws: ArchiveError.changedKey) { try session.archiveNow() }
    let stored = Set(fixture.destination.objects.keys).subtracting(before.keys)
    #expect(stored.filter { $0.hasPrefix(ObjectName.segments) } == [])
    try fixture.checkContents()
  }

  @Test func `a page that was damaged before it was archived is told, and restored by no commit`()
    throws
  {
    let fixture = try ArchiveFixture()
    try fixture.makeWideRows(20)
    // Its pages aren't read again before they are used anew.
    try fixture.pool.write { db in
      try db.execute(sql: "CREATE TABLE spare AS SELECT * FROM item")
      try db.execute(sql: "DROP TABLE spare")
    }
    try fixture.pool.close()
    let path = fixture.path
    let pageSize = CipherSettings.default.pageSize
    let count =
      try #require(
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) / pageSize
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    try file.seek(toOffset: UInt64((count - 1) * pageSize + 100))
    try file.write(contentsOf: [1, 2, 3])
    try file.close()
    fixture.pool = try ArchiveFixture.open(path)
    let session = try fixture.start()
    let number = try session.archiveNow().number
    let error = #expect(throws: DatabaseError.self) { try fixture.restored(.commit(number)) }
    #expect(error?.resultCode == .SQLITE_CORRUPT)
    #expect(error?.message?.contains("\(count)") == true, "\(error?.message ?? "")")
    // Once the page is written anew, all is well.
    try fixture.pool.write { try $0.execute(sql: "CREATE TABLE spare AS SELECT * FROM item") }
    try fixture.archiveNow(session)
    try session.stop()
    try fixture.checkContents()
    #expect(try fixture.archive.verify(key: ArchiveFixture.key) == [])
  }
}
