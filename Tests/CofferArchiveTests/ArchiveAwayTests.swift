import CofferTestSupport
import Dispatch
import Foundation
import Testing

@testable import Coffer
@testable import CofferArchive
@testable import CofferCore
@testable import CofferVault

/// An archive on a disk that isn't there for a while, and one that has lost what was stored
/// meanwhile.
@Suite struct ArchiveAwayTests {
  /// What is where the archive was.
  enum Place: CaseIterable {
    case nothing, emptyFolder, otherArchive, file, link
  }

  private let files = FileManager.default

  private static func folder(_ fixture: ArchiveFixture) -> FolderDestination {
    FolderDestination(path: fixture.folder.path("archive"))
  }

  /// Puts something in the place of a folder.
  private func occupy(_ path: String, with place: Place, _ fixture: ArchiveFixture) throws {
    switch place {
    case .nothing: break
    case .emptyFolder:
      try files.createDirectory(atPath: path, withIntermediateDirectories: false)
    case .otherArchive:
      let other = try ArchiveFixture()
      let session = try ArchiveFixture.archived(other, to: FolderDestination(path: path))
        .start(other.pool)
      try session.archiveNow()
      try session.stop()
    case .file: try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
    case .link:
      try files.createSymbolicLink(
        atPath: path, withDestinationPath: fixture.folder.path("nowhere"))
    }
  }

  /// The paths in a folder.
  private func paths(_ path: String) -> [String] {
    (files.enumerator(atPath: path)?.allObjects as? [String] ?? []).sorted()
  }

  @Test(arguments: Place.allCases)
  func `nothing is stored where the archive isn't, and the session goes on when it is back`(
    place: Place
  ) throws {
    let fixture = try ArchiveFixture { $0.leaseInterval = .seconds(5) }
    let folder = Self.folder(fixture)
    let session = try ArchiveFixture.archived(fixture, to: folder).start(fixture.pool)
    try fixture.write()
    try fixture.archiveNow(session)
    let away = fixture.folder.path("away")
    try files.moveItem(atPath: folder.path, toPath: away)
    try occupy(folder.path, with: place, fixture)
    let before = paths(folder.path)
    for _ in 0..<3 {
      fixture.clock.advance(6)
      try fixture.write()
      #expect(throws: (any Error).self) { try session.archiveNow() }
      if ![.file, .link].contains(place) {
        #expect(session.status.lastError as? ArchiveError == .away(folder.path))
      }
      #expect(session.status.isRunning)
    }
    #expect(paths(folder.path) == before)
    #expect(try !fixture.folder.contents().contains("nowhere"))
    try? files.removeItem(atPath: folder.path)
    // Another file system, for which the files are others.
    try files.copyItem(atPath: away, toPath: folder.path)
    for _ in 0..<2 {
      try fixture.write()
      try fixture.archiveNow(session)
    }
    try session.stop()
    #expect(try Archive(folder).verify(key: ArchiveFixture.key) == [])
    for (number, content) in fixture.contents {
      let restored = try fixture.restored(.commit(number), from: folder)
      #expect(restored.content == content)
    }
  }

  @Test func `a folder whose archive was put back to an earlier state ends the session`() throws {
    let fixture = try ArchiveFixture()
    let folder = Self.folder(fixture)
    let archive = ArchiveFixture.archived(fixture, to: folder)
    var session = try archive.start(fixture.pool)
    try fixture.archiveNow(session)
    try session.stop()
    let earlier = fixture.folder.path("earlier")
    try files.copyItem(atPath: folder.path, toPath: earlier)
    session = try archive.start(fixture.pool)
    try files.removeItem(atPath: folder.path)
    try files.moveItem(atPath: earlier, toPath: folder.path)
    try fixture.write()
    #expect(throws: ArchiveError.superseded) { try session.archiveNow() }
    #expect(!session.status.isRunning)
  }

  @Test func `a session whose archive another writer has pruned is superseded`() throws {
    let fixture = try ArchiveFixture()
    let folder = Self.folder(fixture)
    let session = try ArchiveFixture.archived(fixture, to: folder).start(fixture.pool)
    try fixture.archiveNow(session)
    for _ in 0..<3 {
      try ArchiveFixture.archived(fixture, to: folder) { $0.takesOver = true }
        .prune(key: ArchiveFixture.key)
    }
    try fixture.write()
    #expect(throws: ArchiveError.superseded) { try session.archiveNow() }
  }

  @Test func `an emptied store is told as gone, and the session goes on when it is back`() throws {
    let fixture = try ArchiveFixture { $0.leaseInterval = .seconds(5) }
    let session = try fixture.start()
    try fixture.write()
    try fixture.archiveNow(session)
    let objects = fixture.destination.objects
    fixture.destination.objects = [:]
    for _ in 0..<2 {
      fixture.clock.advance(6)
      try fixture.write()
      #expect(throws: ArchiveError.gone("its destination")) { try session.archiveNow() }
      #expect(session.status.isRunning)
    }
    #expect(fixture.destination.names == [])
    fixture.destination.objects = objects
    try fixture.archiveNow(session)
    try session.stop()
    try fixture.checkContents()
    #expect(try fixture.archive.verify(key: ArchiveFixture.key) == [])
  }

  @Test func `a new archive begins behind the segments of one whose manifests are gone`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    for _ in 0..<3 {
      try fixture.write()
      try fixture.archiveNow(session)
    }
    let last = try #require(session.status.archived).number
    try session.stop()
    fixture.destination.objects = fixture.destination.objects.filter { $0.key.hasPrefix("log/") }
    fixture.contents = [:]
    // Segments of another key aren't replaced by anything.
    let other = try ArchiveFixture()
    let others = try DatabasePool(
      path: other.folder.path("other.db"), key: .raw([UInt8](repeating: 6, count: 32)))
    #expect(throws: ArchiveError.missing("manifest/")) { try fixture.archive.start(others) }
    try others.close()
    let next = try fixture.start()
    try fixture.write()
    #expect(try fixture.archiveNow(next) > last)
    try next.stop()
    try fixture.checkContents()
    #expect(try fixture.archive.verify(key: ArchiveFixture.key) == [])
  }

  @Test func `a new run makes no folder for an archive that was there a moment ago`() throws {
    let fixture = try ArchiveFixture()
    let folder = Self.folder(fixture)
    let archive = ArchiveFixture.archived(fixture, to: folder)
    let session = try archive.start(fixture.pool)
    try fixture.archiveNow(session)
    try session.stop()
    let reader = try #require(try ArchiveReader(folder, key: fixture.derivedKey()))
    try files.moveItem(atPath: folder.path, toPath: fixture.folder.path("away"))
    #expect(throws: (any Error).self) {
      try ArchiveStore(reader, writer: ArchiveStore.newWriter())
    }
    #expect(!files.fileExists(atPath: folder.path))
  }

  // MARK: Ends

  @Test func `a session whose destination never answers ends in time, and the next one goes on`()
    throws
  {
    let fixture = try ArchiveFixture()
    let silent = HookedDestination(fixture.destination)
    let archive = ArchiveFixture.archived(fixture, to: silent)
    let session = try archive.start(fixture.pool)
    try fixture.write()
    try fixture.archiveNow(session)
    let (answer, asked) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    silent.before { call, _ in
      guard call == "put" else { return }
      asked.signal()
      answer.wait()
      throw MemoryDestination.Failure()
    }
    try fixture.write()
    let waiting = BackgroundWork { try session.archiveNow() }
    #expect(asked.wait(timeout: .now() + 60) == .success)
    let error = #expect(throws: ArchiveError.self) { try session.stop(within: .milliseconds(50)) }
    guard case .notEnded(let byteCount) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(byteCount > 0 && !session.status.isRunning)
    #expect(throws: ArchiveError.self) { try session.archiveNow() }
    // It answers at last: the file beside the database is free then.
    silent.unhook()
    answer.signal()
    #expect(waiting.wait(for: .seconds(60)) != nil)
    var next: ArchiveSession?
    let deadline = ContinuousClock.now + .seconds(60)
    while next == nil, .now < deadline {
      next = try? archive.start(fixture.pool)
      if next == nil { usleep(10_000) }
    }
    let last = try #require(next)
    try fixture.archiveNow(last)
    try last.stop()
    try fixture.checkContents()
    #expect(try fixture.restored().content == ArchiveFixture.content(of: fixture.pool))
  }

  @Test func `any duration can be waited for`() {
    #expect(Duration.seconds(Int64.max).dispatchInterval == .nanoseconds(3_162_240_000_000_000_000))
    #expect(Duration.seconds(-1).dispatchInterval == .nanoseconds(0))
    #expect(Duration.milliseconds(1_500).dispatchInterval == .nanoseconds(1_500_000_000))
    #expect(BackgroundWork { 7 }.wait(for: .seconds(Int64.max)).map { try? $0.get() } == 7)
  }

  // MARK: Lost objects

  /// What an archive has lost.
  enum Loss: CaseIterable {
    /// Segments before the last ones, and the manifest and the layers that were stored meanwhile.
    case middle
    /// Segments of which the newest manifest knows, and nothing is behind them.
    case end
    case allSegments
  }

  @Test(arguments: Loss.allCases)
  func `an archive that has lost segments is usable behind them after the next session`(
    loss: Loss
  ) throws {
    let fixture = try ArchiveFixture {
      $0.levelIntervals = [.seconds(20), .seconds(50), .seconds(90)]
    }
    var lost: [String] = []
    for round in 0..<3 {
      let session = try fixture.start()
      let before = Set(fixture.destination.names)
      for _ in 0..<4 {
        fixture.clock.advance(12)
        try fixture.write()
        try fixture.archiveAll(session)
      }
      try session.stop()
      let new = fixture.destination.names.filter { !before.contains($0) }
      if round == 1, loss == .middle { lost = new.filter { !$0.hasPrefix("manifest/") } }
      if round == 2, loss == .end { lost = new.filter { $0.hasPrefix("log/") } }
    }
    if loss == .allSegments { lost = fixture.destination.names.filter { $0.hasPrefix("log/") } }
    #expect(!lost.isEmpty)
    for name in lost { fixture.destination.objects[name] = nil }
    let key = try ArchiveFixture.key
    let last = try #require(fixture.contents.keys.max())
    #expect(throws: ArchiveError.self) { try fixture.restored() }
    fixture.contents = [:]

    let session = try fixture.start()
    for _ in 0..<4 {
      fixture.clock.advance(12)
      try fixture.write()
      try fixture.archiveAll(session)
    }
    try fixture.checkContents()
    try session.stop()
    let restored = try fixture.restored()
    #expect(restored.commit.number == fixture.contents.keys.max() && restored.commit.number > last)
    #expect(restored.content == fixture.contents[restored.commit.number])
    // What older layers have lost is told as long as the archive lists them.
    let findings = try fixture.archive.verify(key: key)
    let names = Set(lost.filter { $0.hasPrefix("layer/") })
    #expect(
      findings.allSatisfy {
        if case .missing(let name) = $0 { names.contains(name) } else { false }
      }, "\(findings)")
    let next = try fixture.start()
    try fixture.write()
    try fixture.archiveAll(next)
    try next.stop()
    try fixture.checkContents()
  }

  @Test func `a loss is told until all pages are there again`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    for _ in 0..<4 {
      try fixture.write()
      try fixture.archiveNow(session)
    }
    try session.stop()
    let lost = ObjectName.segment(2)
    fixture.destination.objects[lost] = nil
    fixture.destination.fail { $0 == "put" && $1.hasPrefix("layer/") }
    let next = try fixture.start()
    try fixture.write()
    #expect(throws: MemoryDestination.Failure.self) { try next.archiveNow() }
    #expect(throws: ArchiveError.missing(lost)) { try fixture.restored() }
    #expect(try fixture.archive.verify(key: ArchiveFixture.key).contains(.missing(lost)))
    try? next.stop()
    fixture.destination.fail { _, _ in false }
    let last = try fixture.start()
    try fixture.archiveNow(last)
    try last.stop()
    #expect(try fixture.archive.verify(key: ArchiveFixture.key) == [])
    #expect(try fixture.restored().content == ArchiveFixture.content(of: fixture.pool))
  }

  @Test func `a follower goes on behind lost segments`() throws {
    let fixture = try ArchiveFixture()
    var session = try fixture.start()
    try fixture.archiveNow(session)
    let key = try ArchiveFixture.key
    let copy = fixture.folder.path("copy.db")
    var follower = try ArchiveFollower(fixture.archive, path: copy, key: key)
    try follower.close()
    for _ in 0..<4 {
      try fixture.write()
      try fixture.archiveNow(session)
    }
    try session.stop()
    fixture.destination.objects[ObjectName.segment(2)] = nil
    session = try fixture.start()
    try fixture.write()
    try fixture.archiveNow(session)
    try session.stop()
    follower = try ArchiveFollower(fixture.archive, path: copy, key: key)
    try follower.follow()
    #expect(
      try ArchiveFixture.content(of: follower.pool) == ArchiveFixture.content(of: fixture.pool))
    try follower.close()
  }
}
