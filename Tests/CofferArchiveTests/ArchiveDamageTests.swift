import CofferTestSupport
import Foundation
import Testing

@testable import Coffer
@testable import CofferArchive
@testable import CofferCore

/// What an archive with a damaged or missing object still gives, and how it goes on.
@Suite struct ArchiveDamageTests {
  /// An archive of some segments, whose session has ended.
  private static func made() throws -> ArchiveFixture {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    for _ in 0..<5 {
      try fixture.write()
      try fixture.archiveNow(session)
    }
    try session.stop()
    return fixture
  }

  private static func damage(_ name: String, _ fixture: ArchiveFixture) {
    var bytes = fixture.destination.objects[name] ?? Data()
    bytes[bytes.startIndex + bytes.count / 2] ^= 1
    fixture.destination.objects[name] = bytes
  }

  private static func newest(_ fixture: ArchiveFixture, _ kind: String) throws -> String {
    try #require(fixture.destination.names.last { $0.hasPrefix(kind) })
  }

  /// Archives once more, and checks that the end can be restored.
  private static func goOn(_ fixture: ArchiveFixture) throws {
    let session = try fixture.start()
    try fixture.write()
    try fixture.archiveNow(session)
    try session.stop()
    #expect(try fixture.restored().content == ArchiveFixture.content(of: fixture.pool))
    #expect(try fixture.archive.verify(key: ArchiveFixture.key) == [])
    #expect(try fixture.archive.summary(key: ArchiveFixture.key).problems == [])
  }

  @Test func `the manifest before a damaged one is used, and that is said`() throws {
    let fixture = try Self.made()
    let key = try ArchiveFixture.key
    let name = try Self.newest(fixture, "manifest/")
    Self.damage(name, fixture)
    #expect(try fixture.archive.summary(key: key).problems == [.damaged(name)])
    #expect(try fixture.archive.verify(key: key) == [.damaged(name)])
    try fixture.checkContents()
    try Self.goOn(fixture)
    try fixture.checkContents()
  }

  @Test func `a session begins behind a last segment that is damaged`() throws {
    let fixture = try Self.made()
    let key = try ArchiveFixture.key
    let name = try Self.newest(fixture, "log/")
    Self.damage(name, fixture)
    let summary = try fixture.archive.summary(key: key)
    #expect(summary.problems == [.damaged(name)])
    let last = try #require(fixture.contents.keys.max())
    #expect(summary.last?.number == last - 1)
    #expect(throws: ArchiveError.damaged(name)) { try fixture.restored() }
    try Self.goOn(fixture)
  }

  @Test func `no commit behind lost segments has a number that one of theirs had`() throws {
    for isDamaged in [true, false] {
      let fixture = try Self.made()
      let highest = try #require(fixture.contents.keys.max())
      // Of three, none can be read, or none is left.
      for name in fixture.destination.names.filter({ $0.hasPrefix("log/") }).suffix(3) {
        if isDamaged { Self.damage(name, fixture) } else { fixture.destination.objects[name] = nil }
      }
      // The database's own log is gone, too.
      try fixture.pool.close()
      let other = try DatabaseQueue(path: fixture.path, key: ArchiveFixture.key)
      try other.write { try $0.execute(sql: "PRAGMA user_version = 7") }
      try other.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
      try other.close()
      fixture.pool = try ArchiveFixture.open(fixture.path)
      let session = try fixture.start()
      let number = try session.archiveNow().number
      #expect(number > highest, "\(number) after \(highest), damaged: \(isDamaged)")
      try session.stop()
      #expect(try fixture.restored().content == ArchiveFixture.content(of: fixture.pool))
    }
  }

  @Test func `dates that stand still are known around a commit, and others aren't`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    var numbers: [UInt64] = []
    for index in 0..<12 {
      fixture.clock.advance(7)
      // For four commits, the clock is behind the last date.
      if index == 6 { fixture.clock.date -= 30 }
      try fixture.write()
      numbers.append(try fixture.archiveNow(session))
    }
    try session.stop()
    let reader = try #require(
      try ArchiveReader(fixture.destination, key: fixture.derivedKey()))
    let run = reader.run(to: try reader.tip())
    let standing = try numbers.filter { try reader.hasStandingDates(around: $0, in: run) }
    #expect(standing.contains(numbers[6]) && standing.contains(numbers[8]), "\(standing)")
    #expect(!standing.contains(numbers[0]) && !standing.contains(numbers[1]), "\(standing)")
    // The order is that of the numbers.
    let commits = try numbers.map { try reader.commit($0, in: run) }
    #expect(zip(commits, commits.dropFirst()).allSatisfy { $0.date <= $1.date })
  }

  @Test func `the ranges before and behind what is missing are listed`() throws {
    let fixture = try ArchiveFixture { $0.levelIntervals[0] = .seconds(20) }
    let session = try fixture.start()
    for _ in 0..<10 {
      fixture.clock.advance(7)
      try fixture.write()
      try fixture.archiveAll(session)
    }
    try session.stop()
    let key = try ArchiveFixture.key
    let whole = try fixture.archive.summary(key: key)
    #expect(whole.problems == [] && whole.ranges.count == 1)
    let lost = ObjectName.segment(5)
    fixture.destination.objects[lost] = nil
    let summary = try fixture.archive.summary(key: key)
    #expect(summary.problems == [.missing(lost)])
    #expect(summary.ranges.count > 1 && summary.last == whole.last)
    let isListed = { (number: UInt64) in
      summary.ranges.contains { $0.first.number <= number && number <= $0.last.number }
    }
    for (number, content) in fixture.contents {
      let restored = try? fixture.restored(.commit(number))
      #expect((restored != nil) == isListed(number), "commit \(number)")
      #expect(restored == nil || restored?.content == content, "commit \(number)")
    }
    // A damaged object, which only a restore meets, can be left out, too.
    #expect(try fixture.archive.summary(without: [lost], key: key).ranges == summary.ranges)
    let part = try Self.newest(fixture, "layer/")
    fixture.destination.objects[part] = nil
    let less = try fixture.archive.summary(key: key)
    #expect(less.problems == [.missing(lost), .missing(part)])
    for range in less.ranges { _ = try fixture.restored(.commit(range.last.number)) }
  }
}
