import CofferTestSupport
import Foundation
import Testing

@testable import Coffer
@testable import CofferArchive
@testable import CofferCore

/// What a follower does with a file that isn't as it left it.
@Suite struct FollowerFileTests {
  private static func remove(_ path: String, besides kept: String = "-follow") throws {
    for suffix in ["", "-wal", "-shm", "-follow"] where suffix != kept {
      if FileManager.default.fileExists(atPath: path + suffix) {
        try FileManager.default.removeItem(atPath: path + suffix)
      }
    }
  }

  @Test func `a restore that is interrupted leaves nothing by which another file is taken`() throws
  {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    for _ in 0..<5 {
      try fixture.write(5)
      try fixture.archiveNow(session)
    }
    struct Interrupted: Error {}
    let path = fixture.folder.path("replica.db")
    #expect(throws: Interrupted.self) {
      try ArchiveFollower(fixture.archive, path: path, key: ArchiveFixture.key) { _ in
        throw Interrupted()
      }
    }
    #expect(try fixture.folder.contents().filter { $0.hasPrefix("replica") } == [])
    try fixture.archive.restore(to: path, at: .commit(3), key: ArchiveFixture.key)
    #expect(throws: ArchiveError.foreignFile(path)) { try fixture.follower() }
    #expect(try fixture.folder.contents().filter { $0.hasPrefix("replica") } == ["replica.db"])
    try session.stop()
  }

  @Test(arguments: [false, true])
  func `a file that was replaced is refused, whether the follower was closed or killed`(
    isKilled: Bool
  ) throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    for _ in 0..<5 {
      try fixture.write(5)
      try fixture.archiveNow(session)
    }
    let path = fixture.folder.path("replica.db")
    var follower: ArchiveFollower? = try fixture.follower()
    try fixture.write(5)
    try fixture.archiveNow(session)
    try follower?.follow()
    let number = try #require(follower?.commit.number)
    if !isKilled { try follower?.close() }
    follower = nil
    try Self.remove(path)
    try fixture.archive.restore(to: path, at: .commit(number), key: ArchiveFixture.key)
    #expect(throws: ArchiveError.changedFile(path)) { try fixture.follower() }
    // Without the file, it is restored.
    try Self.remove(path)
    let next = try fixture.follower()
    try next.follow()
    #expect(
      try ArchiveFixture.content(of: next.pool) == ArchiveFixture.content(of: fixture.pool))
    try next.close()
    try session.stop()
  }

  @Test(arguments: [false, true])
  func `a file that others wrote to while no follower ran is refused`(isInLog: Bool) throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    let path = fixture.folder.path("replica.db")
    try fixture.follower().close()
    let other = try ArchiveFixture.open(path)
    try other.write { try $0.execute(sql: "CREATE TABLE mine (x)") }
    if !isInLog { try other.close() }
    #expect(throws: ArchiveError.changedFile(path)) { try fixture.follower() }
    if isInLog { try other.close() }
    #expect(
      try DatabaseQueue(path: path, key: ArchiveFixture.key).read { try $0.tableExists("mine") })
    try session.stop()
  }

  @Test func `a file that others wrote to after the follower was killed is refused`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    let path = fixture.folder.path("replica.db")
    var follower: ArchiveFollower? = try fixture.follower()
    for _ in 0..<2 {
      try fixture.write(5)
      try fixture.archiveNow(session)
      try follower?.follow()
    }
    follower = nil
    let other = try ArchiveFixture.open(path)
    try other.write { try $0.execute(sql: "CREATE TABLE mine (x)") }
    #expect(throws: ArchiveError.changedFile(path)) { try fixture.follower() }
    #expect(try other.read { try $0.tableExists("mine") })
    try other.close()
    try session.stop()
  }

  @Test func `a file that others write to before the follower's first commit stays theirs`() throws
  {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    let follower = try fixture.follower()
    try follower.follow()
    let path = follower.pool.path
    let other = try ArchiveFixture.open(path)
    try other.write { try $0.execute(sql: "CREATE TABLE mine (x)") }
    try fixture.write()
    try fixture.archiveNow(session)
    #expect(throws: ArchiveError.changedFile(path)) { try follower.follow() }
    #expect((follower.lastError as? ArchiveError)?.endsFollowing == true)
    #expect(try other.read { try $0.tableExists("mine") })
    try follower.close()
    try other.close()
    #expect(throws: ArchiveError.changedFile(path)) { try fixture.follower() }
    try session.stop()
  }

  @Test(arguments: [false, true])
  func `after a kill, the follower goes on, also if others have read the file`(isRead: Bool) throws
  {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    let path = fixture.folder.path("replica.db")
    for _ in 0..<6 {
      var follower: ArchiveFollower? = try fixture.follower()
      for _ in 0..<2 {
        try fixture.write(20)
        try fixture.archiveNow(session)
        try follower?.follow()
        #expect(
          try ArchiveFixture.content(of: fixture.pool)
            == follower.map {
              try ArchiveFixture.content(of: $0.pool)
            })
      }
      follower = nil
      if isRead {
        // A connection that could write, and empties the log when it is closed.
        let reader = try ArchiveFixture.open(path)
        _ = try ArchiveFixture.content(of: reader)
        try reader.close()
      }
    }
    let follower = try fixture.follower()
    try follower.follow()
    #expect(
      try ArchiveFixture.content(of: follower.pool) == ArchiveFixture.content(of: fixture.pool))
    try follower.close()
    try session.stop()
  }

  @Test func `commits that the file may have are written again as one, or not at all`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.makeWideRows(9)
    try fixture.archiveNow(session)
    var follower: ArchiveFollower? = try fixture.follower()
    let path = fixture.folder.path("replica.db")
    // Its own first look is over then, and the next one gets all three.
    try follower?.follow()
    for value in 1...3 {
      // Each commit has pages that the others haven't.
      try fixture.set([value, value + 3], value)
      try fixture.archiveNow(session)
    }
    try follower?.follow()
    // Killed between its commit and the next note.
    follower = nil
    let content = try ArchiveFixture.content(of: fixture.pool)
    let objects = fixture.destination.objects
    let last = try #require(fixture.destination.names.last { $0.hasPrefix("log/") })
    fixture.destination.objects[last] = nil
    follower = try fixture.follower()
    #expect(throws: ArchiveError.missing(last)) { try follower?.follow() }
    #expect(try follower.map { try ArchiveFixture.content(of: $0.pool) } == content)
    fixture.destination.objects = objects
    try follower?.follow()
    #expect(try follower.map { try ArchiveFixture.content(of: $0.pool) } == content)
    try follower?.close()
    #expect(FileManager.default.fileExists(atPath: path))
    try session.stop()
  }

  @Test(arguments: [false, true])
  func `a follower whose archive is gone says so, and its lag grows since it was seen`(
    isInFolder: Bool
  ) throws {
    let fixture = try ArchiveFixture()
    let folder = FolderDestination(path: fixture.folder.path("archive"))
    let destination: any ArchiveDestination = isInFolder ? folder : fixture.destination
    let archive = ArchiveFixture.archived(fixture, to: destination)
    let session = try archive.start(fixture.pool)
    try fixture.archiveNow(session)
    try session.stop()
    let path = fixture.folder.path("replica.db")
    let follower = try ArchiveFollower(archive, path: path, key: ArchiveFixture.key)
    #expect(ArchiveFollower.hasFollower(fileAt: path))
    #expect(!ArchiveFollower.hasFollower(fileAt: fixture.path))
    try follower.follow()
    let objects = fixture.destination.objects
    let away = fixture.folder.path("away")
    if isInFolder {
      try FileManager.default.moveItem(atPath: folder.path, toPath: away)
    }
    fixture.destination.objects = [:]
    for minutes in 1...3 {
      fixture.clock.advance(60)
      #expect(throws: ArchiveError.gone(isInFolder ? folder.path : "its destination")) {
        try follower.follow()
      }
      #expect(follower.lag == .seconds(60 * minutes) && follower.lastError != nil)
    }
    fixture.destination.objects = objects
    if isInFolder {
      try FileManager.default.moveItem(atPath: away, toPath: folder.path)
    }
    try follower.follow()
    #expect(follower.lag == .zero && follower.lastError == nil)
    try follower.close()
  }

  @Test func `a follower gets the key slots that the database gets`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("vault.db")
    let unlocker = KeyUnlocker.key(try .raw([UInt8](repeating: 7, count: 32)), as: .file)
    let slots = try KeySlots.create(forDatabaseAt: path, unlocker: unlocker)
    let pool = try DatabasePool(path: path, key: .slots(unlocker: unlocker))
    try pool.write { try $0.execute(sql: "CREATE TABLE item (id)") }
    let clock = TestClock()
    let archive = Archive(MemoryDestination(), configuration: clock.configuration())
    let session = try archive.start(pool)
    try session.archiveNow()
    let replica = folder.path("replica.db")
    var follower = try ArchiveFollower(archive, path: replica, key: .slots(unlocker: unlocker))
    func expectSameSlots() throws {
      let stored = try Data(contentsOf: URL(fileURLWithPath: path + "-keys"))
      #expect(try Data(contentsOf: URL(fileURLWithPath: replica + "-keys")) == stored)
    }
    try expectSameSlots()
    for index in 8...9 as ClosedRange<UInt8> {
      let new = KeyUnlocker.key(try .raw([UInt8](repeating: index, count: 32)), as: .file)
      _ = try slots.add(new, label: "\(index)", authorizedBy: unlocker)
      clock.advance(30)
      try session.workNow()
      if index == 8 {
        try follower.follow()
      } else {
        try follower.close()
        follower = try ArchiveFollower(archive, path: replica, key: .slots(unlocker: unlocker))
      }
      try expectSameSlots()
      var configuration = Configuration()
      configuration.readonly = true
      let queue = try DatabaseQueue(
        path: replica, key: .slots(unlocker: new), configuration: configuration)
      #expect(try queue.read { try $0.tableExists("item") })
      try queue.close()
    }
    try follower.close()
    try session.stop()
  }
}
