import Coffer
import Foundation

/// Returns the benchmarks of freshness, against the same without it.
func freshnessBenchmarks(_ fixture: Fixture) throws -> [Benchmark] {
  try [commitsWithFreshness(fixture)] + openingWithFreshness(fixture)
}

private func configuration(_ fixture: Fixture, anchor: String?) throws -> Configuration {
  var configuration = Configuration()
  configuration.key = try .raw((0..<32).map { UInt8($0) })
  configuration.freshness = anchor.map {
    Freshness(anchor: FileAnchor(path: fixture.directory.appendingPathComponent($0).path))
  }
  return configuration
}

private func commitsWithFreshness(_ fixture: Fixture) throws -> Benchmark {
  func pool(_ name: String, anchor: String?) throws -> DatabasePool {
    let pool = try DatabasePool(
      path: fixture.directory.appendingPathComponent(name).path,
      configuration: configuration(fixture, anchor: anchor))
    try pool.write {
      try $0.execute(sql: "CREATE TABLE event (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)")
    }
    return pool
  }
  let (fresh, plain) = (
    try pool("fresh.db", anchor: "fresh-anchor"), try pool("plain.db", anchor: nil)
  )
  // Several checkpoints, each of which needs a record.
  let count = 5_000
  func commit(_ pool: DatabasePool) throws -> Int64 {
    for id in 1...count {
      try pool.write { db in
        try db.execute(
          literal: "INSERT INTO event (name, score) VALUES ('an event', \(id))")
      }
    }
    return Int64(count)
  }
  return Benchmark(
    name: "commit with freshness", count: count, goal: 1.03, floor: { try commit(plain) }
  ) { try commit(fresh) }
}

private func openingWithFreshness(_ fixture: Fixture) throws -> [Benchmark] {
  let path = fixture.directory.appendingPathComponent("large.db").path
  let writable = try configuration(fixture, anchor: "large-anchor")
  var readonly = writable
  readonly.readonly = true
  func create() throws {
    guard !FileManager.default.fileExists(atPath: path) else { return }
    let queue = try DatabaseQueue(path: path, configuration: writable)
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE large (content BLOB);
          WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 25000)
          INSERT INTO large SELECT randomblob(3900) FROM number
          """)
    }
    try queue.close()
  }
  func open(_ configuration: Configuration) throws -> Int64 {
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    let version = try queue.read { try Int64.fetchOne($0, sql: "PRAGMA user_version") ?? 0 }
    try queue.close()
    return version
  }
  return [
    Benchmark(name: "opening 100 MB with freshness, read-only", count: 1, prepare: create) {
      try open(readonly)
    },
    Benchmark(name: "opening and closing 100 MB with freshness", count: 1, prepare: create) {
      try open(writable)
    },
  ]
}
