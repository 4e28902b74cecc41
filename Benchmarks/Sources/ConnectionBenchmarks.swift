import CFloor
import Coffer
import Foundation

/// Returns the benchmarks of small transactions and of opening, each with files of their own.
func connectionBenchmarks(_ fixture: Fixture) throws -> [Benchmark] {
  let files = try CommitFiles(in: fixture.directory)
  return [commitBenchmark(files), openingBenchmark(fixture)]
}

/// Two equal files in WAL mode: one for C, one for Coffer.
///
/// With one file, each side's commits would make the other read pages again.
private final class CommitFiles {
  let pool: DatabasePool
  let floor: OpaquePointer

  init(in directory: URL) throws {
    let path = directory.appendingPathComponent("commits.db").path
    let floorPath = directory.appendingPathComponent("commits-c.db").path
    let key = (0..<32).map { UInt8($0) }
    pool = try DatabasePool(path: path, key: .raw(key))
    guard let floor = floor_open(floorPath, keySpecification, CInt(keySpecification.utf8.count))
    else { throw WrongResult(description: "C can't open the file") }
    self.floor = floor
    try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", onlyInC: true)
    try execute("CREATE TABLE event (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER)")
  }

  deinit {
    floor_close(floor)
    try? pool.close()
  }

  /// Empties both tables and both logs.
  func empty() throws {
    try execute("DELETE FROM event")
    try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    guard floor_exec(floor, "PRAGMA wal_checkpoint(TRUNCATE)") == 0 else {
      throw WrongResult(description: "C can't truncate the log")
    }
  }

  private func execute(_ sql: String, onlyInC: Bool = false) throws {
    guard floor_exec(floor, sql) == 0 else {
      throw WrongResult(description: "C can't execute \(sql)")
    }
    if !onlyInC { try pool.write { try $0.execute(sql: sql) } }
  }
}

private struct Event: PersistableRecord {
  static let databaseTableName = "event"

  var id: Int64, name: String, score: Int

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["name"] = name
    container["score"] = score
  }
}

private func commitBenchmark(_ files: CommitFiles) -> Benchmark {
  let count = 1_000
  return Benchmark(
    name: "commit of one record in WAL", count: count, goal: 1.05, prepare: files.empty,
    floor: {
      floor_commit_rows(files.floor, "INSERT INTO event VALUES (?, ?, ?)", Int64(count))
    }
  ) {
    var changes: Int64 = 0
    for id in 1...count {
      changes &+= try files.pool.write { db in
        try Event(id: Int64(id), name: "an event", score: id).insert(db)
        return Int64(db.changesCount)
      }
    }
    return changes
  }
}

/// The key of the fixture, in the form of SQLCipher's raw keys.
private let keySpecification =
  "x'" + (0..<32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"

private func openingBenchmark(_ fixture: Fixture) -> Benchmark {
  let path = fixture.directory.appendingPathComponent("benchmark.db").path
  let key = (0..<32).map { UInt8($0) }
  let count = 100
  return Benchmark(
    name: "opening with a raw key, and a first read", count: count, goal: 2,
    floor: {
      floor_open_and_read(
        path, keySpecification, CInt(keySpecification.utf8.count),
        "SELECT i1 FROM ints WHERE i0 = 1", Int64(count))
    }
  ) {
    var sum: Int64 = 0
    for _ in 0..<count {
      let queue = try DatabaseQueue(path: path, key: .raw(key))
      sum &+=
        try queue.read { try Int64.fetchOne($0, sql: "SELECT i1 FROM ints WHERE i0 = 1") } ?? 0
      try queue.close()
    }
    return sum
  }
}
