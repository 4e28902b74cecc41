import Coffer
import CofferArchive
import Foundation

/// Returns the benchmarks of archives, against the same without one, and against a copy of their
/// bytes.
func archiveBenchmarks(_ fixture: Fixture) throws -> [Benchmark] {
  try commitsWithArchive(fixture) + [restoration(fixture)]
}

private func archiveKey() throws -> DatabaseKey { try .raw((0..<32).map { UInt8($0) }) }

/// Commits of one row: the time that they take, and what the processors work for them and the
/// archive.
private func commitsWithArchive(_ fixture: Fixture) throws -> [Benchmark] {
  func pool(_ name: String) throws -> DatabasePool {
    let path = fixture.directory.appendingPathComponent(name).path
    let pool = try DatabasePool(path: path, key: archiveKey())
    try pool.write {
      try $0.execute(sql: "CREATE TABLE event (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)")
    }
    return pool
  }
  let (archived, plain) = (try pool("archived.db"), try pool("not-archived.db"))
  let folder = fixture.directory.appendingPathComponent("archive").path
  var session: ArchiveSession?
  // Several checkpoints, before each of which the archive reads the log.
  let count = 5_000
  func commit(_ pool: DatabasePool) throws -> Int64 {
    for id in 1...count {
      try pool.write { db in
        try db.execute(literal: "INSERT INTO event (name, score) VALUES ('an event', \(id))")
      }
    }
    return Int64(count)
  }
  func begin() throws {
    guard session == nil else { return }
    session = try Archive(FolderDestination(path: folder)).start(archived)
    try session?.archiveNow()
  }
  return [
    Benchmark(
      name: "commit with an archive", count: count, goal: 1.05, prepare: begin,
      floor: { try commit(plain) }
    ) { try commit(archived) },
    Benchmark(
      name: "processor time of a commit with an archive", count: count, goal: 1.3,
      countsProcessorTime: true,
      prepare: {
        try begin()
        // Each run pays for its own commits.
        try session?.archiveNow()
      }, floor: { try commit(plain) }
    ) {
      let result = try commit(archived)
      try session?.archiveNow()
      return result
    },
  ]
}

/// A restore, against a copy of the archive's bytes that is as durable.
private func restoration(_ fixture: Fixture) -> Benchmark {
  let (path, folder, target) = (
    fixture.directory.appendingPathComponent("restored-from.db").path,
    fixture.directory.appendingPathComponent("large-archive").path,
    fixture.directory.appendingPathComponent("restored.db").path
  )
  func prepare() throws {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: target + suffix)
    }
    guard !FileManager.default.fileExists(atPath: path) else { return }
    let pool = try DatabasePool(path: path, key: archiveKey())
    try pool.write { db in
      try db.execute(
        sql: """
          CREATE TABLE large (content BLOB);
          WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 25000)
          INSERT INTO large SELECT randomblob(3900) FROM number
          """)
    }
    let session = try Archive(FolderDestination(path: folder)).start(pool)
    try session.archiveNow()
    try session.stop()
    try pool.close()
  }
  return Benchmark(
    name: "restore of 100 MB", count: 1, goal: 1.5, prepare: prepare,
    floor: {
      let layers = folder + "/layer"
      guard FileManager.default.createFile(atPath: target, contents: nil),
        let output = FileHandle(forWritingAtPath: target)
      else { return 0 }
      for name in try FileManager.default.contentsOfDirectory(atPath: layers).sorted() {
        try output.write(contentsOf: Data(contentsOf: URL(fileURLWithPath: layers + "/" + name)))
      }
      try output.synchronize()
      try output.close()
      return 1
    }
  ) {
    try Archive(FolderDestination(path: folder)).restore(to: target, key: archiveKey())
    return 1
  }
}

/// Commits at 1,000 a second for so many commits: without an archive, with one, and with a
/// follower, too.
@Sendable func measureArchive(_ size: Int, _ folder: String) throws -> [GrowthCase.Value] {
  func makePool(_ name: String) throws -> DatabasePool {
    let pool = try DatabasePool(path: folder + "/" + name, key: archiveKey())
    try pool.write { db in
      try db.execute(
        sql: """
          CREATE TABLE event (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
          CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT);
          WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 20000)
          INSERT INTO item SELECT n, hex(randomblob(100)) FROM number
          """)
    }
    return pool
  }
  let clock = ContinuousClock()
  /// Commits to each pool at 1,000 a second, in turn, and returns the seconds that each one's took.
  func commit(
    _ pools: [DatabasePool], _ afterEach: (Int) throws -> Void = { _ in }
  ) throws -> [Double] {
    let start = clock.now
    var times = Array(repeating: Duration.zero, count: pools.count)
    for index in 0..<(size * pools.count) {
      let due = start + .microseconds(1_000 * index / pools.count)
      if due > clock.now { Thread.sleep(forTimeInterval: (due - clock.now) / .seconds(1)) }
      let (turn, number) = (index % pools.count, index / pools.count)
      times[turn] += try clock.measure {
        try pools[turn].write { db in
          try db.execute(literal: "INSERT INTO event (name, score) VALUES ('an event', \(number))")
          try db.execute(
            literal: "UPDATE item SET text = text || 'x' WHERE id = \(number * 7919 % 20_000 + 1)")
        }
      }
      if turn == 0 { try afterEach(number) }
    }
    return times.map { $0 / .seconds(1) }
  }
  let (plain, pool) = (try makePool("plain.db"), try makePool("source.db"))
  let archive = Archive(FolderDestination(path: folder + "/archive"))
  let session = try archive.start(pool)
  try session.archiveNow()
  let times = try commit([pool, plain])
  try plain.close()
  try session.archiveNow()
  let follower = try ArchiveFollower(archive, path: folder + "/copy.db", key: archiveKey())
  let before = session.status
  let start = clock.now
  var (lags, followerLags, pageCount): ([Double], [Double], Int) = ([], [], 0)
  let memory = try ProcessStatus.peakMemory {
    _ = try commit([pool]) { index in
      // Both tables' pages: what a commit has to bring at least.
      pageCount += 2
      if index % 100 == 99 {
        lags.append(session.status.lag / .seconds(1))
        followerLags.append(follower.lag / .seconds(1))
      }
    }
  }
  let seconds = (clock.now - start) / .seconds(1)
  let puts = Double(session.status.storedObjectCount - before.storedObjectCount)
  try session.archiveNow()
  let bytes = Double(session.status.storedByteCount - before.storedByteCount)
  try follower.close()
  try session.stop()
  func percentile(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, sorted.count * 99 / 100)] * 1e9
  }
  return [
    GrowthCase.Value(
      "archive: a commit without one", "commit", .time, times[1] / Double(size) * 1e9),
    GrowthCase.Value("archive: a commit with one", "commit", .time, times[0] / Double(size) * 1e9),
    GrowthCase.Value("archive: lag at the 99th percentile", "run", .time, percentile(lags)),
    GrowthCase.Value(
      "archive: a follower's lag at the 99th percentile", "run", .time, percentile(followerLags)),
    GrowthCase.Value("archive: objects a minute", "commit", .number, puts / seconds * 60),
    GrowthCase.Value(
      "archive: bytes for each changed page", "page", .memory, bytes / Double(pageCount)),
    GrowthCase.Value("archive: bytes of a commit", "commit", .memory, bytes / Double(size)),
    GrowthCase.Value("archive: peak of memory", "commit", .totalMemory, memory),
  ]
}
