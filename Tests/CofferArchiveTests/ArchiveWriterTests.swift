import CofferExpectations
import CofferTestSupport
import Dispatch
import Foundation
import Testing

@testable import Coffer
@testable import CofferArchive
@testable import CofferCore

@Suite struct ArchiveWriterTests {
  // MARK: Failing destinations

  /// Runs a fixed program, in which the call with a number fails.
  ///
  /// - Returns: The number of calls.
  private static func run(failing: Int, storing: Bool, times: Int = 1) throws -> Int {
    let fixture = try ArchiveFixture {
      $0.levelIntervals = [.seconds(10), .seconds(20), .seconds(40)]
      $0.retention = ArchiveRetention(
        commits: .seconds(30), fiveMinutes: .seconds(60), hours: .seconds(100), days: .seconds(200))
      $0.limits = CommitCapture.Limits(pieceSize: 20 * 4_100, pieceCount: 2)
    }
    let calls = Locked(0)
    fixture.destination.fail(storing: storing) { _, _ in
      calls.update { $0 += 1 }
      return (failing..<(failing + times)).contains(calls.value)
    }
    func trying<T>(_ body: () throws -> T) throws -> T {
      var failures = 0
      while true {
        do { return try body() } catch is MemoryDestination.Failure {
          failures += 1
          if failures > times + 2 { throw MemoryDestination.Failure() }
        }
      }
    }
    for _ in 0..<2 {
      let session = try trying { try fixture.start() }
      for step in 0..<4 {
        try fixture.write(step == 2 ? 150 : 3)
        fixture.clock.advance(11)
        try trying { try session.workNow() }
        let number = try trying { try session.archiveNow().number }
        fixture.contents[number] = try ArchiveFixture.content(of: fixture.pool)
        #expect(session.status.isRunning)
        #expect(session.status.archived?.number == number)
        #expect(session.status.lastError == nil)
      }
      do { try session.stop() } catch is MemoryDestination.Failure {}
      #expect(!session.status.isRunning)
    }
    fixture.destination.fail { _, _ in false }
    let last = try #require(fixture.contents.keys.max())
    #expect(try fixture.restored().commit.number == last)
    for (number, content) in fixture.contents where fixture.isKept(number) {
      #expect(try fixture.restored(.commit(number)).content == content)
    }
    #expect(try fixture.archive.verify(key: ArchiveFixture.key) == [])
    return calls.value
  }

  @Test(arguments: [(false, 1), (true, 1), (true, 2), (false, 3), (true, 3)])
  func `each single call of a destination may fail`(storing: Bool, times: Int) throws {
    let count = try Self.run(failing: .max / 2, storing: false)
    let step = max(1, count / trialCount(4))
    var random = SeededGenerator()
    for call in stride(from: Int.random(in: 1...step, using: &random), through: count, by: step) {
      do {
        _ = try Self.run(failing: call, storing: storing, times: times)
      } catch {
        Issue.record("call \(call) of \(count), storing \(storing), \(times) times: \(error)")
      }
    }
  }

  @Test func `a manifest that was stored though its call failed is the writer's own`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    try fixture.write()
    let once = Once()
    fixture.destination.fail(storing: true) { call, name in
      call == "put" && name.hasPrefix("manifest/") && once.first()
    }
    fixture.clock.advance(301)
    #expect(throws: MemoryDestination.Failure.self) { try session.workNow() }
    fixture.clock.advance(60)
    try fixture.archiveNow(session)
    try session.stop()
    try fixture.checkContents()
  }

  @Test func `two manifests that were stored though their calls failed are the writer's own`()
    throws
  {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    fixture.clock.advance(301)
    fixture.destination.fail(storing: true) { $0 == "put" && $1.hasPrefix("manifest/") }
    for _ in 0..<3 {
      try fixture.write()
      #expect(throws: MemoryDestination.Failure.self) { try session.workNow() }
    }
    fixture.destination.fail { _, _ in false }
    try fixture.archiveAll(session)
    try session.stop()
    try fixture.checkContents()
  }

  @Test func `a destination that is away for long costs nothing but time`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    fixture.destination.fail { _, _ in true }
    for _ in 0..<20 {
      try fixture.write(20)
      fixture.clock.advance(3_600)
      #expect(throws: MemoryDestination.Failure.self) { try session.archiveNow() }
    }
    #expect(session.status.isRunning)
    #expect(session.status.lastError is MemoryDestination.Failure)
    #expect(session.status.lag >= .seconds(20 * 3_600))
    #expect(session.status.waitingByteCount > 0)
    fixture.destination.fail { _, _ in false }
    let number = try fixture.archiveNow(session)
    #expect(number == 21)
    #expect(session.status.lag == .zero)
    #expect(session.status.waitingByteCount == 0)
    #expect(session.status.lastError == nil)
    try session.stop()
    #expect(try fixture.manifest().gaps == [1])
    try fixture.checkContents()
  }

  // MARK: The log's size

  private func logSize(_ fixture: ArchiveFixture) throws -> Int {
    let size = try FileManager.default.attributesOfItem(atPath: fixture.path + "-wal")[.size]
    return try #require(size as? Int)
  }

  @Test func `the log's limit holds while the destination is away, whoever writes`() throws {
    let fixture = try ArchiveFixture { $0.maximumLogSize = 100 * 4_120 }
    let session = try fixture.start()
    try fixture.archiveNow(session)
    let other = try ArchiveFixture.open(fixture.path) {
      $0.checkpointPolicy = CheckpointPolicy(automaticPageCount: 50, maximumPageCount: 200)
    }
    fixture.destination.fail { _, _ in true }
    for _ in 0..<60 {
      try other.write { db in
        for _ in 0..<20 {
          try db.execute(sql: "INSERT INTO item (text, data) VALUES ('', randomblob(4000))")
        }
      }
      fixture.clock.advance(60)
      #expect(throws: MemoryDestination.Failure.self) { try session.archiveNow() }
    }
    #expect(try logSize(fixture) < 500 * 4_120)
    fixture.destination.fail { _, _ in false }
    for _ in 0..<3 {
      try fixture.write()
      try fixture.archiveNow(session)
    }
    try session.stop()
    try fixture.checkContents()
  }

  @Test(arguments: [false, true])
  func `the log stays short while all pages are being stored slowly`(isOther: Bool) throws {
    let policy = CheckpointPolicy(automaticPageCount: 50, maximumPageCount: 200)
    let fixture = try ArchiveFixture {
      $0.limits = CommitCapture.Limits(pieceSize: 10 * 4_100, pieceCount: 4)
      $0.interval = .milliseconds(20)
      let start = ContinuousClock.now
      $0.elapsed = { start.duration(to: .now) }
    }
    fixture.pool = try ArchiveFixture.open(fixture.path) { $0.checkpointPolicy = policy }
    try fixture.makeWideRows(300)
    let destination = HookedDestination(fixture.destination)
    destination.before { call, name in
      if call == "put", name.hasPrefix("layer/") { usleep(30_000) }
    }
    let writer =
      isOther
      ? try ArchiveFixture.open(fixture.path) { $0.checkpointPolicy = policy } : fixture.pool
    let session = try ArchiveFixture.archived(fixture, to: destination).start(fixture.pool)
    let largest = Locked(0)
    let (isDone, group) = (Locked(false), DispatchGroup())
    detachThread(group: group) {
      while !isDone.value {
        try writer.write {
          try $0.execute(sql: "UPDATE item SET text = random() WHERE id = 1 + abs(random() % 300)")
        }
        usleep(10_000)
      }
    }
    let end = ContinuousClock.now + .seconds(10)
    while session.status.archived == nil, ContinuousClock.now < end {
      let size = try logSize(fixture)
      largest.update { $0 = max($0, size) }
      usleep(20_000)
    }
    isDone.set(true)
    group.wait()
    #expect(session.status.archived != nil)
    #expect(largest.value < 600 * 4_120, "\(largest.value / 4_120) frames")
    try fixture.archiveNow(session)
    try session.stop()
    try fixture.checkContents()
  }

  // MARK: Two writers

  @Test func `an archive has one writer, until another one takes it over`() throws {
    let fixture = try ArchiveFixture()
    let first = try fixture.start()
    try fixture.write()
    try fixture.archiveNow(first)
    // A copy of the database, with the file beside it.
    let copy = fixture.folder.path("copy.db")
    for suffix in ["", "-wal", "-archive"] {
      try FileManager.default.copyItem(atPath: fixture.path + suffix, toPath: copy + suffix)
    }
    let pool = try ArchiveFixture.open(copy)
    #expect(throws: ArchiveError.writerExists) { try fixture.archive.start(pool) }
    #expect(throws: ArchiveError.archivedAlready(fixture.path)) {
      try fixture.archive.start(fixture.pool)
    }
    #expect(throws: ArchiveError.writerExists) {
      try fixture.archive.prune(key: ArchiveFixture.key)
    }
    let objects = fixture.destination.objects
    let second = try ArchiveFixture.archived(fixture, to: fixture.destination) {
      $0.takesOver = true
    }.start(pool)
    fixture.clock.advance(60)
    try fixture.write()
    #expect(throws: ArchiveError.superseded) { try first.archiveNow() }
    #expect(!first.status.isRunning)
    #expect(throws: ArchiveError.superseded) { try first.stop() }
    #expect(throws: ArchiveError.superseded) { try first.archiveNow() }
    try pool.write { try $0.execute(sql: "INSERT INTO item (text) VALUES ('second')") }
    let number = try second.archiveNow().number
    fixture.contents[number] = try ArchiveFixture.content(of: pool)
    try second.stop()
    // Old manifests and what isn't kept are deleted, but nothing is overwritten.
    for (name, object) in objects {
      let stored = fixture.destination.objects[name]
      #expect(stored == nil || stored == object)
    }
    try fixture.checkContents()
    #expect(try fixture.archive.verify(key: ArchiveFixture.key) == [])
  }

  @Test func `a writer that doesn't know of its successor yet adds nothing to the archive`() throws
  {
    let fixture = try ArchiveFixture()
    try fixture.makeWideRows(10)
    let first = try fixture.start()
    try fixture.set([1, 2], 1)
    try fixture.archiveNow(first)
    let copy = fixture.folder.path("copy.db")
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: fixture.path + suffix, toPath: copy + suffix)
    }
    let pool = try ArchiveFixture.open(copy)
    try pool.write { try $0.execute(sql: "UPDATE item SET text = 'second'") }
    try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    let second = try ArchiveFixture.archived(fixture, to: fixture.destination) {
      $0.takesOver = true
    }.start(pool)
    fixture.contents[try second.archiveNow().number] = try ArchiveFixture.content(of: pool)
    // The lease's interval hasn't passed.
    var states: Set<String> = Set(fixture.contents.values)
    for value in 2...4 {
      try fixture.set([1, value + 1], value)
      states.insert(try ArchiveFixture.content(of: fixture.pool))
      if let number = try? first.archiveNow().number {
        Issue.record("the first writer says that commit \(number) is archived")
      }
    }
    try pool.write { try $0.execute(sql: "INSERT INTO item (text) VALUES ('second')") }
    states.insert(try ArchiveFixture.content(of: pool))
    fixture.contents[try second.archiveNow().number] = try ArchiveFixture.content(of: pool)
    #expect(second.status.isRunning)
    try second.stop()
    try fixture.checkContents()
    for number in 2...10 as ClosedRange<UInt64> {
      guard let restored = try? fixture.restored(.commit(number)) else { continue }
      #expect(states.contains(restored.content), "commit \(number)")
    }
  }

  @Test func `a foreign file in the place of the writer's own is left alone`() throws {
    let fixture = try ArchiveFixture()
    for bytes in ["mine", String(repeating: "mine ", count: 1_000)] {
      try Data(bytes.utf8).write(to: URL(fileURLWithPath: fixture.statePath))
      #expect(throws: DatabaseError.self) { try fixture.start() }
      #expect(try fixture.state() == Data(bytes.utf8))
    }
    #expect(fixture.destination.names.isEmpty)
    try FileManager.default.removeItem(atPath: fixture.statePath)
    let other = fixture.folder.path("other")
    try Data("other".utf8).write(to: URL(fileURLWithPath: other))
    try FileManager.default.createSymbolicLink(
      atPath: fixture.statePath, withDestinationPath: other)
    #expect(throws: DatabaseError.self) { try fixture.start() }
    #expect(try String(contentsOfFile: other, encoding: .utf8) == "other")
    try FileManager.default.removeItem(atPath: fixture.statePath)
    try fixture.start().stop()
  }

  @Test func `other objects in the destination are no reason not to start`() throws {
    let fixture = try ArchiveFixture()
    var session = try fixture.start()
    for _ in 0..<3 {
      try fixture.write()
      try fixture.archiveNow(session)
    }
    try session.stop()
    for name in ["log/x", "log/0", "manifest/x", "layer/y", "log/zz-0000000000000001"] {
      _ = try fixture.destination.putIfAbsent(name, Data("foreign".utf8))
    }
    session = try fixture.start()
    try fixture.write()
    try fixture.archiveNow(session)
    try session.stop()
    try fixture.checkContents()
    #expect(try fixture.archive.verify(key: ArchiveFixture.key) == [])
    #expect(fixture.destination.objects["log/x"] == Data("foreign".utf8))
  }

  // MARK: Calls at any time

  @Test func `calls after the end say so`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    try session.stop()
    try session.stop()
    #expect(throws: ArchiveError.ended) { try session.archiveNow() }
    #expect(!session.status.isRunning)
    #expect(session.status.archived?.number == 1)
    let next = try fixture.start()
    #expect(throws: ArchiveError.ended) { try session.archiveNow() }
    try fixture.write()
    #expect(try fixture.archiveNow(next) == 2)
    try fixture.pool.close()
    try next.stop()
    try fixture.checkContents()
  }

  @Test(.timeLimit(.minutes(10)))
  func `calls inside of a write, a read and an observer of transactions return`() throws {
    final class Observer: TransactionObserver {
      let session: ArchiveSession
      let numbers = Locked<[UInt64]>([])
      init(_ session: ArchiveSession) { self.session = session }
      func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
      func databaseDidChange(with event: DatabaseEvent) {}
      func databaseDidCommit(_ db: Database) {
        do { numbers.append(try session.archiveNow().number) } catch { Issue.record(error) }
      }
      func databaseDidRollback(_ db: Database) {}
    }
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    for _ in 0..<3 {
      let number = try fixture.pool.write { db in
        try db.execute(sql: "INSERT INTO item (text) VALUES ('x')")
        return try session.archiveNow().number
      }
      #expect(try session.archiveNow().number == number + 1)
      _ = try fixture.pool.read { _ in try session.archiveNow() }
    }
    let observer = Observer(session)
    fixture.pool.add(transactionObserver: observer)
    for _ in 0..<3 { try fixture.write() }
    #expect(observer.numbers.value == [5, 6, 7])
    try fixture.pool.write { db in
      try db.execute(sql: "INSERT INTO item (text) VALUES ('x')")
      fixture.pool.remove(transactionObserver: observer)
      try session.stop()
    }
    let next = try fixture.start()
    #expect(try fixture.archiveNow(next) == 8)
    try next.stop()
    try fixture.checkContents()
  }

  @Test(.timeLimit(.minutes(10)))
  func `each archiveNow has the commits before it, while eight threads write`() throws {
    let fixture = try ArchiveFixture {
      $0.limits = CommitCapture.Limits(pieceSize: 4 * 4_100, pieceCount: 2)
      $0.levelIntervals = [.milliseconds(50), .milliseconds(200), .seconds(1)]
      let start = ContinuousClock.now
      $0.elapsed = { start.duration(to: .now) }
      $0.interval = .milliseconds(10)
    }
    fixture.pool = try ArchiveFixture.open(fixture.path) {
      $0.checkpointPolicy = CheckpointPolicy(automaticPageCount: 20, maximumPageCount: 100)
    }
    try fixture.pool.write {
      try $0.execute(sql: "CREATE TABLE counter (writer INTEGER PRIMARY KEY, value INT)")
    }
    let session = try fixture.start()
    let pool = fixture.pool
    let group = DispatchGroup()
    let archived = Locked<[(commit: UInt64, writer: Int, value: Int)]>([])
    let count = trialCount(25)
    for writer in 0..<8 {
      detachThread(group: group) {
        for value in 1...count {
          try pool.write { db in
            try db.execute(
              sql: "INSERT OR REPLACE INTO counter VALUES (?, ?)", arguments: [writer, value])
            try db.execute(sql: "INSERT INTO item (text, data) VALUES ('', randomblob(3000))")
          }
          guard writer < 3 else { continue }
          let commit = try session.archiveNow().number
          archived.update { $0.append((commit, writer, value)) }
        }
      }
    }
    group.wait()
    try fixture.archiveNow(session)
    try session.stop()
    try fixture.checkContents()
    var random = SeededGenerator()
    for (commit, writer, value) in archived.value.shuffled(using: &random).prefix(20) {
      let target = fixture.folder.path("target-\(commit)-\(writer)-\(value).db")
      try fixture.archive.restore(to: target, at: .commit(commit), key: ArchiveFixture.key)
      let queue = try DatabaseQueue(path: target, key: ArchiveFixture.key)
      let stored = try queue.read {
        try Int.fetchOne(
          $0, sql: "SELECT value FROM counter WHERE writer = ?", arguments: [writer])
      }
      #expect(try #require(stored) >= value, "commit \(commit)")
    }
    #expect(try fixture.archive.verify(key: ArchiveFixture.key) == [])
  }

  @Test func `the status tells how old the archive is, also while a call hangs`() throws {
    let fixture = try ArchiveFixture()
    let destination = HookedDestination(fixture.destination)
    let session = try ArchiveFixture.archived(fixture, to: destination).start(fixture.pool)
    try fixture.archiveNow(session)
    fixture.clock.advance(100)
    try fixture.archiveNow(session)
    #expect(session.status.lag == .zero)
    try fixture.write()
    #expect(session.status.lag == .zero)
    #expect(session.status.waitingByteCount > 0)
    let (hangs, goesOn, group) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup()
    )
    destination.before { call, name in
      guard call == "put", name.hasPrefix("log/") else { return }
      hangs.signal()
      goesOn.wait()
    }
    detachThread(group: group) { _ = try session.archiveNow() }
    hangs.wait()
    fixture.clock.advance(50)
    #expect(session.status.lag == .seconds(50))
    #expect(session.status.waitingByteCount > 0)
    #expect(session.status.archived?.number == 1)
    try fixture.write()
    fixture.clock.advance(50)
    #expect(session.status.lag == .seconds(100))
    destination.unhook()
    goesOn.signal()
    group.wait()
    try fixture.archiveNow(session)
    #expect(session.status.lag == .zero)
    #expect(session.status.waitingByteCount == 0)
    #expect(session.status.archived?.number == 3)
    try session.stop()
  }

  // MARK: Keys

  @Test func `a changed key ends the session, and its pages are in no object of the old one`()
    throws
  {
    let fixture = try ArchiveFixture { $0.limits.pieceSize = 10 * 4_100 }
    try fixture.makeWideRows(100)
    let session = try fixture.start()
    try fixture.archiveNow(session)
    let number = try fixture.archiveNow(session)
    let other = try DatabaseKey.raw([UInt8](repeating: 6, count: 32))
    try fixture.pool.changeKey(to: other)
    try fixture.pool.write { try $0.execute(sql: "INSERT INTO item (text) VALUES ('new key')") }
    #expect(throws: ArchiveError.changedKey) { try session.archiveNow() }
    #expect(!session.status.isRunning)
    #expect(throws: ArchiveError.changedKey) { try session.stop() }
    #expect(throws: ArchiveError.self) { try fixture.start() }
    #expect(try fixture.restored().commit.number == number)
    try fixture.checkContents()
    #expect(try fixture.archive.verify(key: ArchiveFixture.key) == [])
    // Another destination works.
    let archive = ArchiveFixture.archived(fixture, to: MemoryDestination())
    let next = try archive.start(fixture.pool)
    try next.archiveNow()
    try next.stop()
    let target = fixture.folder.path("target.db")
    try archive.restore(to: target, key: other)
    let content = try ArchiveFixture.content(of: DatabaseQueue(path: target, key: other))
    #expect(try content == ArchiveFixture.content(of: fixture.pool))
  }

  @Test func `a key that was changed between sessions isn't the archive's`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    try session.stop()
    try fixture.pool.changeKey(to: .raw([UInt8](repeating: 6, count: 32)))
    let objects = fixture.destination.objects
    #expect(throws: ArchiveError.self) { try fixture.start() }
    #expect(fixture.destination.objects == objects)
    try fixture.checkContents()
  }
}
