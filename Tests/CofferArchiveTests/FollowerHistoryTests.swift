import CofferTestSupport
import Foundation
import Testing

@testable import Coffer
@testable import CofferArchive
@testable import CofferCore

/// Followers of archives that no longer have their commits.
@Suite struct FollowerHistoryTests {
  @Test func `a promoted file has what the archive has, and goes on with it alone`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.write()
    try fixture.archiveNow(session)
    let follower = try fixture.follower()
    try fixture.write()
    let last = try fixture.archiveNow(session)
    // The old one has a commit that was never archived.
    try fixture.write()
    #expect(try follower.promote().number == last)
    #expect(throws: (any Error).self) { try follower.follow() }
    #expect(throws: ArchiveError.superseded) { try session.archiveNow() }
    #expect(throws: ArchiveError.writerExists) { try fixture.start() }
    let path = fixture.folder.path("replica.db")
    #expect(!ArchiveFollower.hasFollower(fileAt: path))
    let pool = try ArchiveFixture.open(path)
    #expect(try ArchiveFixture.content(of: pool) == fixture.contents[last])
    let next = try fixture.archive.start(pool)
    try pool.write { try $0.execute(sql: "INSERT INTO item (text) VALUES ('promoted')") }
    let number = try next.archiveNow().number
    #expect(number > last)
    fixture.contents[number] = try ArchiveFixture.content(of: pool)
    try next.stop()
    try pool.close()
    try fixture.checkContents()
    #expect(try fixture.restored().commit.number == number)
    #expect(try fixture.archive.verify(key: ArchiveFixture.key) == [])
  }

  @Test func `a promotion that failed halfway is done by the next one`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.write()
    let last = try fixture.archiveNow(session)
    var follower = try fixture.follower()
    // The manifest is stored, and the segment that keeps the writer before away isn't.
    fixture.destination.fail { $0 == "put" && $1.hasPrefix("log/") }
    #expect(throws: MemoryDestination.Failure.self) { try follower.promote() }
    fixture.destination.fail { _, _ in false }
    follower = try fixture.follower()
    #expect(try follower.promote().number == last)
    try fixture.write()
    #expect(throws: ArchiveError.superseded) { try session.archiveNow() }
    #expect(throws: ArchiveError.writerExists) { try fixture.start() }
  }

  /// An archive that has lost its last commits, with which another machine has gone on.
  private struct Fork {
    let fixture: ArchiveFixture
    var follower: ArchiveFollower
    /// The last commit of the follower, of the first history.
    let place: UInt64
    let content: String
    /// The database of the other machine, and its session.
    let pool: DatabasePool
    let session: ArchiveSession

    /// - Parameter lostManifests: Whether the manifest of the first writer's last session is lost,
    ///   too.
    init(
      lostManifests: Bool = false, _ configure: (inout ArchiveConfiguration) -> Void = { _ in }
    ) throws {
      fixture = try ArchiveFixture {
        $0.levelIntervals = [.seconds(10), .seconds(100), .seconds(1_000)]
        configure(&$0)
      }
      try fixture.makeWideRows(40)
      var first = try fixture.start()
      for row in 1...6 {
        try fixture.set([row], row)
        try fixture.archiveNow(first)
      }
      if lostManifests {
        try first.stop()
        let before = fixture.destination.objects
        first = try fixture.start()
        follower = try fixture.follower()
        (place, content) = try Self.goOn(fixture, first, follower)
        try first.stop()
        fixture.destination.objects = before
      } else {
        follower = try fixture.follower()
        (place, content) = try Self.goOn(fixture, first, follower)
        // The machine is gone.
        fixture.destination.fail { _, _ in true }
        try? first.stop()
        fixture.destination.fail { _, _ in false }
        for name in fixture.destination.names.filter({ $0.hasPrefix("log/") }).suffix(3) {
          fixture.destination.objects[name] = nil
        }
      }
      let path = fixture.folder.path("other.db")
      try fixture.archive.restore(to: path, key: ArchiveFixture.key)
      pool = try ArchiveFixture.open(path)
      session = try ArchiveFixture.archived(fixture, to: fixture.destination) {
        $0.takesOver = true
      }.start(pool)
      try session.archiveNow()
    }

    private static func goOn(
      _ fixture: ArchiveFixture, _ session: ArchiveSession, _ follower: ArchiveFollower
    ) throws -> (UInt64, String) {
      for row in 10...12 {
        try fixture.set([row, row + 10], 100 + row)
        try fixture.archiveNow(session)
        try follower.follow()
      }
      return (follower.commit.number, try ArchiveFixture.content(of: follower.pool))
    }

    /// Writes and archives on the other machine, with the layers that are due.
    func write(_ count: Int, seconds: Int = 11) throws {
      for row in 0..<count {
        try pool.write { db in
          try db.execute(
            sql: "UPDATE item SET text = ? WHERE id = ?", arguments: ["other", 30 + row % 9])
        }
        fixture.clock.advance(seconds)
        try session.workNow()
        try session.archiveNow()
      }
    }

    /// Checks that the follower's file has the one history or the other, and no mixture.
    func check(_ location: SourceLocation = #_sourceLocation) throws {
      let found = try ArchiveFixture.content(of: follower.pool)
      let other = try ArchiveFixture.content(of: pool)
      #expect(found == content || found == other, sourceLocation: location)
    }
  }

  @Test(arguments: [false, true])
  func `a follower takes nothing from the log of another history`(isReopened: Bool) throws {
    var fork = try Fork()
    if isReopened { try fork.follower.close() }
    try fork.write(1)
    for _ in 0..<8 {
      do {
        if isReopened { fork.follower = try fork.fixture.follower() }
        try fork.follower.follow()
        Issue.record("commit \(fork.follower.commit.number) of another history")
      } catch ArchiveError.otherHistory {}
      #expect(fork.follower.lastError as? ArchiveError == .otherHistory)
      #expect(fork.follower.commit.number == fork.place)
      try fork.check()
      if isReopened { try fork.follower.close() }
      try fork.write(1)
    }
    try fork.follower.close()
    try fork.session.stop()
  }

  @Test(arguments: [false, true])
  func `a follower takes layers of another history only with all pages`(
    lostManifests: Bool
  ) throws {
    var fork = try Fork(lostManifests: lostManifests) {
      $0.snapshotInterval = .seconds(2_000)
      $0.retention = ArchiveRetention(
        commits: .seconds(60), fiveMinutes: .seconds(100_000), hours: .seconds(100_000),
        days: .seconds(100_000))
    }
    try fork.follower.close()
    try fork.write(40)
    let manifest = try fork.fixture.manifest()
    // Nothing but layers leads to the last commit, and there are some behind the follower's.
    #expect(manifest.logStart.commit > fork.place)
    #expect(LayerWays(manifest, from: fork.place).ends.count > 1)
    #expect(!manifest.layers.contains { $0.level == 3 && $0.last >= fork.place })
    // The layers from a copy of all pages on are right on each file.
    fork.follower = try fork.fixture.follower()
    try fork.follower.follow()
    #expect(
      try ArchiveFixture.content(of: fork.follower.pool) == ArchiveFixture.content(of: fork.pool))
    try fork.follower.close()
    try fork.session.stop()
  }

  @Test func `a follower that was away for long needs no copy of all pages, also after restarts`()
    throws
  {
    let fixture = try ArchiveFixture {
      $0.retention = ArchiveRetention(
        commits: .seconds(600), fiveMinutes: .seconds(7_200), hours: .seconds(86_400),
        days: .seconds(864_000))
    }
    try fixture.makeWideRows(60)
    var session = try fixture.start()
    try fixture.archiveAll(session)
    let destination = HookedDestination(fixture.destination)
    let follower = try ArchiveFollower(
      ArchiveFixture.archived(fixture, to: destination), path: fixture.folder.path("replica.db"),
      key: ArchiveFixture.key)
    var value = 0
    for round in 0..<6 {
      for step in 0..<8 {
        fixture.clock.advance(310)
        value += 1
        try fixture.set([value % 60 + 1], value)
        try fixture.archiveAll(session)
        if step == 3, round % 2 == 1 {
          try session.stop()
          session = try fixture.start()
        }
      }
      #expect(try fixture.manifest().logStart.commit > follower.commit.number)
      let all = Set(try fixture.layers(3).map(\.number))
      let names = Locked<[String]>([])
      destination.before { call, name in if call == "get" { names.append(name) } }
      try follower.follow()
      #expect(
        try ArchiveFixture.content(of: follower.pool) == ArchiveFixture.content(of: fixture.pool))
      let layers = Set(names.value.compactMap { ObjectName.part($0)?.layer })
      #expect(!layers.isEmpty && layers.isDisjoint(with: all), "round \(round)")
    }
    try follower.close()
    try session.stop()
  }

  @Test(arguments: [false, true])
  func `an archive that was put back is an error, and no lag of zero`(isReopened: Bool) throws {
    let fixture = try ArchiveFixture()
    var session = try fixture.start()
    try fixture.archiveNow(session)
    try session.stop()
    var follower = try fixture.follower()
    let old = fixture.destination.objects
    session = try fixture.start()
    for _ in 0..<3 {
      try fixture.write()
      try fixture.archiveNow(session)
    }
    try follower.follow()
    try session.stop()
    fixture.destination.objects = old
    fixture.clock.advance(60)
    if isReopened {
      try follower.close()
      #expect(throws: ArchiveError.otherHistory) { follower = try fixture.follower() }
    } else {
      #expect(throws: ArchiveError.self) { try follower.follow() }
      #expect(follower.lag >= .seconds(60))
      #expect(follower.lastError != nil)
      try follower.close()
    }
  }

  @Test func `segments that are dropped before the follower has them are missed`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    let follower = try fixture.follower()
    try follower.follow()
    for _ in 0..<3 {
      try fixture.write()
      try fixture.archiveNow(session)
    }
    let names = fixture.destination.names.filter { $0.hasPrefix("log/") }.suffix(3)
    let objects = fixture.destination.objects
    // In the middle, where the manifest doesn't know of it; and at the end, where it does.
    fixture.destination.objects[names.first!] = nil
    fixture.clock.advance(60)
    #expect(throws: ArchiveError.missing(names.first!)) { try follower.follow() }
    #expect(follower.lag >= .seconds(60))
    fixture.destination.objects = objects
    try session.stop()
    for name in names { fixture.destination.objects[name] = nil }
    #expect(throws: ArchiveError.missing(names.first!)) { try follower.follow() }
    fixture.destination.objects.merge(objects) { $1 }
    try follower.follow()
    #expect(
      try ArchiveFixture.content(of: follower.pool) == ArchiveFixture.content(of: fixture.pool))
    // What it has is dropped later.
    fixture.destination.objects[names.last!] = nil
    #expect(throws: ArchiveError.self) { try follower.follow() }
    try follower.close()
  }

  @Test func `behind a gap, the lag grows until all pages are there`() throws {
    let fixture = try ArchiveFixture()
    var session = try fixture.start()
    try fixture.write(5)
    try fixture.archiveNow(session)
    let follower = try fixture.follower()
    try follower.follow()
    try session.stop()
    try fixture.write(3)
    try fixture.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    try fixture.write(2)
    // The session begins to store pages by itself.
    fixture.destination.fail { $0 == "put" && $1.hasPrefix("layer/") }
    session = try fixture.start()
    #expect(throws: MemoryDestination.Failure.self) { try session.archiveNow() }
    fixture.clock.advance(90)
    try follower.follow()
    #expect(follower.lag >= .seconds(90))
    #expect(follower.lastError == nil)
    fixture.destination.fail { _, _ in false }
    try fixture.archiveNow(session)
    try follower.follow()
    #expect(follower.lag == .zero)
    #expect(
      try ArchiveFixture.content(of: follower.pool) == ArchiveFixture.content(of: fixture.pool))
    try follower.close()
    try session.stop()
  }

  @Test func `a look at an idle archive reads no segment again`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    for _ in 0..<12 {
      try fixture.write()
      try fixture.archiveNow(session)
    }
    let destination = HookedDestination(fixture.destination)
    let follower = try ArchiveFollower(
      ArchiveFixture.archived(fixture, to: destination), path: fixture.folder.path("replica.db"),
      key: ArchiveFixture.key)
    try follower.follow()
    let names = Locked<[String]>([])
    destination.before { call, name in
      if call == "get", name.hasPrefix("log/") { names.append(name) }
    }
    try follower.follow()
    // The next one, and the last one, which is compared.
    #expect(names.value.count <= 3, "\(names.value)")
    try follower.close()
    try session.stop()
  }
}
