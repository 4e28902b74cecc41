#if DEBUG || COFFER_FUZZ
  @testable import CofferArchive
  @testable import CofferCore
  import Foundation
  import Synchronization

  /// Objects of an archive are read or refused, whatever they say; and what an archive with such an
  /// object gives back is a sound database, or an error that names an object.
  ///
  /// The first byte of an input says which object is replaced. The rest gets a seal, which nobody
  /// but the key's owner could make: without one, all inputs would end there.
  final class ArchiveTarget: FuzzTarget {
    static let name = "archive"
    static let share = 0.1
    static let largestInput = 40_000

    let seeds: [[UInt8]]
    let words = ["Coffer archive\u{1}\0", "\0\0\0\0\0\0\0\u{1}"]
    private let files: ScratchFolder
    private let objects: [String: Data]
    private let names: [String]
    private let seal: ArchiveSeal
    private let header: ObjectHeader
    /// More pages than a sample has, but no more than a run has time and memory for.
    private static let mostPages = 4_000

    init(_ files: ScratchFolder) throws {
      self.files = files
      var configuration = try SampleDatabase.configuration()
      configuration.journalMode = .wal
      let pool = try DatabasePool(path: files.path("source.db"), configuration: configuration)
      try pool.write { try $0.execute(sql: SampleDatabase.schema) }
      let destination = ObjectsInMemory()
      var settings = ArchiveConfiguration()
      settings.interval = .seconds(3_600)
      let archive = Archive(destination, configuration: settings)
      for _ in 0..<2 {
        let session = try archive.start(pool)
        for number in 0..<3 {
          try pool.write {
            try $0.execute(sql: "INSERT INTO note (stars) VALUES (?)", arguments: [number])
          }
          try session.archiveNow()
        }
        try session.stop()
      }
      guard let key = try pool.fileKey().derived else { throw DatabaseError.archiveNeedsLibCrypto }
      seal = try ArchiveSeal(key)
      try pool.close()
      let objects = destination.objects.withLock { $0 }
      let names = objects.keys.sorted()
      (self.objects, self.names) = (objects, names)
      let manifest = objects.keys.filter { $0.hasPrefix("manifest/") }.max() ?? ""
      header = try Manifest(Array(objects[manifest] ?? Data()), name: manifest).header
      seeds = names.enumerated().compactMap { index, name in
        objects[name].map { [UInt8(index)] + $0.dropLast(ArchiveSeal.size) }
      }
    }

    func run(_ input: [UInt8]) throws -> Int {
      let name = names[Int(input.first ?? 0) % names.count]
      let bytes = try seal.sealed(Array(input.dropFirst()))
      var shape = Shape()
      shape.add(name)
      try shape.add(read(bytes, name))
      guard try isSmall(bytes, name) else { return shape.kind }
      var changed = objects
      changed[name] = Data(bytes)
      let archive = Archive(ObjectsInMemory(changed))
      let key = try SampleDatabase.key()
      try shape.add(outcome { _ = try archive.summary(key: key, cipher: SampleDatabase.settings) })
      try shape.add(
        outcome {
          let found = try archive.verify(key: key, cipher: SampleDatabase.settings)
          shape.add(found.count)
        })
      let target = files.path("restored.db")
      for point in [ArchivePoint.latest, .commit(3), .date(Date(timeIntervalSince1970: 1e12))] {
        files.remove("restored.db", "restored.db-wal", "restored.db-shm")
        let result = try outcome {
          try archive.restore(to: target, at: point, key: key, cipher: SampleDatabase.settings)
        }
        shape.add(result)
        let exists = FileManager.default.fileExists(atPath: target)
        try expect(exists == (result == "done"), "a file after \(result)")
        let names = try FileManager.default.contentsOfDirectory(atPath: files.path)
        try expect(!names.contains { $0.hasSuffix("partial") }, "a partial file is left")
      }
      return shape.kind
    }

    /// Returns what an object is read as; one that is read is written as it was.
    private func read(_ bytes: [UInt8], _ name: String) throws -> String {
      let body = Array(bytes.dropLast(ArchiveSeal.size))
      return try outcome {
        switch name.prefix(while: { $0 != "/" }) {
        case "manifest":
          let manifest = try Manifest(bytes, name: name)
          // Flags that nobody uses yet aren't kept.
          try expect(manifest.bytes().count == body.count, "\(name) is written otherwise")
          let ways = LayerWays(manifest)
          for end in ways.ends { _ = ways.way(to: end) }
          _ = RestorePlan(to: 3, manifest, tip: 5)
          _ = RetentionPlan(manifest, ArchiveRetention(), at: 1_800_000_000_000)
        case "log":
          let segment = try Segment(bytes, name: name, in: header)
          _ = (segment.lastWholeCommit, segment.isOpen)
          var changes = CommitChanges(after: 0, upTo: 100)
          _ = try? changes.frames(of: segment, pageSize: header.pageSize)
        default:
          let part = try LayerPart(bytes, name: name, in: header)
          let own = ObjectHeader(.part, pageSize: header.pageSize, archive: header.archive)
          try expect(part.bytes(own) == body, "\(name) is written otherwise")
        }
      }
    }

    /// Whether the object asks for a small database: its writer could ask for terabytes.
    private func isSmall(_ bytes: [UInt8], _ name: String) throws -> Bool {
      if let manifest = try? Manifest(bytes, name: name) {
        return manifest.layers.allSatisfy {
          $0.pageCount < Self.mostPages && $0.partCount < Self.mostPages
        }
      }
      var frames: ArraySlice<UInt8> = []
      if let segment = try? Segment(bytes, name: name, in: header) {
        guard segment.commits.allSatisfy({ $0.pageCount < Self.mostPages }) else { return false }
        frames = segment.frames
      } else if let part = try? LayerPart(bytes, name: name, in: header) {
        frames = part.frames
      }
      let starts = stride(from: frames.startIndex, to: frames.endIndex, by: header.pageSize + 4)
      return starts.allSatisfy {
        frames[$0 + 2] == 0 && frames[$0 + 3] == 0 && Int(frames[$0 + 1]) << 8 < Self.mostPages
      }
    }

    /// Returns a word for what happened; throws for an error that isn't meant for users.
    private func outcome(_ body: () throws -> Void) throws -> String {
      do {
        try body()
        return "done"
      } catch let error as ArchiveError {
        return String("\(error)".prefix { $0 != " " && $0 != ":" })
      } catch let error as DatabaseError {
        return "\(error.resultCode.rawValue)"
      }
    }
  }

  /// An archive's objects.
  private final class ObjectsInMemory: ArchiveDestination {
    let objects: Mutex<[String: Data]>

    init(_ objects: [String: Data] = [:]) { self.objects = Mutex(objects) }

    func putIfAbsent(_ name: String, _ bytes: Data) throws -> Bool {
      objects.withLock { objects in
        guard objects[name] == nil else { return false }
        objects[name] = bytes
        return true
      }
    }

    func get(_ name: String) throws -> Data? { objects.withLock { $0[name] } }

    func list(_ prefix: String) throws -> [String] {
      objects.withLock { $0.keys.filter { $0.hasPrefix(prefix) }.sorted() }
    }

    func delete(_ name: String) throws { objects.withLock { $0[name] = nil } }
  }
#endif
