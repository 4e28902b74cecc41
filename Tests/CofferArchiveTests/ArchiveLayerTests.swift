import CofferExpectations
import CofferTestSupport
import Dispatch
import Foundation
import Testing

@testable import Coffer
@testable import CofferArchive
@testable import CofferCore

@Suite struct ArchiveLayerTests {
  private static let small = CommitCapture.Limits(pieceSize: 5 * 4_100, pieceCount: 4)

  // MARK: Sessions that end inside of something

  @Test func `what a stopped session had copied for a layer comes with the next session's`() throws
  {
    let fixture = try ArchiveFixture { $0.limits = Self.small }
    let destination = HookedDestination(fixture.destination)
    let archive = ArchiveFixture.archived(fixture, to: destination)
    try fixture.makeWideRows(30)
    var session = try archive.start(fixture.pool)
    try fixture.archiveAll(session)
    fixture.clock.advance(301)
    try fixture.set([1], 1)
    try fixture.archiveAll(session)
    #expect(try fixture.layers(0).count == 1)
    try fixture.set(Array(1...30), 2)
    try fixture.archiveAll(session)
    fixture.clock.advance(301)
    let (once, isStopped) = (Once(), DispatchGroup())
    destination.before { [session] call, name in
      guard call == "put", name.hasPrefix("layer/"), once.first() else { return }
      detachThread(group: isStopped) { try session.stop() }
      usleep(100_000)
    }
    _ = try? session.workNow()
    isStopped.wait()
    destination.unhook()
    #expect(try fixture.layers(0).count == 1)

    session = try archive.start(fixture.pool)
    try fixture.set([30], 3)
    fixture.clock.advance(301)
    try fixture.archiveAll(session)
    try session.stop()
    try fixture.checkContents()
  }

  @Test func `a summary has the dates of the commits as of which pages are kept`() throws {
    let fixture = try ArchiveFixture { $0.limits = Self.small }
    try fixture.makeWideRows(30)
    let session = try fixture.start()
    for round in 1...4 {
      for number in 0..<3 {
        try fixture.set([1], 10 * round + number)
        try fixture.archiveAll(session)
        fixture.clock.advance(101)
      }
    }
    try session.stop()
    let layers = try fixture.manifest().layers
    #expect(layers.count > 2)
    for range in try fixture.archive.list(key: ArchiveFixture.key) {
      let commits = range.first.number...range.last.number
      let kept = Set(layers.map(\.last).filter { commits.contains($0) })
      #expect(range.dated.first == range.first && range.dated.last == range.last)
      #expect(
        range.dated.map(\.number) == kept.union([range.first.number, range.last.number]).sorted())
      for commit in range.dated {
        let layer = layers.first { $0.last == commit.number }
        #expect(layer.map { Date(archivedMilliseconds: $0.date) == commit.date } != false)
        _ = try fixture.restored(.commit(commit.number))
      }
    }
  }

  @Test func `a layer whose manifest could not be stored before the stop is made again`() throws {
    let fixture = try ArchiveFixture { $0.limits = Self.small }
    try fixture.makeWideRows(30)
    var session = try fixture.start()
    try fixture.archiveAll(session)
    fixture.clock.advance(301)
    try fixture.set([1], 1)
    try fixture.archiveAll(session)
    try fixture.set(Array(1...30), 2)
    try fixture.archiveAll(session)
    fixture.clock.advance(301)
    fixture.destination.fail { $0 == "put" && $1.hasPrefix("manifest/") }
    #expect(throws: MemoryDestination.Failure.self) { try session.workNow() }
    #expect(throws: MemoryDestination.Failure.self) { try session.stop() }
    fixture.destination.fail { _, _ in false }

    session = try fixture.start()
    try fixture.set([30], 3)
    fixture.clock.advance(301)
    try fixture.archiveAll(session)
    try session.stop()
    try fixture.checkContents()
  }

  @Test func `a state from before a gap isn't gone on with, where the gap has no segment`() throws {
    let fixture = try ArchiveFixture()
    try fixture.makeWideRows(10)
    var session = try fixture.start()
    try fixture.set([1, 2], 1)
    try fixture.archiveAll(session)
    try session.stop()
    let state = try fixture.state()

    session = try ArchiveFixture.archived(fixture, to: fixture.destination) {
      $0.maximumLogSize = 1
    }.start(fixture.pool)
    var states: Set<String> = [try ArchiveFixture.content(of: fixture.pool)]
    for value in 2...6 {
      try fixture.set([1, 2 + value], value)
      states.insert(try ArchiveFixture.content(of: fixture.pool))
    }
    try fixture.archiveAll(session)
    // A power cut: what was written beside the database last is lost.
    let objects = fixture.destination.objects
    try session.stop()
    fixture.destination.objects = objects
    try fixture.setState(state)

    session = try fixture.start()
    try fixture.archiveAll(session)
    try fixture.set([1], 7)
    states.insert(try ArchiveFixture.content(of: fixture.pool))
    try fixture.archiveAll(session)
    try session.stop()
    try fixture.checkContents()
    for number in 1...(fixture.contents.keys.max() ?? 0) {
      guard let restored = try? fixture.restored(.commit(number)) else { continue }
      #expect(number == 1 || states.contains(restored.content), "commit \(number)")
    }
  }

  @Test func `a state from before a gap isn't gone on with, where segments follow the gap`() throws
  {
    let fixture = try ArchiveFixture()
    try fixture.makeWideRows(10)
    var session = try fixture.start()
    try fixture.archiveAll(session)
    try fixture.set([1], 1)
    fixture.clock.advance(301)
    try fixture.archiveAll(session)
    try fixture.set([2], 2)
    try fixture.archiveAll(session)
    try session.stop()
    let state = try fixture.state()

    session = try ArchiveFixture.archived(fixture, to: fixture.destination) {
      $0.maximumLogSize = 40_000
    }.start(fixture.pool)
    // The session's first work is over before the gap.
    try session.workNow()
    try fixture.write(200)
    try fixture.set([3], 3)
    fixture.destination.fail { $0 == "put" && $1.hasPrefix("layer/") }
    #expect(throws: MemoryDestination.Failure.self) { try session.workNow() }
    try fixture.set([4], 4)
    #expect(throws: MemoryDestination.Failure.self) { try session.workNow() }
    let objects = fixture.destination.objects
    fixture.destination.fail { _, _ in false }
    _ = try? session.stop()
    fixture.destination.objects = objects
    try fixture.setState(state)

    session = try fixture.start()
    try fixture.archiveAll(session)
    try fixture.set([5], 5)
    fixture.clock.advance(301)
    try fixture.archiveAll(session)
    try fixture.set([6], 6)
    try fixture.archiveAll(session)
    try session.stop()
    #expect(try fixture.manifest().gaps.count == 2)
    #expect(try fixture.layers(0).count == 2)
    try fixture.checkContents()
  }

  @Test func `layers after a kill inside a large commit have its first pages, too`() throws {
    let fixture = try ArchiveFixture {
      $0.limits = CommitCapture.Limits(pieceSize: 5 * 4_100, pieceCount: 2)
    }
    try fixture.makeWideRows(30)
    var session = try fixture.start()
    try fixture.archiveAll(session)
    fixture.clock.advance(301)
    try fixture.set([1], 1)
    try fixture.archiveAll(session)
    #expect(try fixture.layers(0).count == 1)
    let last = try fixture.manifest().tip.sequence
    try fixture.pool.write { db in
      try db.execute(sql: "UPDATE item SET text = '2'")
      for _ in 0..<100 {
        try db.execute(sql: "INSERT INTO item (text, data) VALUES ('', randomblob(3000))")
      }
    }
    fixture.destination.fail { call, name in
      call == "put" && name >= ObjectName.segment(last + 9) && name.hasPrefix("log/")
    }
    #expect(throws: MemoryDestination.Failure.self) { try session.workNow() }
    let objects = fixture.destination.objects
    fixture.destination.fail { _, _ in false }
    _ = try? session.stop()
    fixture.destination.objects = objects
    // The state is lost, as for a database that was moved.
    try fixture.setState(fixture.state().prefix(4_096))

    session = try fixture.start()
    try fixture.archiveAll(session)
    try fixture.set([2], 3)
    fixture.clock.advance(301)
    try fixture.archiveAll(session)
    try session.stop()
    #expect(try fixture.manifest().gaps == [1])
    #expect(try fixture.layers(0).count == 2)
    try fixture.checkContents()
  }

  // MARK: Copies that don't end by themselves

  @Test(.timeLimit(.minutes(10)))
  func
    `a copy ends though pages are changed faster than it is stored, and nobody is told too much`()
    throws
  {
    let fixture = try ArchiveFixture {
      $0.limits = Self.small
      $0.levelIntervals = Array(repeating: .seconds(99 * 86_400), count: 3)
    }
    try fixture.makeWideRows(100)
    let destination = HookedDestination(fixture.destination)
    let session = try ArchiveFixture.archived(fixture, to: destination).start(fixture.pool)
    try fixture.archiveAll(session)
    let pool = fixture.pool
    let (next, group) = (Locked(0), DispatchGroup())
    let archived = Locked<[(number: UInt64, value: Int)]>([])
    try fixture.pool.write { try $0.execute(sql: "CREATE TABLE counter AS SELECT 0 AS value") }
    destination.before { call, name in
      guard call == "put", name.hasPrefix("layer/") else { return }
      next.increment()
      let value = next.value
      try pool.write { db in
        try db.execute(
          sql: "UPDATE item SET text = ? WHERE id % 8 = ?", arguments: ["\(value)", value % 8])
        try db.execute(sql: "UPDATE counter SET value = ?", arguments: [value])
      }
      guard value % 7 == 0 else { return }
      detachThread(group: group) {
        let number = try session.archiveNow().number
        archived.update { $0.append((number, value)) }
      }
      usleep(20_000)
    }
    fixture.clock.advance(8 * 86_400)
    try session.workNow()
    for _ in 0..<1_000 where try fixture.layers(3).count < 2 { try session.workNow() }
    destination.unhook()
    group.wait()
    #expect(try fixture.layers(3).count >= 2)
    try fixture.archiveAll(session)
    try session.stop()
    try fixture.checkContents()
    #expect(!archived.value.isEmpty)
    for (number, value) in archived.value {
      let target = fixture.folder.path("target-\(value).db")
      try fixture.archive.restore(to: target, at: .commit(number), key: ArchiveFixture.key)
      let queue = try DatabaseQueue(path: target, key: ArchiveFixture.key)
      let stored = try queue.read { try Int.fetchOne($0, sql: "SELECT value FROM counter") }
      #expect(try #require(stored) >= value, "commit \(number)")
    }
  }

  // MARK: Retention

  @Test func `a session that begins with a clock that is far ahead keeps what was kept`() throws {
    let fixture = try ArchiveFixture {
      $0.levelIntervals = [.seconds(300), .seconds(600), .seconds(1_200)]
      let most = Duration.seconds(1_000)
      $0.retention = ArchiveRetention(commits: most, fiveMinutes: most, hours: most, days: most)
    }
    func archiveSome() throws {
      let session = try fixture.start()
      for _ in 0..<3 {
        try fixture.write()
        fixture.clock.advance(301)
        try fixture.archiveAll(session)
      }
      try session.stop()
    }
    try archiveSome()
    let before = fixture.contents
    #expect(before.keys.allSatisfy(fixture.isKept))
    fixture.clock.date += 200 * 86_400
    fixture.contents = [:]
    let session = try fixture.start()
    try fixture.write()
    fixture.clock.advance(301)
    try fixture.archiveAll(session)
    #expect(before.keys.allSatisfy(fixture.isKept))
    // The time goes on, nevertheless.
    for _ in 0..<5 {
      try fixture.write()
      fixture.clock.advance(301)
      try fixture.archiveAll(session)
    }
    #expect(!before.keys.allSatisfy(fixture.isKept))
    try session.stop()
  }

  @Test func `two layers of one commit leave the log that its base needs`() throws {
    let fixture = try ArchiveFixture {
      $0.levelIntervals = [.seconds(300), .seconds(300), .seconds(86_400)]
      $0.retention.commits = .seconds(1_000)
    }
    let destination = HookedDestination(fixture.destination)
    let archive = ArchiveFixture.archived(fixture, to: destination)
    try fixture.makeWideRows(10)
    let session = try archive.start(fixture.pool)
    try fixture.archiveAll(session)
    try fixture.set([1], 1)
    try fixture.archiveAll(session)
    try fixture.set([2], 2)
    // A commit comes between the segment and the layers.
    let once = Once()
    let pool = fixture.pool
    destination.after { call, name in
      guard name.hasPrefix("log/"), once.first() else { return }
      try pool.write { try $0.execute(sql: "UPDATE item SET text = 'x' WHERE id = 3") }
    }
    fixture.clock.advance(301)
    try fixture.archiveAll(session)
    destination.unhook()
    fixture.contents = [:]
    for value in 4...9 {
      try fixture.set([value], value)
      fixture.clock.advance(value == 9 ? 301 : 200)
      try fixture.archiveAll(session)
      fixture.contents = fixture.contents.filter { fixture.isKept($0.key) }
      try fixture.checkContents()
    }
    for _ in 0..<6 {
      fixture.clock.advance(301)
      try fixture.archiveAll(session)
      fixture.contents = fixture.contents.filter { fixture.isKept($0.key) }
      try fixture.checkContents()
    }
    try session.stop()
    #expect(try fixture.archive.verify(key: ArchiveFixture.key) == [])
  }
}

extension ArchiveFixture {
  /// Whether the summary has a commit.
  func isKept(_ number: UInt64) -> Bool {
    guard let summary = try? archive.summary(key: Self.key) else { return true }
    return summary.ranges.contains { $0.first.number <= number && number <= $0.last.number }
  }
}
