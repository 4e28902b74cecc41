// A commit while another connection's checkpoint begins:
//
//   CofferTestChild race PATH KEY WAY
//
// WAY is how the checkpoint comes about. It says "armed" before that, "refused" or "committed" when
// the other connection has tried its commit, "not reached" if none was tried, and at the end "rows
// N of M", with what the file has and what was acknowledged, and "integrity TEXT".

import CFaults
import Coffer
import CofferArchive
import Foundation
import Synchronization

func runRaceScenario(_ arguments: [String]) throws -> Bool {
  guard arguments.count == 4, arguments[0] == "race" else { return false }
  try Race(path: arguments[1], key: key(arguments[2])).run(arguments[3])
  return true
}

private final class Race: Sendable {
  /// The way into the callback, which C calls without a context.
  private static let current = Mutex<Race?>(nil)

  private let path: String
  private let key: DatabaseKey
  private let acknowledged = Mutex(0)
  private let other: DatabasePool

  init(path: String, key: DatabaseKey) throws {
    (self.path, self.key) = (path, key)
    // SQLite is initialized, and the usual file layer known.
    _ = try DatabaseQueue()
    guard coffer_race_install() == 0 else { throw ScenarioError("the race can't be installed") }
    other = try Race.pool(path, key) { $0.busyMode = .timeout(0.05) }
    try other.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, x BLOB)") }
  }

  private static func pool(
    _ path: String, _ key: DatabaseKey, _ configure: (inout Configuration) -> Void = { _ in }
  ) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.checkpointPolicy = .manual
    configure(&configuration)
    return try DatabasePool(path: path, key: key, configuration: configuration)
  }

  /// Commits rows, one at a time.
  private func add(_ count: Int, by writer: some DatabaseWriter) throws {
    for _ in 0..<count {
      try writer.write { try $0.execute(sql: "INSERT INTO t (x) VALUES (zeroblob(3000))") }
      acknowledged.withLock { $0 += 1 }
    }
  }

  private func commitMeanwhile() {
    do {
      try add(1, by: other)
      say("committed")
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
      say("refused")
    } catch { say("failed \(error)") }
  }

  func run(_ way: String) throws {
    let first = try Race.pool(path, key)
    let checkpoint = try prepare(way)
    try add(40, by: first)
    // All is in the file now, so that the next commit restarts the log.
    try first.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
    Race.current.withLock { $0 = self }
    coffer_race_arm { Race.current.withLock { $0 }?.commitMeanwhile() }
    say("armed")
    try? checkpoint()
    if coffer_race_is_armed() != 0 { say("not reached") }
    coffer_race_arm(nil)
    try add(60, by: other)
    _ = try? first.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    try first.close()
    try other.close()

    let queue = try DatabaseQueue(path: path, key: key)
    let rows = try? queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
    say("rows \(rows ?? -1) of \(acknowledged.withLock { $0 })")
    let integrity = try? queue.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
    say("integrity \(integrity ?? "unreadable")")
  }

  /// Opens the connection whose checkpoint is to be met, which then knows an older log.
  private func prepare(_ way: String) throws -> () throws -> Void {
    let look = "SELECT count(*) FROM t"
    switch way {
    case "passive", "full", "restart", "truncate":
      let mode =
        [
          "passive": .passive, "full": .full, "restart": .restart, "truncate": .truncate,
        ][way] ?? Database.CheckpointMode.passive
      let pool = try Race.pool(path, key)
      try pool.writeWithoutTransaction { _ = try Int.fetchOne($0, sql: look) }
      return { try pool.writeWithoutTransaction { _ = try $0.checkpoint(mode) } }
    case "queue":
      let queue = try DatabaseQueue(path: path, key: key)
      _ = try queue.read { try Int.fetchOne($0, sql: look) }
      return { try queue.inDatabase { _ = try $0.checkpoint(.passive) } }
    case "pragma":
      let queue = try DatabaseQueue(path: path, key: key)
      _ = try queue.read { try Int.fetchOne($0, sql: look) }
      return { try queue.inDatabase { _ = try Row.fetchAll($0, sql: "PRAGMA wal_checkpoint") } }
    case "attached":
      let queue = try DatabaseQueue(path: path + ".main", key: key)
      let (path, key) = (path, key)
      try queue.inDatabase { db in
        try db.attach(path, as: "other", key: key)
        _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM other.t")
      }
      return { try queue.inDatabase { _ = try $0.checkpoint(.passive, on: "other") } }
    case "key":
      let pool = try Race.pool(path, key) { $0.busyMode = .timeout(0.05) }
      try pool.writeWithoutTransaction { _ = try Int.fetchOne($0, sql: look) }
      let key = key
      // The same key again: the other connections go on.
      return { try pool.changeKey(to: key) }
    case "archive":
      let pool = try Race.pool(path, key)
      let session = try Archive(FolderDestination(path: path + ".archive")).start(pool)
      return {
        try pool.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
        try session.stop()
      }
    case "close":
      let pool = try Race.pool(path, key)
      try pool.writeWithoutTransaction { _ = try Int.fetchOne($0, sql: look) }
      return { try pool.close() }
    default: throw ScenarioError("unknown way")
    }
  }
}
