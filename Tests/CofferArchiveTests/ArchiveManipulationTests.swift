import CofferTestSupport
import Foundation
import Testing

@testable import Coffer
@testable import CofferArchive
@testable import CofferCore

/// An archive that somebody has changed: each change is found, and named, and a restore that needs
/// the object leaves nothing.
///
/// Two things can't be found, since they give an archive that once was: the last segments are
/// dropped, of which the newest manifest doesn't know; and the newest manifest is dropped, after
/// which the one before it counts. What the older manifest lists must be there, or it is missed.
@Suite struct ArchiveManipulationTests {
  /// An archive with layers of each level, two snapshots, many segments and gaps.
  private struct Sample {
    let fixture: ArchiveFixture
    let objects: [String: Data]
    /// The newest manifest's name.
    let newest: String
    /// The objects that the newest manifest needs.
    var needed: [String] = []
    /// Objects that were there earlier.
    let older: [String: Data]
    /// An archive of another database, with the same key.
    let others: [String: Data]
  }

  private static func fill(_ fixture: ArchiveFixture) throws -> [String: Data] {
    var older: [String: Data] = [:]
    for round in 0..<3 {
      let session = try fixture.start()
      for step in 0..<8 {
        try fixture.write(2 + step)
        fixture.clock.advance(12)
        try fixture.archiveAll(session)
        older.merge(fixture.destination.objects) { $1 }
      }
      try session.stop()
      older.merge(fixture.destination.objects) { $1 }
      guard round < 2 else { break }
      try fixture.write()
      try fixture.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
      try fixture.write()
    }
    // Segments that the newest manifest doesn't know of.
    let session = try fixture.start()
    for _ in 0..<3 {
      try fixture.write()
      try fixture.archiveAll(session)
    }
    let objects = fixture.destination.objects
    try session.stop()
    fixture.destination.objects = objects
    return older
  }

  private static func sample() throws -> Sample {
    func make() throws -> (ArchiveFixture, [String: Data]) {
      let fixture = try ArchiveFixture {
        $0.levelIntervals = [.seconds(20), .seconds(50), .seconds(90)]
        $0.snapshotInterval = .seconds(150)
        $0.limits.pieceSize = 8 * 4_100
        $0.retention = ArchiveRetention(
          commits: .seconds(10_000), fiveMinutes: .seconds(10_000), hours: .seconds(10_000),
          days: .seconds(10_000))
      }
      return (fixture, try fill(fixture))
    }
    let (fixture, older) = try make()
    let (other, _) = try make()
    let objects = fixture.destination.objects
    let manifest = try fixture.manifest()
    var sample = Sample(
      fixture: fixture, objects: objects, newest: ObjectName.manifest(manifest.number),
      older: older.filter { objects[$0.key] != $0.value }, others: other.destination.objects)
    sample.needed = objects.keys.filter { !$0.hasPrefix("manifest/") }.sorted() + [sample.newest]
    return sample
  }

  /// Changes one object.
  ///
  /// - Returns: What was done; nil if nothing was changed.
  private static func change(
    _ name: String, _ objects: inout [String: Data], _ sample: Sample,
    _ random: inout SeededGenerator
  ) -> String? {
    let data = objects[name]!
    let kind = name.prefix { $0 != "/" }
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1, 2:
      let offset = Int.random(in: 0..<data.count, using: &random)
      objects[name]![data.startIndex + offset] ^= UInt8.random(in: 1...255, using: &random)
      return "a byte at \(offset)"
    case 3:
      let count = Int.random(in: 0..<data.count, using: &random)
      objects[name] = data.prefix(count)
      return "cut to \(count)"
    case 4:
      objects[name] = data + Data(random.bytes(Int.random(in: 1...40, using: &random)))
      return "extended"
    case 5:
      objects[name] = nil
      return "dropped"
    case 6:
      let other = sample.needed.filter { $0 != name && $0.hasPrefix(kind) }
        .randomElement(using: &random)
      guard let other = other ?? sample.needed.first(where: { $0 != name }) else { return nil }
      (objects[name], objects[other]) = (objects[other], objects[name])
      return "exchanged with \(other)"
    case 7:
      let before = (Array(sample.objects) + Array(sample.older))
        .filter { $0.key.hasPrefix(kind) && $0.key < name }
      guard let old = before.randomElement(using: &random), old.value != data else { return nil }
      objects[name] = old.value
      return "replaced by the older \(old.key)"
    default:
      let names = sample.others.keys.filter { $0.hasPrefix(kind) }.sorted()
      let other = sample.others[name] != nil ? name : names.randomElement(using: &random)
      guard let other, sample.others[other] != data else { return nil }
      objects[name] = sample.others[other]
      return "replaced by \(other) of another archive"
    }
  }

  @Test func `each change of an object is found, named, and never restored`() throws {
    let sample = try Self.sample()
    let fixture = sample.fixture
    let manifest = try fixture.manifest()
    #expect(Set(manifest.layers.map(\.level)) == [0, 1, 2, 3])
    #expect(manifest.gaps.count == 3)
    #expect(try fixture.archive.verify(key: ArchiveFixture.key) == [])
    try fixture.checkContents()
    var random = SeededGenerator()
    var (changes, named, restores, refusals) = (0, 0, 0, 0)
    let trials = trialCount(150)
    while changes < trials {
      let name = sample.needed.randomElement(using: &random)!
      var objects = sample.objects
      guard let how = Self.change(name, &objects, sample, &random), objects != sample.objects else {
        continue
      }
      let isEnd =
        how == "dropped"
        && (name == sample.newest
          || name.hasPrefix("log/") && name == sample.needed.last { $0.hasPrefix("log/") })
      if isEnd { continue }
      changes += 1
      let destination = MemoryDestination(objects)
      let archive = Archive(destination, configuration: fixture.configuration)
      let found: [ArchiveError]
      do {
        found = try archive.verify(key: ArchiveFixture.key)
      } catch let error as ArchiveError {
        found = [error]
      } catch {
        // Another salt, or slots, that nobody has sealed.
        found = []
        Issue.record("\(name), \(how): verify throws \(error)")
        continue
      }
      // The manifest of another database seals itself: all others are strange to it.
      let isForeignManifest = name == sample.newest && how.hasSuffix("of another archive")
      let isNamed =
        found.contains { $0.description.contains(name) }
        || isForeignManifest && found.count >= sample.needed.count / 3
      #expect(isNamed, "\(name), \(how): \(found)")
      if isNamed { named += 1 }

      // Each restore is right, or is refused.
      let (number, content) = fixture.contents.randomElement(using: &random)!
      let target = fixture.folder.path("changed.db")
      do {
        try archive.restore(to: target, at: .commit(number), key: ArchiveFixture.key)
        restores += 1
        do {
          let queue = try DatabaseQueue(path: target, key: ArchiveFixture.key)
          #expect(try ArchiveFixture.content(of: queue) == content, "\(name), \(how), \(number)")
          try queue.close()
        }
        try FileManager.default.removeItem(atPath: target)
      } catch is ArchiveError {
        refusals += 1
      }
      let left = try fixture.folder.contents().filter { $0.hasPrefix("changed") }
      #expect(left == [], "\(name), \(how), \(number)")
      for file in left { try FileManager.default.removeItem(atPath: fixture.folder.path(file)) }
    }
    #expect(named == changes)
    #expect(restores > 0 && refusals > 0, "\(restores) restores, \(refusals) refusals")
  }

  @Test func `each byte of the headers counts`() throws {
    let sample = try Self.sample()
    let first = Dictionary(grouping: sample.needed) { $0.prefix { $0 != "/" } }
      .compactMap { $0.value.first }
    #expect(first.count == 3)
    for name in first {
      let data = sample.objects[name]!
      for offset in stride(from: 0, to: min(260, data.count), by: name == sample.newest ? 1 : 3) {
        var objects = sample.objects
        objects[name]![data.startIndex + offset] ^= 0x80
        let archive = Archive(MemoryDestination(objects))
        let found: [ArchiveError]
        do { found = try archive.verify(key: ArchiveFixture.key) } catch let error as ArchiveError {
          found = [error]
        }
        #expect(
          found.contains { $0.description.contains(name) }, "\(name), byte \(offset): \(found)")
      }
    }
  }

  @Test func `what is cut off at the end of the log gives an older archive, which is sound`() throws
  {
    let sample = try Self.sample()
    let fixture = sample.fixture
    let tip = try fixture.manifest().tip.sequence
    var objects = sample.objects
    let segments = objects.keys.filter { $0.hasPrefix("log/") }.sorted().reversed()
    #expect(ObjectName.number(segments.first!, in: "log/")! > tip)
    for name in segments {
      objects[name] = nil
      let archive = Archive(MemoryDestination(objects), configuration: fixture.configuration)
      let found = try archive.verify(key: ArchiveFixture.key)
      if ObjectName.number(name, in: "log/")! >= tip {
        #expect(found == [])
        let (content, commit) = try fixture.restored(from: MemoryDestination(objects))
        if let known = fixture.contents[commit.number] { #expect(content == known) }
      } else {
        #expect(found.contains(.missing(name)), "\(name): \(found)")
        break
      }
    }
  }

  @Test func `a manifest that is dropped gives the archive as it was, or is missed`() throws {
    let sample = try Self.sample()
    let fixture = sample.fixture
    var objects = sample.objects
    while let newest = objects.keys.filter({ $0.hasPrefix("manifest/") }).max() {
      objects[newest] = nil
      let destination = MemoryDestination(objects)
      let archive = Archive(destination, configuration: fixture.configuration)
      for (number, content) in fixture.contents {
        let target = fixture.folder.path("older.db")
        guard
          (try? archive.restore(to: target, at: .commit(number), key: ArchiveFixture.key)) != nil
        else { continue }
        do {
          let queue = try DatabaseQueue(path: target, key: ArchiveFixture.key)
          #expect(try ArchiveFixture.content(of: queue) == content, "\(newest), \(number)")
          try queue.close()
        }
        try FileManager.default.removeItem(atPath: target)
      }
    }
    let archive = Archive(MemoryDestination(objects))
    #expect(try archive.verify(key: ArchiveFixture.key) == [.missing("manifest/")])
  }

  @Test func `bytes that nobody has sealed are no trap`() throws {
    let sample = try Self.sample()
    var random = SeededGenerator()
    let manifest = sample.objects[sample.newest]!
    for _ in 0..<trialCount(100) {
      var bytes = Array(manifest)
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let offset = Int.random(in: 0..<min(bytes.count, 400), using: &random)
        let value: UInt8 = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random)!
        for index in offset..<min(offset + Int.random(in: 1...8, using: &random), bytes.count) {
          bytes[index] = value
        }
      }
      if Bool.random(using: &random) {
        bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
      }
      // Parsed without their seal, as their salt is before the key is known.
      _ = try? Manifest(bytes, name: sample.newest)
      let header = ObjectHeader(.segment, pageSize: 4_096, archive: Array(bytes.prefix(16)))
      _ = try? Segment(bytes, name: "log/1", in: header)
      _ = try? LayerPart(bytes, name: "layer/1", in: header)
      for name in [sample.needed.randomElement(using: &random)!] {
        var object = Array(sample.objects[name]!.prefix(400))
        for _ in 0..<4 { object[Int.random(in: 0..<object.count, using: &random)] = 0xFF }
        var reader = ByteReader(object)
        let kind: ObjectHeader.Kind =
          name.hasPrefix("log/") ? .segment : name.hasPrefix("layer/") ? .part : .manifest
        guard let own = try? ObjectHeader(&reader, kind, name: name) else { continue }
        if kind == .segment { _ = try? Segment(object, name: name, in: own) }
        if kind == .part { _ = try? LayerPart(object, name: name, in: own) }
      }
    }
  }
}
