import CofferExpectations
import CofferTestSupport
import Foundation
import Synchronization
import Testing

@testable import Coffer
@testable import CofferArchive
@testable import CofferCore
@testable import CofferVault

@Suite struct ArchiveTests {
  @Test func `each commit can be restored`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    for index in 0..<40 {
      try fixture.write(1 + index % 5)
      try fixture.archiveNow(session)
    }
    try session.stop()
    #expect(fixture.contents.count == 40)
    for (number, content) in fixture.contents {
      let restored = try fixture.restored(.commit(number))
      #expect(restored.content == content)
      #expect(restored.commit.number == number)
    }
    let last = try #require(fixture.contents.keys.max())
    #expect(try fixture.restored().commit.number == last)
    #expect(try fixture.archive.verify(key: ArchiveFixture.key) == [])
  }

  @Test func `each of many commits can be restored, told by the hash of its rows`() throws {
    let fixture = try ArchiveFixture()
    var random = SeededGenerator()
    try fixture.write(60)
    let session = try fixture.start()
    var hashes: [UInt64: Int] = [:]
    var number = try fixture.archiveNow(session)
    for index in 1...trialCount(200) {
      let (id, size) = (
        Int.random(in: 1...80, using: &random), Int.random(in: 1...900, using: &random)
      )
      try fixture.pool.write { db in
        try db.execute(
          sql: "INSERT OR REPLACE INTO item VALUES (?, ?, randomblob(?))",
          arguments: [id, "commit \(index)", size])
      }
      number += 1
      hashes[number] = try ArchiveFixture.content(of: fixture.pool).hashValue
      guard Int.random(in: 0..<10, using: &random) == 0 else { continue }
      fixture.clock.advance(Int.random(in: 0...60, using: &random))
      #expect(try fixture.archiveAll(session) == number)
    }
    #expect(try fixture.archiveAll(session) == number)
    try session.stop()
    for (number, hash) in hashes {
      let restored = try fixture.restored(.commit(number))
      #expect(restored.content.hashValue == hash, "commit \(number)")
      #expect(restored.commit.number == number)
    }
  }

  /// The connections that read the log, and write a follower's, have none of the functions.
  @Test func `a database whose indexes use functions is archived and followed`() throws {
    let fixture = try ArchiveFixture()
    let initial = DatabaseFunction("initial", argumentCount: 1, pure: true) {
      String.fromDatabaseValue($0[0]).map { String($0.prefix(1)) }
    }
    try fixture.pool.write { db in
      db.add(function: initial)
      try db.execute(
        sql: """
          CREATE TABLE t (a TEXT COLLATE swiftCompare CHECK (initial(a) <> 'Q'));
          CREATE INDEX t_a ON t (initial(a)) WHERE swiftLowercaseString(a) <> ''
          """)
    }
    let session = try fixture.start()
    try fixture.archiveNow(session)
    let copy = fixture.folder.path("copy.db")
    let follower = try ArchiveFollower(fixture.archive, path: copy, key: ArchiveFixture.key)
    for number in 1...5 {
      try fixture.pool.write { db in
        try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: ["Ä\(number)"])
      }
      try fixture.pool.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
      try fixture.archiveNow(session)
      try follower.follow()
      #expect(
        try follower.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == number)
    }
    try follower.close()
    try session.stop()
    try fixture.archive.restore(to: fixture.folder.path("new.db"), key: ArchiveFixture.key)
    let restored = try ArchiveFixture.open(fixture.folder.path("new.db"))
    try restored.write { $0.add(function: initial) }
    #expect(
      try restored.write { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
  }

  @Test func `an empty database is archived, and its first commits`() throws {
    let folder = try TemporaryDirectory()
    let pool = try ArchiveFixture.open(folder.path("new.db"))
    let destination = MemoryDestination()
    let archive = Archive(destination)
    let session = try archive.start(pool)
    try session.archiveNow()
    try pool.write { try $0.execute(sql: "CREATE TABLE item (id, text, data)") }
    try session.archiveNow()
    try session.stop()
    try archive.restore(to: folder.path("restored.db"), key: ArchiveFixture.key)
    let restored = try DatabaseQueue(path: folder.path("restored.db"), key: ArchiveFixture.key)
    #expect(try restored.read { try $0.tableExists("item") })
  }

  @Test func `commits between two reads of the log can be restored one by one`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    let first = try fixture.archiveNow(session)
    var contents: [String] = []
    for _ in 0..<20 {
      try fixture.write()
      contents.append(try ArchiveFixture.content(of: fixture.pool))
    }
    let last = try fixture.archiveNow(session)
    #expect(last == first + 20)
    for (index, content) in contents.enumerated() {
      #expect(try fixture.restored(.commit(first + 1 + UInt64(index))).content == content)
    }
    #expect(throws: ArchiveError.noCommit(last + 1)) { try fixture.restored(.commit(last + 1)) }
    #expect(throws: ArchiveError.noCommit(0)) { try fixture.restored(.commit(0)) }
  }

  @Test func `a date gives the last commit until then`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    let begin = fixture.clock.date
    var numbers: [UInt64] = []
    for _ in 0..<10 {
      fixture.clock.advance(10)
      try fixture.write()
      numbers.append(try fixture.archiveNow(session))
    }
    for (index, number) in numbers.enumerated() {
      let date = begin + Double(10 * (index + 1))
      #expect(try fixture.restored(.date(date)).commit.number == number)
      #expect(try fixture.restored(.date(date + 9)).commit.number == number)
      #expect(try fixture.restored(.date(date)).commit.date == date)
    }
    #expect(throws: ArchiveError.noCommitBefore("\(begin - 100)")) {
      try fixture.restored(.date(begin - 100))
    }
    try session.stop()
  }

  @Test func `a clock that is set back changes nothing but the dates`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    let date = fixture.clock.date
    fixture.clock.date -= 1_000_000
    try fixture.write()
    let number = try fixture.archiveNow(session)
    fixture.clock.date += 5_000_000
    try fixture.write()
    try fixture.archiveNow(session)
    try session.stop()
    #expect(try fixture.restored(.commit(number)).commit.date == date)
    for (number, content) in fixture.contents {
      #expect(try fixture.restored(.commit(number)).content == content)
    }
  }

  @Test func `nothing in any object can be read`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    for _ in 0..<5 {
      try fixture.write(50)
      try fixture.archiveNow(session)
    }
    try session.stop()
    for (name, object) in fixture.destination.objects {
      for marker in ["MARKER", "item", "SQLite format", "CREATE TABLE"] {
        #expect(object.range(of: Data(marker.utf8)) == nil, "\(marker) in \(name)")
      }
    }
  }

  @Test func `a session goes on where the last one ended, without a copy of all pages`() throws {
    let fixture = try ArchiveFixture()
    for round in 0..<6 {
      let session = try fixture.start()
      try fixture.write(20)
      try fixture.archiveNow(session)
      try session.stop()
      try fixture.write(3)
      if round % 2 == 1 {
        try fixture.pool.close()
        fixture.pool = try ArchiveFixture.open(fixture.path)
      }
    }
    let session = try fixture.start()
    try fixture.archiveNow(session)
    try session.stop()
    let snapshots = try fixture.manifest().layers.filter { $0.level == Manifest.snapshotLevel }
    #expect(snapshots.count == 1)
    for (number, content) in fixture.contents {
      #expect(try fixture.restored(.commit(number)).content == content)
    }
  }

  @Test func `what another program has done to the log meanwhile costs a copy of all pages`() throws
  {
    let fixture = try ArchiveFixture()
    var session = try fixture.start()
    try fixture.write(20)
    let before = try fixture.archiveNow(session)
    try session.stop()
    try fixture.write()
    try fixture.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    try fixture.write()
    session = try fixture.start()
    let after = try fixture.archiveNow(session)
    try fixture.write()
    try fixture.archiveNow(session)
    try session.stop()
    #expect(after > before)
    for (number, content) in fixture.contents {
      #expect(try fixture.restored(.commit(number)).content == content)
    }
    #expect(try fixture.manifest().gaps.count == 2)
    #expect(try fixture.archive.verify(key: ArchiveFixture.key) == [])
    // The states in between are unknown: nobody may take the log for a bridge.
    for number in (before + 1)..<after where number != after {
      #expect(throws: ArchiveError.noCommit(number)) { try fixture.restored(.commit(number)) }
    }
  }

  @Test func `a commit larger than memory's room is archived in parts, and restored as a whole`()
    throws
  {
    let fixture = try ArchiveFixture {
      $0.limits = CommitCapture.Limits(pieceSize: 5 * 4_100, pieceCount: 2)
    }
    let session = try fixture.start()
    try fixture.archiveNow(session)
    try fixture.write(600)
    try fixture.archiveNow(session)
    try fixture.write(2)
    try fixture.archiveNow(session)
    try session.stop()
    for (number, content) in fixture.contents {
      #expect(try fixture.restored(.commit(number)).content == content)
    }
  }

  @Test func `the log is started again while a session runs`() throws {
    let fixture = try ArchiveFixture()
    fixture.pool = try ArchiveFixture.open(fixture.path) {
      $0.checkpointPolicy = CheckpointPolicy(automaticPageCount: 30, maximumPageCount: 100)
    }
    let session = try fixture.start()
    var random = SeededGenerator()
    for _ in 0..<300 {
      try fixture.write(3)
      if Int.random(in: 0..<10, using: &random) == 0 { try fixture.archiveNow(session) }
    }
    try fixture.archiveNow(session)
    let size = try FileManager.default.attributesOfItem(atPath: fixture.path + "-wal")[.size]
    #expect(try #require(size as? Int) < 4_200 * 300)
    try session.stop()
    #expect(try fixture.manifest().gaps == [1])
    for (number, content) in fixture.contents {
      #expect(try fixture.restored(.commit(number)).content == content)
    }
  }

  @Test func `explicit checkpoints of each kind work while a session runs`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    for mode in [Database.CheckpointMode.passive, .full, .restart, .truncate, .truncate] {
      for _ in 0..<5 { try fixture.write(5) }
      try fixture.pool.writeWithoutTransaction { db throws in
        let result = try db.checkpoint(mode)
        #expect(result.checkpointedFrameCount == result.walFrameCount)
      }
      try fixture.write()
      try fixture.archiveNow(session)
    }
    try session.stop()
    #expect(try fixture.manifest().gaps == [1])
    for (number, content) in fixture.contents {
      #expect(try fixture.restored(.commit(number)).content == content)
    }
  }

  @Test func `commits of other connections and processes are archived`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    let other = try DatabaseQueue(path: fixture.path, key: ArchiveFixture.key)
    for _ in 0..<10 {
      try other.write { try $0.execute(sql: "INSERT INTO item (text) VALUES ('other')") }
      try fixture.write()
      try fixture.archiveNow(session)
    }
    try other.close()
    try session.stop()
    for (number, content) in fixture.contents {
      #expect(try fixture.restored(.commit(number)).content == content)
    }
    #expect(try fixture.manifest().gaps == [1])
  }

  @Test func `a wrong key, other settings and a foreign folder are told apart`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    try session.stop()
    let target = fixture.folder.path("target.db")
    #expect(throws: ArchiveError.otherKey) {
      try fixture.archive.restore(to: target, key: .raw([UInt8](repeating: 9, count: 32)))
    }
    #expect(throws: ArchiveError.noArchive) {
      try Archive(MemoryDestination()).restore(to: target, key: ArchiveFixture.key)
    }
    var cipher = CipherSettings.default
    cipher.pageSize = 8_192
    #expect(throws: DatabaseError.self) {
      try fixture.archive.restore(to: target, key: ArchiveFixture.key, cipher: cipher)
    }
    try Data("mine".utf8).write(to: URL(fileURLWithPath: target))
    #expect(throws: DatabaseError.self) {
      try fixture.archive.restore(to: target, key: ArchiveFixture.key)
    }
    #expect(try String(contentsOfFile: target, encoding: .utf8) == "mine")
    let contents = try fixture.folder.contents()
    #expect(!contents.contains { $0.contains("coffer-partial") })
  }

  @Test func `a database without a key is refused`() throws {
    let folder = try TemporaryDirectory()
    let pool = try DatabasePool(path: folder.path("plain.db"))
    let destination = MemoryDestination()
    #expect(throws: DatabaseError.self) { try Archive(destination).start(pool) }
    #expect(destination.names.isEmpty)
  }

  private static func failed() -> CInt {
    errno = EIO
    return -1
  }

  @Test func `key slots come along, and their changes`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("slots.db")
    let passphrase = KeyUnlocker.passphrase("first")
    let slots = try KeySlots.create(forDatabaseAt: path, unlocker: passphrase)
    let pool = try DatabasePool(path: path, key: .slots(unlocker: passphrase))
    try pool.write { try $0.execute(sql: "CREATE TABLE item (id, text, data)") }
    let clock = TestClock()
    let archive = Archive(MemoryDestination(), configuration: clock.configuration())
    let session = try archive.start(pool)
    try session.archiveNow()
    try slots.change(slots.all[0].id, to: .passphrase("second"), authorizedBy: passphrase)
    clock.advance(60)
    try session.archiveNow()
    try session.stop()
    let target = folder.path("restored.db")
    #expect(throws: KeySlotsError.self) {
      try archive.restore(to: target, key: .slots(unlocker: passphrase))
    }
    let key = DatabaseKey.slots(unlocker: .passphrase("second"))
    // The folder can't be synced for the slots: nothing is left, and the next attempt isn't
    // refused.
    var calls = FileCalls.system
    calls.sync = { _ in Self.failed() }
    calls.syncFileSystem = { _ in Self.failed() }
    let error = databaseError {
      try FileCalls.$current.withValue(calls) { try archive.restore(to: target, key: key) }
    }
    #expect(error?.extendedResultCode == .SQLITE_IOERR, "\(error as Any)")
    #expect(try !folder.contents().contains { $0.hasPrefix("restored") })
    try archive.restore(to: target, key: key)
    #expect(try DatabaseQueue(path: target, key: key).read { try $0.tableExists("item") })
  }
}

extension ArchiveFixture {
  func manifest() throws -> Manifest {
    try ArchiveReader(destination, key: Self.key, settings: .default, path: "").manifest
  }
}
