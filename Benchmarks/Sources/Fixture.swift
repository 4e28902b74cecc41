import CFloor
import Coffer
import Foundation

/// The encrypted file that C and Coffer use, and their connections to it.
final class Fixture {
  let directory: URL
  let queue: DatabaseQueue
  let floor: OpaquePointer
  private var otherFloors: [OpaquePointer] = []
  /// The size of each connection's cache.
  private let cacheKibibytes: Int
  let rows: Int
  /// Identifiers in a random order that is the same in each run.
  let ids: [Int64]

  /// - Parameter isCached: Whether the caches of both hold all pages.
  init(rows: Int, isCached: Bool = false) throws {
    self.rows = rows
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("coffer-benchmarks-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let path = directory.appendingPathComponent("benchmark.db").path
    let key = (0..<32).map { UInt8($0) }
    // Waiting for the disk isn't part of the measured work.
    var configuration = Configuration()
    // The same as C's connection has: SQLite's default, or more than there are pages.
    cacheKibibytes = isCached ? 1 << 20 : 2_000
    configuration.cacheSize = cacheKibibytes << 10
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
    queue = try DatabaseQueue(path: path, key: .raw(key), configuration: configuration)
    try Fixture.fill(queue, rows: rows)
    floor = try Fixture.openFloor(path, cacheKibibytes: cacheKibibytes)
    ids = Fixture.ids(rows: rows)
  }

  private static func openFloor(_ path: String, cacheKibibytes: Int) throws -> OpaquePointer {
    let spec = keySpec((0..<32).map { UInt8($0) })
    let settings = "PRAGMA synchronous = OFF; PRAGMA cache_size = -\(cacheKibibytes)"
    guard let floor = floor_open_with(path, spec, CInt(spec.utf8.count), settings) else {
      throw WrongResult(description: "C can't open the file")
    }
    return floor
  }

  /// Opens another connection of C, which is closed with the fixture.
  func openFloor() throws -> OpaquePointer {
    let path = directory.appendingPathComponent("benchmark.db").path
    let floor = try Fixture.openFloor(path, cacheKibibytes: cacheKibibytes)
    otherFloors.append(floor)
    return floor
  }

  /// Returns the key in the form that C passes to `sqlite3_key`.
  static func keySpec(_ key: [UInt8]) -> String {
    "x'\(key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())'"
  }

  static func ids(rows: Int) -> [Int64] {
    var generator = SplitMix(state: 42)
    return (0..<20_000).map { _ in Int64.random(in: 1...Int64(rows), using: &generator) }
  }

  /// Creates the tables of ten integers: `ints`, with rows, and `target`, without.
  static func fillIntegers(_ queue: DatabaseQueue, rows: Int) throws {
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE ints (
            i0 INTEGER PRIMARY KEY, i1 INT, i2 INT, i3 INT, i4 INT, i5 INT, i6 INT, i7 INT,
            i8 INT, i9 INT);
          CREATE TABLE target (
            i0 INT, i1 INT, i2 INT, i3 INT, i4 INT, i5 INT, i6 INT, i7 INT, i8 INT, i9 INT);
          """)
      let ints = try db.makeStatement(sql: "INSERT INTO ints VALUES (?,?,?,?,?,?,?,?,?,?)")
      for row in 1...rows {
        try ints.execute(
          arguments: StatementArguments((0..<10).map { $0 == 0 ? row : row &* 7919 &+ $0 }))
      }
    }
  }

  deinit {
    for floor in [floor] + otherFloors { floor_close(floor) }
    try? queue.close()
    try? FileManager.default.removeItem(at: directory)
  }

  private static func fill(_ queue: DatabaseQueue, rows: Int) throws {
    try fillIntegers(queue, rows: rows)
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE texts (t0 TEXT, t1 TEXT, t2 TEXT);
          CREATE TABLE blobs (b0 BLOB, b1 BLOB);
          """)
      let texts = try db.makeStatement(sql: "INSERT INTO texts VALUES (?,?,?)")
      let blobs = try db.makeStatement(sql: "INSERT INTO blobs VALUES (?,?)")
      for row in 1...rows {
        try texts.execute(
          arguments: [
            "name \(row)", "A text of middling length, number \(row), with an é in it",
            String(repeating: "x", count: row % 100 + 1),
          ])
        try blobs.execute(
          arguments: [
            Data(repeating: UInt8(row & 255), count: 16), Data(repeating: 7, count: row % 200 + 1),
          ])
      }
    }
  }
}

/// A generator of random numbers that are the same in each run.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
