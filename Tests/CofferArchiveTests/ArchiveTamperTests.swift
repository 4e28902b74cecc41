import CofferTestSupport
import Foundation
import Testing

@testable import Coffer
@testable import CofferArchive
@testable import CofferCore

/// Each object of an archive in a folder is removed, cut, changed, exchanged, and replaced by
/// something that is no file. Each is told, or what is restored is complete.
@Suite struct ArchiveTamperTests {
  enum Act: CaseIterable {
    case removed, cut, changed, exchanged, linked, linkedToNothing, madeFolder, madePipe
  }

  /// Puts an archive of several layers, segments and manifests into a folder.
  ///
  /// - Returns: The last commit.
  private static func make(
    _ fixture: ArchiveFixture, in folder: FolderDestination
  ) throws -> ArchiveCommit {
    var last: ArchiveCommit?
    var objects: [String: Data] = [:]
    for _ in 0..<3 {
      let session = try fixture.start()
      for _ in 0..<8 {
        try fixture.write(3)
        fixture.clock.advance(12)
        try fixture.archiveAll(session)
        // With those that pruning deletes.
        objects.merge(fixture.destination.objects) { $1 }
      }
      // Of these, no manifest knows.
      for _ in 0..<2 {
        try fixture.write()
        try fixture.archiveNow(session)
      }
      last = session.status.archived
      objects.merge(fixture.destination.objects) { $1 }
      try session.stop()
    }
    for (name, bytes) in objects { _ = try folder.putIfAbsent(name, bytes) }
    return try #require(last)
  }

  /// Does something to an object whose bytes are known.
  private static func apply(
    _ act: Act, to path: String, _ other: String, _ aside: String, _ random: inout SeededGenerator
  ) throws {
    let files = FileManager.default
    let url = URL(fileURLWithPath: path)
    var bytes = try Data(contentsOf: url)
    try files.removeItem(atPath: path)
    switch act {
    case .removed: break
    case .cut: try bytes.prefix(Int.random(in: 0..<bytes.count, using: &random)).write(to: url)
    case .changed:
      bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
        1 << UInt8.random(in: 0..<8, using: &random)
      try bytes.write(to: url)
    case .exchanged:
      try Data(contentsOf: URL(fileURLWithPath: other)).write(to: url)
      try bytes.write(to: URL(fileURLWithPath: other))
    case .linked:
      // The link leads to the right bytes.
      try bytes.write(to: URL(fileURLWithPath: aside))
      try files.createSymbolicLink(atPath: path, withDestinationPath: aside)
    case .linkedToNothing:
      try files.createSymbolicLink(atPath: path, withDestinationPath: aside + "-none")
    case .madeFolder: try files.createDirectory(atPath: path, withIntermediateDirectories: false)
    case .madePipe: #expect(mkfifo(path, 0o600) == 0)
    }
  }

  /// What a restore gives: nil for an error.
  private static func restored(
    _ fixture: ArchiveFixture, _ archive: Archive, atLeast minimums: [ArchiveMinimum]
  ) throws -> (commit: ArchiveCommit, content: String)? {
    let target = fixture.folder.path("restored.db")
    defer { try? FileManager.default.removeItem(atPath: target) }
    guard
      let commit = try? archive.restore(to: target, atLeast: minimums, key: ArchiveFixture.key)
    else {
      #expect(try !fixture.folder.contents().contains { $0.hasPrefix("restored") })
      return nil
    }
    let queue = try DatabaseQueue(path: target, key: ArchiveFixture.key)
    defer { try? queue.close() }
    return (commit, try ArchiveFixture.content(of: queue))
  }

  @Test func `each object that is tampered with is told, or the restored state is complete`() throws
  {
    let fixture = try ArchiveFixture {
      $0.levelIntervals = [.seconds(20), .seconds(50), .seconds(90)]
      $0.snapshotInterval = .seconds(100)
    }
    let folder = FolderDestination(path: fixture.folder.path("archive"))
    let last = try Self.make(fixture, in: folder)
    let archive = ArchiveFixture.archived(fixture, to: folder)
    let key = try ArchiveFixture.key
    let reader = try #require(try ArchiveReader(folder, key: fixture.derivedKey()))
    let newest = ObjectName.manifest(reader.manifest.number)
    let whole = try archive.verification(atLeast: [.commit(last.number)], key: key)
    #expect(whole.findings == [] && whole.last == last)
    let names = try ["manifest/", "log/", "layer/"].flatMap { try folder.list($0) }
    for kind in ["manifest/", "log/", "layer/"] {
      #expect(names.count { $0.hasPrefix(kind) } > 2, "\(names)")
    }
    func path(_ name: String) -> String { folder.path + "/" + name }

    var random = SeededGenerator()
    var (cases, told, complete, unnoticed) = (0, 0, 0, 0)
    for name in names {
      let kind = name.prefix { $0 != "/" }
      let other = try #require(
        names.filter { $0.hasPrefix(kind) && $0 != name }.randomElement(using: &random))
      let kept = try [name, other].map { try Data(contentsOf: URL(fileURLWithPath: path($0))) }
      for act in Act.allCases {
        cases += 1
        try Self.apply(
          act, to: path(name), path(other), fixture.folder.path("aside"), &random)
        let isTold =
          (try? archive.verify(key: key).isEmpty) != true
        let restored = try Self.restored(fixture, archive, atLeast: [])
        let isComplete = restored.map { restored in
          restored.commit == last && restored.content == fixture.contents[last.number]
        }
        if isTold { told += 1 }
        if isComplete == true { complete += 1 }
        // What is neither a plain file nor absent is told wherever it is.
        if [.linked, .linkedToNothing, .madeFolder, .madePipe].contains(act) {
          #expect(isTold, "\(name), \(act)")
        }
        if isComplete == false {
          // The end can be removed: the last segments, and the newest manifest. What is left once
          // was.
          unnoticed += 1
          let number = ObjectName.number(name, in: ObjectName.segments) ?? 0
          #expect(
            act == .removed && (name == newest || number >= reader.manifest.tip.sequence),
            "\(name), \(act), \(String(describing: restored?.commit))")
          if let commit = restored?.commit.number, let known = fixture.contents[commit] {
            #expect(restored?.content == known, "\(name), \(act)")
          }
        } else if isComplete == nil {
          #expect(isTold, "\(name), \(act): restore fails, and verify finds nothing")
        }
        // With a minimum, there is no third.
        let minimums = [ArchiveMinimum.commit(last.number)]
        if let restored = try Self.restored(fixture, archive, atLeast: minimums) {
          #expect(restored.commit == last, "\(name), \(act)")
          #expect(restored.content == fixture.contents[last.number], "\(name), \(act)")
        } else {
          #expect(
            (try? archive.verify(atLeast: minimums, key: key).isEmpty) != true, "\(name), \(act)")
        }
        for (name, bytes) in zip([name, other], kept) {
          try? FileManager.default.removeItem(atPath: path(name))
          try bytes.write(to: URL(fileURLWithPath: path(name)))
        }
      }
    }
    #expect(try archive.verify(atLeast: [.commit(last.number)], key: key) == [])
    #expect(cases == names.count * Act.allCases.count)
    #expect(told > cases / 2 && complete > 0 && unnoticed > 0)
  }
}
