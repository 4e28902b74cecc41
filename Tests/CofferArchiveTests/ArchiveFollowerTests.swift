import CofferExpectations
import CofferTestSupport
import Foundation
import Synchronization
import Testing

@testable import Coffer
@testable import CofferArchive
@testable import CofferCore

@Suite struct ArchiveFollowerTests {
  @Test func `a follower has each commit after it was archived`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.write(30)
    try fixture.archiveNow(session)
    let follower = try fixture.follower()
    for index in 0..<30 {
      try fixture.write(1 + index % 9)
      let number = try fixture.archiveNow(session)
      #expect(try follower.follow().number == number)
      #expect(try ArchiveFixture.content(of: follower.pool) == fixture.contents[number])
    }
    try follower.pool.read { db throws in
      #expect(try db.checkCipherIntegrity().isEmpty)
      #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
    }
    try follower.close()
    try session.stop()
  }

  @Test func `a follower without a database uses no file that may be another user's`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    try session.stop()
    let archive = fixture.archive
    let folder = try TemporaryDirectory()
    let path = folder.path("followed.db")
    func expectRefusal(_ reason: String) throws {
      let error = databaseError {
        try ArchiveFollower(archive, path: path, key: ArchiveFixture.key)
      }
      #expect(error?.resultCode == .SQLITE_PERM)
      #expect(error?.message?.contains(reason) == true, "\(error as Any)")
    }
    try Data().write(to: URL(fileURLWithPath: folder.path("victim")))
    link(folder.path("victim"), path + "-follow")
    try expectRefusal("it has another name besides")
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("victim"))).isEmpty)
    unlink(path + "-follow")
    if geteuid() == 0 {
      try Data().write(to: URL(fileURLWithPath: path + "-follow"))
      chown(path + "-follow", 65534, 65534)
      try expectRefusal("it belongs to another user")
    }
    #expect(FileManager.default.fileExists(atPath: path) == false)
  }

  @Test func `an idle follower of an object store asks less and less`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    var configuration = fixture.configuration
    configuration.interval = .seconds(1)
    #expect(configuration.pause(afterIdleLooks: 0) == .seconds(1))
    #expect(configuration.pause(afterIdleLooks: 30) == .seconds(5))
    #expect(configuration.pause(afterIdleLooks: 1_000) == .seconds(10))
    let destination = HookedDestination(fixture.destination)
    let work = try FollowerWork(
      ArchiveFixture.archived(fixture, to: destination), path: fixture.folder.path("copy.db"),
      atLeast: [], key: ArchiveFixture.key, cipher: .default, progress: nil)
    for _ in 0..<40 { #expect(try work.work(isPolling: true)) }
    let calls = Locked(0)
    destination.before { _, _ in calls.update { $0 += 1 } }
    for _ in 0..<40 { #expect(try work.work(isPolling: true)) }
    #expect(calls.value == 40)
    try fixture.write()
    let last = try fixture.archiveNow(session)
    #expect(try work.work(isPolling: true) && work.work(isPolling: true))
    #expect(work.commit.number == last && work.idleLooks < 2)
    work.close()
    try session.stop()
  }

  @Test func `a read keeps its state while commits are followed`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.write(30)
    try fixture.archiveNow(session)
    let follower = try fixture.follower()
    let snapshot = try follower.pool.makeSnapshot()
    let before = try ArchiveFixture.content(of: snapshot)
    for _ in 0..<20 {
      try fixture.write(20)
      try fixture.archiveNow(session)
      try follower.follow()
    }
    #expect(try ArchiveFixture.content(of: snapshot) == before)
    #expect(
      try ArchiveFixture.content(of: follower.pool) == ArchiveFixture.content(of: fixture.pool))
    try session.stop()
  }

  @Test func `other connections and processes may read the file`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    let follower = try fixture.follower()
    var configuration = Configuration()
    configuration.readonly = true
    let other = try DatabaseQueue(
      path: follower.pool.path, key: ArchiveFixture.key, configuration: configuration)
    for _ in 0..<10 {
      try fixture.write(10)
      try fixture.archiveNow(session)
      try follower.follow()
      #expect(try ArchiveFixture.content(of: other) == ArchiveFixture.content(of: fixture.pool))
    }
    try session.stop()
  }

  @Test func `its observations are told`() async throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    let follower = try fixture.follower()
    let observation = ValueObservation.tracking { db in
      try Int.fetchOne(db, sql: "SELECT count(*) FROM item") ?? 0
    }
    let expected = try await fixture.pool.read { db in
      try Int.fetchOne(db, sql: "SELECT count(*) FROM item") ?? 0
    }
    var seen: [Int] = []
    for try await count in observation.values(in: follower.pool) {
      seen.append(count)
      if seen.count == 4 { break }
      try await fixture.pool.write { try $0.execute(sql: "INSERT INTO item (text) VALUES ('new')") }
      try fixture.archiveNow(session)
      try follower.follow()
    }
    #expect(seen == [expected, expected + 1, expected + 2, expected + 3])
    try session.stop()
  }

  @Test func `a follower goes on where it ended, also before it noted so`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    var follower = try fixture.follower()
    let path = follower.pool.path
    for round in 0..<5 {
      try fixture.write(40)
      try fixture.archiveNow(session)
      try follower.follow()
      let old = try Data(contentsOf: URL(fileURLWithPath: path + "-follow"))
      try follower.close()
      // A crash between the commit and the note behind it.
      if round % 2 == 0 { try old.write(to: URL(fileURLWithPath: path + "-follow")) }
      try fixture.write(3)
      try fixture.archiveNow(session)
      follower = try fixture.follower()
      try follower.follow()
      #expect(
        try ArchiveFixture.content(of: follower.pool) == ArchiveFixture.content(of: fixture.pool))
    }
    try session.stop()
  }

  @Test func `a follower whose last note is torn goes on with the one before`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    var follower = try fixture.follower()
    let path = follower.pool.path
    // The last note is that of the end, and the one before says what is about to be written.
    for round in 0..<4 {
      try fixture.write(10)
      try fixture.archiveNow(session)
      try follower.follow()
      try follower.close()
      var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path + "-follow")))
      for byte in 60..<90 { bytes[4_096 * (2 - round % 2) + byte] = 0 }
      try Data(bytes).write(to: URL(fileURLWithPath: path + "-follow"))
      try fixture.write(1)
      try fixture.archiveNow(session)
      follower = try fixture.follower()
      try follower.follow()
      #expect(
        try ArchiveFixture.content(of: follower.pool) == ArchiveFixture.content(of: fixture.pool))
    }
    try follower.close()
    var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path + "-follow")))
    for byte in 4_096..<bytes.count { bytes[byte] = 0 }
    try Data(bytes).write(to: URL(fileURLWithPath: path + "-follow"))
    #expect(throws: ArchiveError.self) { try fixture.follower() }
    try session.stop()
  }

  @Test func `a follower that was closed before commits were missed goes on behind them`() throws {
    let fixture = try ArchiveFixture()
    var session = try fixture.start()
    try fixture.write(5)
    try fixture.archiveNow(session)
    var follower = try fixture.follower()
    try follower.follow()
    try follower.close()
    try session.stop()
    // Nobody reads these before the log is started again.
    try fixture.write(3)
    try fixture.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    try fixture.write(2)
    session = try fixture.start()
    try fixture.write(2)
    try fixture.archiveNow(session)
    #expect(try !fixture.manifest().gaps.isEmpty)
    follower = try fixture.follower()
    try follower.follow()
    #expect(
      try ArchiveFixture.content(of: follower.pool) == ArchiveFixture.content(of: fixture.pool))
    try follower.close()
    try session.stop()
  }

  @Test func `a follower that was away for long goes on with layers`() throws {
    let fixture = try ArchiveFixture {
      $0.retention = ArchiveRetention(
        commits: .seconds(600), fiveMinutes: .seconds(7_200), hours: .seconds(86_400),
        days: .seconds(864_000))
    }
    let session = try fixture.start()
    try fixture.write(100)
    try fixture.archiveNow(session)
    let follower = try fixture.follower()
    for _ in 0..<12 {
      for _ in 0..<6 {
        fixture.clock.advance(310)
        try fixture.write(10)
        try fixture.archiveNow(session)
      }
      try follower.follow()
      #expect(
        try ArchiveFixture.content(of: follower.pool) == ArchiveFixture.content(of: fixture.pool))
    }
    #expect(try fixture.manifest().logStart.sequence > 20)
    try session.stop()
  }

  @Test func `a commit of several segments appears as one`() throws {
    let fixture = try ArchiveFixture {
      $0.limits = CommitCapture.Limits(pieceSize: 5 * 4_100, pieceCount: 2)
    }
    let session = try fixture.start()
    try fixture.archiveNow(session)
    let follower = try fixture.follower()
    fixture.destination.fail { call, name in
      // The session ends in the middle of the commit.
      call == "put" && name.hasPrefix("log/") && name.hasSuffix("6")
    }
    try fixture.write(400)
    #expect(throws: MemoryDestination.Failure.self) { try session.archiveNow() }
    let before = try ArchiveFixture.content(of: follower.pool)
    try follower.follow()
    #expect(try ArchiveFixture.content(of: follower.pool) == before)
    fixture.destination.fail { _, _ in false }
    try fixture.archiveNow(session)
    try follower.follow()
    #expect(
      try ArchiveFixture.content(of: follower.pool) == ArchiveFixture.content(of: fixture.pool))
    try session.stop()
  }

  @Test func `the log of a followed file is emptied, also while others read`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    let follower = try fixture.follower()
    let log = follower.pool.path + "-wal"
    var sizes: [Int] = []
    for round in 1...60 {
      try fixture.write(400)
      _ = try session.archiveNow()
      try follower.follow()
      if round % 10 == 0 {
        #expect(
          try ArchiveFixture.content(of: follower.pool) == ArchiveFixture.content(of: fixture.pool))
      }
      let size = try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int
      sizes.append(try #require(size))
    }
    #expect(zip(sizes, sizes.dropFirst()).contains { $0 > $1 }, "\(sizes)")
    #expect(try #require(sizes.max()) < 4_200 * 2_000)
    try session.stop()
  }

  @Test func `readers in threads see states that were committed, and none between`() throws {
    let fixture = try ArchiveFixture()
    try fixture.pool.write { db in
      try db.execute(
        sql: "CREATE TABLE account (id INTEGER PRIMARY KEY, amount INT, filler BLOB)")
      for id in 1...200 {
        try db.execute(
          sql: "INSERT INTO account VALUES (?, 100, randomblob(900))", arguments: [id])
      }
    }
    let session = try fixture.start()
    try fixture.archiveNow(session)
    let follower = try fixture.follower()
    var configuration = Configuration()
    configuration.readonly = true
    let other = try DatabasePool(
      path: follower.pool.path, key: ArchiveFixture.key, configuration: configuration)
    let (isDone, failures, group) = (Locked(false), Locked<[String]>([]), DispatchGroup())
    for index in 0..<4 {
      let pool = index % 2 == 0 ? follower.pool : other
      detachThread(group: group) {
        while !isDone.value {
          let (sum, count) = try pool.read { db in
            (
              try Int.fetchOne(db, sql: "SELECT sum(amount) FROM account"),
              try Int.fetchOne(db, sql: "SELECT count(*) FROM account WHERE length(filler) = 900")
            )
          }
          if sum != 20_000 || count != 200 { failures.append("\(sum ?? 0) \(count ?? 0)") }
        }
      }
    }
    var random = SeededGenerator()
    for round in 0..<60 {
      for _ in 0..<4 {
        let (from, to) = (
          Int.random(in: 1...200, using: &random), Int.random(in: 1...200, using: &random)
        )
        try fixture.pool.write { db in
          try db.execute(
            sql: "UPDATE account SET amount = amount - 7 WHERE id = ?", arguments: [from])
          try db.execute(
            sql: "UPDATE account SET amount = amount + 7 WHERE id = ?", arguments: [to])
          if round % 10 == 9 { try db.execute(sql: "UPDATE account SET filler = randomblob(900)") }
        }
      }
      try fixture.archiveNow(session)
      try follower.follow()
    }
    isDone.set(true)
    group.wait()
    #expect(failures.value == [])
    try session.stop()
  }

  @Test func `a file that isn't its own isn't touched`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    let path = fixture.folder.path("replica.db")
    let mine = try DatabaseQueue(path: path, key: ArchiveFixture.key)
    try mine.write { try $0.execute(sql: "CREATE TABLE mine (x)") }
    try mine.close()
    #expect(throws: ArchiveError.foreignFile(path)) { try fixture.follower() }
    #expect(
      try DatabaseQueue(path: path, key: ArchiveFixture.key).read { try $0.tableExists("mine") })
    try session.stop()
  }

  @Test func `two followers of one file exclude each other, and a follower's pool only reads`()
    throws
  {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    let follower = try fixture.follower()
    #expect(throws: DatabaseError.self) { try fixture.follower() }
    #expect(throws: DatabaseError.self) {
      try follower.pool.write { try $0.execute(sql: "CREATE TABLE mine (x)") }
    }
    try follower.close()
    try fixture.follower().close()
    try session.stop()
  }

  @Test func `while the destination is away, reads go on, and the lag tells it`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    let follower = try fixture.follower()
    try follower.follow()
    fixture.destination.fail { _, _ in true }
    fixture.clock.advance(90)
    #expect(throws: MemoryDestination.Failure.self) { try follower.follow() }
    #expect(follower.lag >= .seconds(90))
    #expect(follower.lastError is MemoryDestination.Failure)
    _ = try ArchiveFixture.content(of: follower.pool)
    fixture.destination.fail { _, _ in false }
    try follower.follow()
    #expect(follower.lag == .zero)
    #expect(follower.lastError == nil)
    try session.stop()
  }
}

extension ArchiveFixture {
  func follower() throws -> ArchiveFollower {
    try ArchiveFollower(archive, path: folder.path("replica.db"), key: Self.key)
  }
}
