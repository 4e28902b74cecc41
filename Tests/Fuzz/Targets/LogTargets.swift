#if DEBUG || COFFER_FUZZ
  @testable import CofferCore
  @testable import CofferVault
  import Foundation
  import Glibc

  /// The readers of a write-ahead log take the same commits; and those of a log or a journal find
  /// each changed page in limited time.
  final class LogTarget: FuzzTarget {
    static let name = "log"
    static let share = 0.4
    static let largestInput = 20_000

    let seeds: [[UInt8]]
    let words = ["\u{37}\u{7F}\u{6}", "\0\u{2D}\u{E2}\u{18}", "\u{D9}\u{D5}\u{5}"]
    private let files: ScratchFolder
    private let database: [UInt8]
    private var count = 0

    init(_ files: ScratchFolder) throws {
      self.files = files
      let path = files.path("log.db")
      var configuration = try SampleDatabase.configuration()
      configuration.journalMode = .wal
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      try queue.writeWithoutTransaction { db in
        try db.execute(sql: SampleDatabase.schema + "INSERT INTO note (id) VALUES (1), (2)")
        try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        for number in 3...5 {
          try db.execute(sql: "INSERT INTO note (id) VALUES (?)", arguments: [number])
        }
      }
      database = try files.read("log.db")
      let log = try files.read("log.db-wal")
      try queue.close()
      files.remove("log.db-wal", "log.db-shm")
      // A journal while its transaction isn't finished.
      let other = try DatabaseQueue(
        path: files.path("other.db"), configuration: SampleDatabase.configuration())
      var journal: [UInt8] = []
      try other.writeWithoutTransaction { db in
        try db.execute(sql: SampleDatabase.schema + SampleDatabase.rows)
        try db.execute(sql: "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1")
        try db.execute(sql: "BEGIN; UPDATE note SET stars = 0; UPDATE note SET data = x'00'")
        journal = try files.read("other.db-journal")
        try db.execute(sql: "ROLLBACK")
      }
      try other.close()
      files.remove("other.db")
      seeds = [[0] + log, [1] + log, [2] + journal]
    }

    func run(_ input: [UInt8]) throws -> Int {
      let flags = input.first ?? 0
      var bytes = Array(input.dropFirst())
      let isJournal = flags & 2 == 2
      if flags & 1 == 1, !isJournal { Self.repair(&bytes) }
      files.remove("log.db-wal", "log.db-journal", "log.db-shm")
      try files.write("log.db", database)
      try files.write(isJournal ? "log.db-journal" : "log.db-wal", bytes)
      let path = files.path("log.db")
      var shape = Shape()
      let versions = try PageVersions.find(.beside(path), pageSize: 1024)
      shape.add(versions?.offsets.count ?? -1)
      shape.add(magnitude(versions?.pageCount ?? -1))
      shape.add(versions?.isForeign == true ? 1 : 0)
      guard
        let cipher = try CipherFile(
          path: path, key: SampleDatabase.derived, settings: SampleDatabase.settings)
      else { throw Finding("there is no libcrypto") }
      shape.add(magnitude(try cipher.verifyAll().count))
      if !isJournal { try compare(versions, path, &shape) }
      count += 1
      if count % 32 == 0 {
        try openInSQLite()
        try files.write("log.db", database)
        try files.write(isJournal ? "log.db-journal" : "log.db-wal", bytes)
        files.remove("log.db-shm", "saved.db")
        do {
          _ = try DatabaseFile.salvage(
            at: path, key: SampleDatabase.key(), settings: SampleDatabase.settings,
            to: files.path("saved.db"))
        } catch let error as DatabaseError { shape.add(Int(error.resultCode.rawValue)) }
      }
      return shape.kind
    }

    private func compare(_ versions: PageVersions?, _ path: String, _ shape: inout Shape) throws {
      let log = try WriteAheadLog(path: path + "-wal", settings: SampleDatabase.settings)
      shape.add(log.frameCount)
      guard !log.isForeign, versions?.isForeign != true else { return }
      try expect(
        log.commits.last?.pageCount ?? 0 == versions?.pageCount ?? 0,
        "commits \(log.commits) and \(versions?.pageCount ?? 0) pages")
      var frame = 0
      for commit in log.commits {
        try expect(
          commit.frame > frame && commit.frame <= log.frameCount, "commits \(log.commits)")
        frame = commit.frame
      }
      try expect(log.tags.count == log.frameCount, "\(log.tags.count) tags")
    }

    /// SQLite takes the same log or journal, or refuses it with an error.
    private func openInSQLite() throws {
      do {
        let queue = try DatabaseQueue(
          path: files.path("log.db"), configuration: SampleDatabase.configuration())
        _ = try queue.inDatabase { try Int.fetchOne($0, sql: "SELECT count(*) FROM note") }
        try queue.close()
      } catch is DatabaseError {}
    }

    /// Gives the frames the salts and checksums that make them a part of the log.
    private static func repair(_ bytes: inout [UInt8]) {
      guard bytes.count >= 32 else { return }
      var sum = LogChecksum(isBigEndian: bytes[3] & 1 == 1)
      bytes[..<24].withUnsafeBytes { sum.add($0) }
      store(sum, in: &bytes, at: 24)
      let pageSize = bytes[8..<12].reduce(0) { $0 << 8 | Int($1) }
      guard pageSize > 0, pageSize <= 65536, pageSize % 8 == 0 else { return }
      var frame = 32
      while frame + 24 + pageSize <= bytes.count {
        for index in 0..<8 { bytes[frame + 8 + index] = bytes[16 + index] }
        bytes[frame..<(frame + 8)].withUnsafeBytes { sum.add($0) }
        bytes[(frame + 24)..<(frame + 24 + pageSize)].withUnsafeBytes { sum.add($0) }
        store(sum, in: &bytes, at: frame + 16)
        frame += 24 + pageSize
      }
    }

    private static func store(_ sum: LogChecksum, in bytes: inout [UInt8], at offset: Int) {
      for index in 0..<4 {
        let shift = UInt32(8 * (3 - index))
        bytes[offset + index] = UInt8(truncatingIfNeeded: sum.words.0 >> shift)
        bytes[offset + 4 + index] = UInt8(truncatingIfNeeded: sum.words.1 >> shift)
      }
    }
  }

  /// The memory that connections share about their log, changed by another process.
  final class LogIndexTarget: FuzzTarget {
    static let name = "log-index"
    static let share = 4.0
    static let largestInput = 136

    let seeds: [[UInt8]]
    private let files: ScratchFolder
    private let queue: DatabaseQueue
    private let memory: CInt

    init(_ files: ScratchFolder) throws {
      self.files = files
      var configuration = try SampleDatabase.configuration()
      configuration.journalMode = .wal
      queue = try DatabaseQueue(path: files.path("index.db"), configuration: configuration)
      try queue.writeWithoutTransaction { db in
        try db.execute(sql: SampleDatabase.schema + SampleDatabase.rows)
      }
      memory = open(files.path("index.db-shm"), O_RDWR)
      var bytes = [UInt8](repeating: 0, count: 136)
      guard memory >= 0, pread(memory, &bytes, 136, 0) == 136 else {
        throw Finding("there is no shared memory")
      }
      seeds = [bytes]
    }

    deinit { close(memory) }

    func run(_ input: [UInt8]) throws -> Int {
      var bytes = input + [UInt8](repeating: 0, count: max(0, 136 - input.count))
      // Both copies of the header are the same, or the memory counts as being changed.
      if bytes[135] & 1 == 0 { bytes.replaceSubrange(48..<96, with: bytes[..<48]) }
      guard pwrite(memory, bytes, 136, 0) == 136 else { throw Finding("no shared memory") }
      defer { _ = pwrite(memory, seeds[0], 136, 0) }
      let index = try queue.inDatabase { $0.logIndex }
      var shape = Shape()
      guard let index else { return 0 }
      try expect(
        index.movedCount <= index.frameCount, "\(index.movedCount) of \(index.frameCount) frames")
      shape.add(magnitude(index.frameCount) << 8 | magnitude(index.pageCount))
      guard
        let cipher = try CipherFile(
          path: files.path("index.db"), key: SampleDatabase.derived,
          settings: SampleDatabase.settings,
          newerPages: .beside(files.path("index.db"), index: index))
      else { throw Finding("there is no libcrypto") }
      shape.add(magnitude(try cipher.verifyAll().count))
      return shape.kind
    }
  }
#endif
