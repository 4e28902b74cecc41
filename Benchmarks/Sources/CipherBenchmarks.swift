import CFloor
import Coffer
import Foundation
import Synchronization

/// Files with the same contents for Coffer and for C on the stock provider.
final class CipherFixture {
  static let scanSQL = "SELECT sum(length(data)) FROM notes"
  static let readSQL = "SELECT i1 FROM ints WHERE i0 = ?"
  static let insertSQL = "INSERT INTO target VALUES (?,?,?,?,?,?,?,?,?,?)"
  static let insertBlobSQL = "INSERT INTO copies VALUES (?, ?)"
  static let blob = [UInt8](repeating: 7, count: 400)
  static let commitCount = 2_000
  /// A cache, in pages, for the upper pages of the tables but hardly any leaf.
  fileprivate static let smallCache = "PRAGMA cache_size = 16"
  private static let log = "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0"

  static let key = (0..<32).map { UInt8($0) }
  static let otherKey = (0..<32).map { UInt8(100 + $0) }
  let fixture: Fixture
  let rows: Int
  private let directory: String
  private var stockLoops: StockLoops?

  init(in fixture: Fixture) throws {
    self.fixture = fixture
    rows = fixture.rows
    directory = fixture.directory.appendingPathComponent("cipher").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  }

  /// The process of C, started on demand.
  func stock(_ loop: StockLoops.Loop) throws -> Benchmark.Timed {
    let loops = try stockLoops ?? StockLoops()
    stockLoops = loops
    return try loops.run(loop, path: path("stock-\(loop == .commit ? "wal" : "file")"), rows: rows)
  }

  func path(_ name: String) -> String { "\(directory)/\(name).db" }

  /// Creates a file with Coffer, and the copy that C uses.
  func makeQueue(
    _ name: String, copy: String? = nil, cipher: CipherSettings = .default, inWAL: Bool = false,
    readsAhead: Bool = Configuration().readsAhead
  ) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.readsAhead = readsAhead
    configuration.cipher = cipher
    configuration.journalMode = inWAL ? .wal : .delete
    // As in C.
    configuration.cacheSize = 2_000 << 10
    configuration.prepareDatabase { db in
      try db.execute(sql: inWAL ? Self.log : "PRAGMA synchronous = OFF")
    }
    let queue = try DatabaseQueue(
      path: path(name), key: .raw(Self.key), configuration: configuration)
    try Fixture.fillIntegers(queue, rows: rows)
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE notes (id INTEGER PRIMARY KEY, data BLOB);
          CREATE TABLE copies (id INTEGER PRIMARY KEY, data BLOB);
          """)
      let notes = try db.makeStatement(sql: "INSERT INTO notes VALUES (?, ?)")
      for row in 1...rows { try notes.execute(values: row, Data(Self.blob)) }
    }
    if let copy {
      try queue.inDatabase { db in
        if inWAL { try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
      }
      try FileManager.default.copyItem(atPath: path(name), toPath: path(copy))
    }
    return queue
  }

  /// Opens a file in C for a loop, and prepares it.
  static func openFloor(
    _ path: String, _ loop: StockLoops.Loop, settings: String? = nil
  ) throws -> OpaquePointer {
    let spec = Fixture.keySpec(key)
    let pragmas = [settings, loop == .commit ? log : "PRAGMA synchronous = OFF"]
      .compactMap(\.self).joined(separator: ";")
    guard let db = floor_open_with(path, spec, CInt(spec.utf8.count), pragmas) else {
      throw WrongResult(description: "C can't open the file")
    }
    switch loop {
    case .scan, .authenticate, .check, .backup: break
    // Coffer waits for the disk, too.
    case .rekey: floor_exec(db, "PRAGMA synchronous = FULL")
    case .read: floor_exec(db, smallCache)
    case .insert: floor_exec(db, "DELETE FROM copies")
    case .commit: floor_exec(db, "DELETE FROM target; PRAGMA wal_checkpoint(TRUNCATE)")
    }
    return db
  }
}

/// Returns the benchmarks whose baseline is C on SQLCipher's own provider, in another process.
func cipherBenchmarks(_ files: CipherFixture) -> [Benchmark] {
  let queue = Lazy { try files.makeQueue("file", copy: "stock-file") }
  let log = Lazy { try files.makeQueue("wal", copy: "stock-wal", inWAL: true) }
  let scan = scanBenchmark(files, "Cipher: full scan", goal: 0.50, queue)
  // SQLCipher 3 has no other HMAC than its own.
  let settings = CipherSettings.default
  guard settings == .sqlcipher4 else {
    return [scan, readBenchmark(files, queue)] + writingBenchmarks(files, queue, log)
  }
  let shorter = Lazy {
    try files.makeQueue("file-256", cipher: .fast)
  }
  let alone = Lazy { try files.makeQueue("file-alone", readsAhead: false) }
  return [
    scan, scanBenchmark(files, "Cipher: full scan, HMAC-SHA256", goal: 0.35, shorter, and: queue),
    scanBenchmark(files, "Cipher: full scan, nothing ahead", goal: 0.80, alone, and: queue),
    readBenchmark(files, queue), twoScansBenchmark(files),
  ] + costBenchmarks(files, ahead: queue, alone: alone) + writingBenchmarks(files, queue, log)
    + wholeFileBenchmarks(files, queue)
}

/// Two scans at once, which need both of two cores themselves. Instead of C, they are compared with
/// two for which nothing is decrypted ahead.
private func twoScansBenchmark(_ files: CipherFixture) -> Benchmark {
  let ahead = [1, 2].map { number in
    Lazy { try files.makeQueue("ahead-\(number)", readsAhead: true) }
  }
  let alone = [1, 2].map { number in
    Lazy { try files.makeQueue("alone-\(number)", readsAhead: false) }
  }
  func scanAtOnce(_ queues: [Lazy<DatabaseQueue>]) throws -> Int64 {
    let queues = try queues.map { try $0.value() }
    let sums = Mutex<[Int64]>([])
    DispatchQueue.concurrentPerform(iterations: queues.count) { index in
      let sum = try? scan(queues[index])
      sums.withLock { $0.append(sum ?? -1) }
    }
    return sums.withLock { $0.reduce(0, +) }
  }
  return Benchmark(
    name: "Cipher: two scans at once, beside two with nothing ahead", count: 2 * files.rows,
    goal: 1.0,
    prepare: { for queue in ahead + alone { try queue.value().releaseMemory() } },
    floor: { try scanAtOnce(alone) }
  ) { try scanAtOnce(ahead) }
}

/// What it costs that pages are decrypted ahead: beside a queue for which nothing is.
private func costBenchmarks(
  _ files: CipherFixture, ahead: Lazy<DatabaseQueue>, alone: Lazy<DatabaseQueue>
) -> [Benchmark] {
  let ids = files.fixture.ids
  func prepare() throws {
    for queue in try [ahead.value(), alone.value()] {
      try queue.inDatabase { try $0.execute(sql: CipherFixture.smallCache) }
      queue.releaseMemory()
    }
  }
  return [
    Benchmark(
      name: "Cipher: processor time of a scan, beside one with nothing ahead", count: files.rows,
      goal: 1.15, countsProcessorTime: true, prepare: prepare,
      floor: { try scan(alone.value()) }
    ) { try scan(ahead.value()) },
    Benchmark(
      name: "Cipher: point read of a cold page, beside one with nothing ahead", count: ids.count,
      goal: 1.01, prepare: prepare, floor: { try read(alone.value(), ids) }
    ) { try read(ahead.value(), ids) },
  ]
}

private func scanBenchmark(
  _ files: CipherFixture, _ name: String, goal: Double, _ queue: Lazy<DatabaseQueue>,
  and other: Lazy<DatabaseQueue>? = nil
) -> Benchmark {
  Benchmark(
    name: name, count: files.rows, goal: goal,
    prepare: {
      // The file of C is a copy of the other queue's.
      _ = try other?.value()
      try queue.value().releaseMemory()
    },
    remoteFloor: {
      _ = try (other ?? queue).value()
      return try files.stock(.scan)
    }
  ) { try scan(queue.value()) }
}

private func scan(_ queue: DatabaseQueue) throws -> Int64 {
  try queue.unsafeRead { db in try Int64.fetchOne(db, sql: CipherFixture.scanSQL) ?? 0 }
}

private func read(_ queue: DatabaseQueue, _ ids: [Int64]) throws -> Int64 {
  try queue.read { db in
    var sum: Int64 = 0
    for id in ids {
      sum &+= try Int64.fetchOne(db, sql: CipherFixture.readSQL, arguments: [id]) ?? 0
    }
    return sum
  }
}

private func readBenchmark(_ files: CipherFixture, _ queue: Lazy<DatabaseQueue>) -> Benchmark {
  let ids = files.fixture.ids
  return Benchmark(
    name: "Cipher: point read of a cold page", count: ids.count, goal: 0.85,
    prepare: {
      let queue = try queue.value()
      try queue.inDatabase { try $0.execute(sql: CipherFixture.smallCache) }
      queue.releaseMemory()
    },
    remoteFloor: {
      _ = try queue.value()
      return try files.stock(.read)
    }
  ) { try read(queue.value(), ids) }
}

private func writingBenchmarks(
  _ files: CipherFixture, _ queue: Lazy<DatabaseQueue>, _ log: Lazy<DatabaseQueue>
) -> [Benchmark] {
  func insert(_ row: Int, _ statement: Statement) throws {
    try statement.execute {
      for column in 0..<10 { $0.bind(row &* 10 &+ column) }
    }
  }
  return [
    Benchmark(
      name: "Cipher: bulk insert", count: files.rows, goal: 0.92,
      prepare: {
        try queue.value().write {
          try $0.execute(sql: "PRAGMA cache_size = -2000; DELETE FROM copies")
        }
        try queue.value().releaseMemory()
      },
      remoteFloor: {
        _ = try queue.value()
        return try files.stock(.insert)
      }
    ) {
      try queue.value().write { db in
        let statement = try db.makeStatement(sql: CipherFixture.insertBlobSQL)
        let blob = Data(CipherFixture.blob)
        for row in 0..<files.rows {
          try statement.execute {
            $0.bind(row)
            $0.bind(blob)
          }
        }
      }
      return Int64(files.rows)
    },
    Benchmark(
      name: "Cipher: one-row commits", count: CipherFixture.commitCount, goal: 1.0,
      prepare: {
        try log.value().inDatabase {
          try $0.execute(sql: "DELETE FROM target; PRAGMA wal_checkpoint(TRUNCATE)")
        }
      },
      remoteFloor: {
        _ = try log.value()
        return try files.stock(.commit)
      }
    ) {
      let queue = try log.value()
      for row in 0..<CipherFixture.commitCount {
        try queue.write { try insert(row, $0.cachedStatement(sql: CipherFixture.insertSQL)) }
      }
      return Int64(CipherFixture.commitCount)
    },
  ]
}

/// A value that is made when it is first needed.
final class Lazy<Value> {
  private let make: () throws -> Value
  private var made: Value?

  init(_ make: @escaping () throws -> Value) { self.make = make }

  func value() throws -> Value {
    if let made { return made }
    let value = try make()
    made = value
    return value
  }
}
