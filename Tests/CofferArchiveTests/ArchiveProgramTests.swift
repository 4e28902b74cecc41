import CofferTestSupport
import Foundation
import Testing

@testable import Coffer
@testable import CofferArchive
@testable import CofferCore

/// Random programs of writes, of clocks that go on, and of sessions that end in each way. After
/// each of them, what the archive says to have is restored and compared.
@Suite struct ArchiveProgramTests {
  private static func configuration(_ configuration: inout ArchiveConfiguration) {
    configuration.levelIntervals = [.seconds(10), .seconds(40), .seconds(120)]
    configuration.snapshotInterval = .seconds(300)
    configuration.retention = ArchiveRetention(
      commits: .seconds(100), fiveMinutes: .seconds(200), hours: .seconds(400), days: .seconds(800))
    configuration.leaseInterval = .seconds(5)
  }

  /// A program with a seed.
  private struct Program {
    var random: SeededGenerator
    let fixture: ArchiveFixture
    let destination: HookedDestination
    var session: ArchiveSession?
    var dates: [UInt64: Date] = [:]
    var log: [String] = []
    /// The state beside the database at earlier times.
    var states: [Data] = []

    init(_ seed: UInt64) throws {
      random = SeededGenerator(state: seed)
      var random = random
      fixture = try ArchiveFixture {
        ArchiveProgramTests.configuration(&$0)
        $0.limits = CommitCapture.Limits(
          pieceSize: [3, 10, 1_000].randomElement(using: &random)! * 4_100,
          pieceCount: Int.random(in: 1...4, using: &random))
        $0.maximumLogSize = [1 << 30, 60 * 4_120].randomElement(using: &random)!
      }
      self.random = random
      destination = HookedDestination(fixture.destination)
      try open()
    }

    var archive: Archive { ArchiveFixture.archived(fixture, to: destination) }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func open() throws {
      let pages = number(0...2) * 40 + 10
      fixture.pool = try ArchiveFixture.open(fixture.path) {
        $0.checkpointPolicy = CheckpointPolicy(
          automaticPageCount: pages, maximumPageCount: 4 * pages)
      }
    }

    // MARK: Steps

    mutating func write() throws {
      let (kind, count) = (number(0...11), number(1...30))
      let (size, part) = (number(1...5_000), number(2...9))
      log.append("write \(kind)")
      switch kind {
      case 0:
        try fixture.pool.writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
      case 1:
        try fixture.pool.write {
          try $0.execute(sql: "DELETE FROM item WHERE id % ? = 0", arguments: [part])
        }
      case 2:
        try fixture.pool.write { db in
          try db.execute(sql: "CREATE TABLE IF NOT EXISTS other (data)")
          for _ in 0..<count {
            try db.execute(sql: "INSERT INTO other VALUES (randomblob(?))", arguments: [size])
          }
        }
      case 3:
        try fixture.pool.write { try $0.execute(sql: "DROP TABLE IF EXISTS other") }
      case 4:
        try fixture.pool.write { db in
          for _ in 0..<(4 * count) {
            try db.execute(
              sql: "INSERT INTO item (text, data) VALUES ('large', randomblob(?))",
              arguments: [size])
          }
        }
      case 5:
        try fixture.pool.write {
          try $0.execute(sql: "UPDATE item SET text = 'u' || random() WHERE id % 5 = 1")
        }
      case 6:
        try? fixture.pool.write { db in
          try db.execute(sql: "DELETE FROM item")
          throw MemoryDestination.Failure()
        }
      default:
        try fixture.write(count)
      }
    }

    /// Archives, and notes the content.
    mutating func archiveNow() throws {
      guard let session else { return }
      log.append("archive")
      if number(0...2) > 0 { try session.workNow() }
      let commit = try session.archiveNow()
      let content = try ArchiveFixture.content(of: fixture.pool)
      if let known = fixture.contents[commit.number] {
        #expect(known == content, "commit \(commit.number) has two contents")
      }
      fixture.contents[commit.number] = content
      dates[commit.number] = fixture.clock.date
      states.append((try? fixture.state()) ?? Data())
      if states.count > 6 { states.removeFirst() }
    }

    mutating func step() throws {
      switch number(0...19) {
      case 0..<8: try write()
      case 8..<13: try archiveNow()
      case 13..<16:
        let seconds = [1, 6, 11, 45, 130, 310].randomElement(using: &random)!
        log.append("clock \(seconds)")
        fixture.clock.advance(seconds)
      case 16:
        log.append("stop")
        try session?.stop()
        session = nil
        try betweenSessions()
        log.append("start")
        session = try archive.start(fixture.pool)
      case 17:
        // Killed: what the session does after a moment is undone.
        log.append("kill")
        // The state is never newer than the objects.
        let state = try? fixture.state()
        let objects = fixture.destination.objects
        try? session?.stop()
        session = nil
        fixture.destination.objects = objects
        if let state { try fixture.setState(number(0...2) == 0 ? states.first ?? state : state) }
        try betweenSessions()
        log.append("start")
        session = try archive.start(fixture.pool)
      case 18:
        // One call fails, stored or not.
        let (after, stores) = (number(0...6), number(0...1) == 1)
        log.append("fail \(after) \(stores)")
        let count = Locked(0)
        fixture.destination.fail(storing: stores) { _, _ in
          count.increment()
          return count.value == after + 1
        }
        defer { fixture.destination.fail { _, _ in false } }
        do { try archiveNow() } catch is MemoryDestination.Failure {}
      default:
        log.append("checkpoint")
        let mode = [Database.CheckpointMode.passive, .full, .restart, .truncate]
          .randomElement(using: &random)!
        let other = try DatabaseQueue(path: fixture.path, key: ArchiveFixture.key)
        _ = try? other.writeWithoutTransaction { try $0.checkpoint(mode) }
        if number(0...1) == 0 {
          try other.write { try $0.execute(sql: "INSERT INTO item (text) VALUES ('other')") }
        }
        try other.close()
      }
    }

    private mutating func betweenSessions() throws {
      for _ in 0..<number(0...2) { try write() }
      switch number(0...3) {
      case 0:
        log.append("reopen")
        try fixture.pool.close()
        try open()
      case 1:
        log.append("truncate")
        try fixture.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
      default: break
      }
    }

    // MARK: Checks

    mutating func check() throws {
      guard session != nil else { return }
      try archiveNow()
      let summary = try archive.summary(key: ArchiveFixture.key)
      let last = try #require(fixture.contents.keys.max())
      #expect(summary.last?.number == last, "the summary's last one")
      #expect(try fixture.restored().commit.number == last)
      let limit = fixture.clock.date.addingTimeInterval(-95)
      var known: [UInt64] = []
      for (number, content) in fixture.contents {
        let isClaimed = summary.ranges.contains {
          $0.first.number <= number && number <= $0.last.number
        }
        let isYoung = dates[number]! >= limit
        #expect(isClaimed || !isYoung, "commit \(number) is young and isn't kept")
        if isClaimed { known.append(number) } else if !isYoung { fixture.contents[number] = nil }
        _ = content
      }
      for number in known.shuffled(using: &random).prefix(4) + [last] {
        guard let content = try restored(number) else { continue }
        #expect(content == fixture.contents[number], "commit \(number)")
      }
      for range in summary.ranges.shuffled(using: &random).prefix(2) {
        let number = UInt64.random(in: range.first.number...range.last.number, using: &random)
        // Its content isn't known, but it is a sound database.
        if number > 1 { _ = try restored(number) }
      }
    }

    /// Returns what a claimed commit has; nil if the session has removed it since it was claimed:
    /// it stores and prunes when it has time.
    private func restored(_ number: UInt64) throws -> String? {
      do { return try fixture.restored(.commit(number)).content } catch {
        let summary = try archive.summary(key: ArchiveFixture.key)
        let isClaimed = summary.ranges.contains {
          $0.first.number <= number && number <= $0.last.number
        }
        let isYoung = dates[number].map { $0 >= fixture.clock.date.addingTimeInterval(-95) }
        if isClaimed || isYoung == true { throw error }
        return nil
      }
    }

    /// Whether a prune leaves only what the manifest has.
    mutating func checkGarbage() throws {
      try session?.stop()
      session = nil
      _ = try archive.prune(key: ArchiveFixture.key)
      #expect(try archive.verify(key: ArchiveFixture.key) == [])
      let manifest = try fixture.manifest()
      var names = Set(
        manifest.layers.flatMap { layer in
          (0..<layer.partCount).map { ObjectName.part($0, of: layer.number) }
        })
      let tip = try fixture.archive.summary(key: ArchiveFixture.key).segmentCount
      for index in 0..<tip {
        names.insert(ObjectName.segment(manifest.logStart.sequence + UInt64(index)))
      }
      let found = Set(fixture.destination.names.filter { !$0.hasPrefix("manifest/") })
      #expect(found == names)
      #expect(fixture.destination.names.count { $0.hasPrefix("manifest/") } <= 3)
    }
  }

  @Test func `random programs can be restored at each commit that the archive claims`() throws {
    var seeds = SeededGenerator()
    for _ in 0..<trialCount(2) {
      let seed =
        ProcessInfo.processInfo.environment["COFFER_PROGRAM"].flatMap { UInt64($0) }
        ?? UInt64(UInt32(truncatingIfNeeded: seeds.next()))
      var program = try Program(seed)
      do {
        program.session = try program.archive.start(program.fixture.pool)
        for step in 1...60 {
          try program.step()
          if step % 12 == 0 { try program.check() }
        }
        try program.check()
        try program.checkGarbage()
      } catch {
        Issue.record("seed \(seed): \(error)\n\(program.log.suffix(20).joined(separator: ", "))")
      }
    }
  }
}
