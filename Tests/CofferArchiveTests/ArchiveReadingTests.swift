import CofferTestSupport
import Foundation
import Testing

@testable import Coffer
@testable import CofferArchive
@testable import CofferCore

/// Reading archives that others change.
@Suite struct ArchiveReadingTests {
  @Test(arguments: [
    "log/ffffffffffffffff", "log/fffffffffffffffe", "log/4000000000000000",
    "manifest/ffffffffffffffff", "layer/ffffffffffffffff-0000000000000000",
    "layer/0000000000000001-ffffffffffffffff",
  ])
  func `a name with a number that nobody uses changes nothing`(name: String) throws {
    let fixture = try ArchiveFixture()
    var session = try fixture.start()
    try fixture.write()
    try fixture.archiveNow(session)
    try session.stop()
    fixture.destination.objects[name] = Data("planted".utf8)
    #expect(try fixture.archive.verify(key: ArchiveFixture.key) == [])
    #expect(try fixture.archive.list(key: ArchiveFixture.key).count == 1)
    session = try fixture.start()
    try fixture.write()
    let number = try fixture.archiveNow(session)
    try session.stop()
    _ = try fixture.archive.prune(key: ArchiveFixture.key)
    #expect(try fixture.restored().commit.number == number)
    try fixture.checkContents()
  }

  @Test func `the highest numbers of objects are no trap`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    try session.stop()
    for kind in ["log", "manifest"] {
      let name = kind + "/3fffffffffffffff"
      fixture.destination.objects[name] = Data("planted".utf8)
      let found = (try? fixture.archive.verify(key: ArchiveFixture.key)) ?? [.damaged(name)]
      #expect(!found.isEmpty)
      let summary = try fixture.archive.summary(key: ArchiveFixture.key)
      #expect(summary.problems.contains(.damaged(name)) && summary.last?.number == 1)
      let objects = fixture.destination.objects
      // Nothing is stored behind the highest number, and nothing before it is deleted.
      #expect(throws: ArchiveError.damaged(name)) { try fixture.start() }
      _ = try? fixture.archive.prune(key: ArchiveFixture.key)
      #expect(fixture.destination.objects == objects)
      fixture.destination.objects[name] = nil
      #expect(try fixture.archive.verify(key: ArchiveFixture.key) == [])
      #expect(try fixture.restored().commit.number == 1)
    }
  }

  @Test func `what is missing is found while a writer stores manifests again and again`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.write(20)
    try fixture.archiveNow(session)
    try session.stop()
    let part = try #require(fixture.destination.names.first { $0.hasPrefix("layer/") })
    fixture.destination.objects[part] = nil
    let reader = try ArchiveReader(
      fixture.destination, key: ArchiveFixture.key, settings: .default, path: "")
    let store = Locked(try ArchiveStore(reader, writer: ArchiveStore.newWriter()))
    let count = Locked(0)
    let destination = HookedDestination(fixture.destination)
    destination.before { call, name in
      guard call == "list", name == "manifest/", count.value < 100 else { return }
      count.increment()
      store.update { try? $0.putManifest { _ in } }
    }
    let archive = ArchiveFixture.archived(fixture, to: destination)
    #expect(try archive.verify(key: ArchiveFixture.key) == [.missing(part)])
    #expect(throws: ArchiveError.missing(part)) { try fixture.restored(from: destination) }
    #expect(count.value < 20)
  }

  @Test func `what a writer deletes while everything is read isn't missing`() throws {
    let fixture = try ArchiveFixture {
      $0.levelIntervals = [.seconds(10), .seconds(40), .seconds(120)]
    }
    var session = try fixture.start()
    for _ in 0..<6 {
      try fixture.write(3)
      fixture.clock.advance(11)
      try fixture.archiveAll(session)
    }
    try session.stop()
    let destination = HookedDestination(fixture.destination)
    let once = Once()
    let clock = fixture.clock
    let pruning = ArchiveFixture.archived(fixture, to: fixture.destination) {
      $0.retention = ArchiveRetention(
        commits: .seconds(1), fiveMinutes: .seconds(1), hours: .seconds(1), days: .seconds(1))
    }
    destination.before { call, name in
      guard call == "get", name.hasPrefix("layer/"), once.first() else { return }
      clock.advance(100_000)
      let count = try pruning.prune(key: ArchiveFixture.key)
      #expect(count > 3)
    }
    let archive = ArchiveFixture.archived(fixture, to: destination)
    #expect(try archive.verify(key: ArchiveFixture.key) == [])
    session = try fixture.start()
    try session.stop()
  }

  @Test func `a changed key slot in a manifest is named`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("vault.db")
    let unlocker = KeyUnlocker.key(try .raw([UInt8](repeating: 7, count: 32)), as: .file)
    let slots = try KeySlots.create(forDatabaseAt: path, unlocker: unlocker)
    try slots.add(
      .key(.raw([UInt8](repeating: 8, count: 32)), as: .file), label: "second",
      authorizedBy: unlocker)
    let key = DatabaseKey.slots(unlocker: unlocker)
    let pool = try DatabasePool(path: path, key: key)
    try pool.write { try $0.execute(sql: "CREATE TABLE item (id)") }
    let destination = MemoryDestination()
    let archive = Archive(destination, configuration: TestClock().configuration())
    let session = try archive.start(pool)
    try session.archiveNow()
    try session.stop()
    #expect(try archive.verify(key: key) == [])
    let objects = destination.objects
    let newest = try #require(objects.keys.filter { $0.hasPrefix("manifest/") }.max())
    let stored = Array(objects[newest]!)
    let file = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path + "-keys")))
    let start = stored.count - ArchiveSeal.size - file.count
    #expect(Array(stored[start..<(start + file.count)]) == file)
    for offset in stride(from: start, to: start + file.count, by: 3) {
      var bytes = stored
      bytes[offset] ^= 0x41
      destination.objects[newest] = Data(bytes)
      #expect(try archive.verify(key: key) == [.damaged(newest)], "byte \(offset - start)")
    }
    // The one before it is used.
    try archive.restore(to: folder.path("restored.db"), key: key)
    // Other keys are still told from damage.
    destination.objects = objects
    let other = KeyUnlocker.key(try .raw([UInt8](repeating: 9, count: 32)), as: .file)
    #expect(throws: KeySlotsError.noSlot(path: "the archive")) {
      try archive.verify(key: .slots(unlocker: other))
    }
  }

  @Test func `an archive without key slots is no damaged one`() throws {
    let fixture = try ArchiveFixture()
    try fixture.start().stop()
    let unlocker = KeyUnlocker.key(try ArchiveFixture.key, as: .file)
    #expect(throws: KeySlotsError.missing(path: "the archive")) {
      try fixture.archive.verify(key: .slots(unlocker: unlocker))
    }
  }

  @Test func `key slots that a killed restore left are replaced, and others aren't`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("vault.db")
    let unlocker = KeyUnlocker.key(try .raw([UInt8](repeating: 7, count: 32)), as: .file)
    _ = try KeySlots.create(forDatabaseAt: path, unlocker: unlocker)
    let key = DatabaseKey.slots(unlocker: unlocker)
    let pool = try DatabasePool(path: path, key: key)
    try pool.write { try $0.execute(sql: "CREATE TABLE item (id)") }
    let archive = Archive(MemoryDestination(), configuration: TestClock().configuration())
    let session = try archive.start(pool)
    try session.archiveNow()
    try session.stop()
    let target = folder.path("restored.db")
    let slots = try Data(contentsOf: URL(fileURLWithPath: path + "-keys"))
    for isSame in [false, true] {
      let left = isSame ? slots : slots + Data([0])
      try left.write(to: URL(fileURLWithPath: target + "-keys"))
      if isSame {
        try archive.restore(to: target, key: key)
        #expect(try DatabaseQueue(path: target, key: key).read { try $0.tableExists("item") })
      } else {
        #expect(throws: DatabaseError.self) { try archive.restore(to: target, key: key) }
      }
      #expect(try Data(contentsOf: URL(fileURLWithPath: target + "-keys")) == left)
    }
  }

  @Test func `a restore with other cipher settings says that they may be wrong`() throws {
    let fixture = try ArchiveFixture()
    let session = try fixture.start()
    try fixture.archiveNow(session)
    try session.stop()
    var settings = CipherSettings.default
    settings.hmacAlgorithm = settings.hmacAlgorithm == .sha256 ? .sha1 : .sha256
    let error = #expect(throws: DatabaseError.self) {
      try fixture.archive.restore(
        to: fixture.folder.path("r.db"), key: ArchiveFixture.key, cipher: settings)
    }
    #expect(error?.hint?.contains("cipher settings") == true)
  }
}
