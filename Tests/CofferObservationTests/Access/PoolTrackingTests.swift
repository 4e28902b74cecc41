@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Dispatch
import Synchronization
import Testing

/// Starts tracking the number of a table's rows.
private func start(
  _ log: Recorder, table: String = "player", during: @escaping @Sendable () -> Void = {}
) -> TrackingStart {
  TrackingStart(requiresWriteAccess: false) { result in
    do {
      let (count, region) = try result.get().recordingRegion {
        try Int.fetchOne(result.get(), sql: "SELECT count(id) FROM \(table)")
      }
      log.append("fetch \(count ?? -1)")
      during()
      return region
    } catch {
      log.append("failure")
      return nil
    }
  } track: { _, hasChanged in
    log.append("track \(hasChanged)")
  }
}

private final class Recorder: Sendable {
  private let events = Mutex<[String]>([])
  private let tracks = DispatchSemaphore(value: 0)

  func append(_ event: String) {
    events.withLock { $0.append(event) }
    if event.hasPrefix("track") { tracks.signal() }
  }

  /// All events, once tracking has begun.
  func afterTracking() -> [String] {
    tracks.wait()
    return events.withLock(\.self)
  }

  var all: [String] { events.withLock(\.self) }
}

@Suite("The beginning of an observation on a pool", .timeLimit(.minutes(15)))
struct PoolTrackingTests {
  private static let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE team (id INTEGER PRIMARY KEY)
    """

  private static func insert(_ table: String, _ pool: DatabasePool) {
    try? pool.write { try $0.execute(sql: "INSERT INTO \(table) (id) VALUES (NULL)") }
  }

  @Test(arguments: [true, false])
  func `a write between fetch and tracking is noticed if it touches the region`(
    isImmediate: Bool
  ) throws {
    let database = try EncryptedPool(Self.schema)
    let pool = database.pool
    let changes: [(during: @Sendable () -> Void, hasChanged: Bool)] = [
      ({}, false),
      ({ Self.insert("player", pool) }, true),
      ({ Self.insert("team", pool) }, false),
      ({ try? pool.write { _ in } }, false),
      ({ try? pool.write { try $0.execute(sql: "UPDATE player SET name = 'x'") } }, false),
      (
        { try? pool.write { try $0.execute(sql: "ALTER TABLE team ADD COLUMN c\(isImmediate)") } },
        true
      ),
      (
        {
          try? pool.writeInTransaction {
            try $0.execute(sql: "INSERT INTO player (id) VALUES (NULL)")
            return .rollback
          }
        }, false
      ),
      (
        {
          for _ in 0..<100 { Self.insert("team", pool) }
          Self.insert("player", pool)
          for _ in 0..<100 { Self.insert("team", pool) }
        }, true
      ),
    ]
    for (index, change) in changes.enumerated() {
      let log = Recorder()
      let start = start(log, during: change.during)
      isImmediate ? pool.beginTracking(start) : pool.scheduleTracking(start)
      #expect(log.afterTracking().last == "track \(change.hasChanged)", "change \(index)")
    }
  }

  @Test func `each statement of a write is noticed, though it may have the place of a former one`()
    throws
  {
    // Without a cache, a statement is often made where the one before it was.
    let database = try EncryptedPool(Self.schema) { $0.statementCacheCapacity = 0 }
    let pool = database.pool
    for count in 0..<50 {
      let log = Recorder()
      pool.beginTracking(
        start(log) {
          try? pool.write { db in
            try db.execute(sql: "DELETE FROM team")
            try db.execute(sql: "INSERT INTO player (id) VALUES (NULL)")
          }
        })
      #expect(log.afterTracking() == ["fetch \(count)", "track true"])
    }
  }

  @Test func `an observation that begins during a write doesn't wait for it`() throws {
    let database = try EncryptedPool(Self.schema)
    let pool = database.pool
    let log = Recorder()
    try pool.write { db in
      try db.execute(sql: "INSERT INTO player (id) VALUES (NULL)")
      pool.beginTracking(start(log))
      #expect(log.all == ["fetch 0"])
    }
    #expect(log.afterTracking() == ["fetch 0", "track true"])
  }

  @Test func `of many commits, none is missed and none reported twice`() throws {
    let database = try EncryptedPool(Self.schema)
    let pool = database.pool
    let stop = Atomic(false)
    let group = DispatchGroup()
    detachThread(group: group) {
      while !stop.load(ordering: .relaxed) { Self.insert("player", pool) }
    }
    for _ in 0..<200 {
      // The count where tracking begins is the fetched one, unless something has changed.
      let counts = Mutex((fetched: -1, tracked: -1, hasChanged: false))
      let isDone = DispatchSemaphore(value: 0)
      let start = TrackingStart(requiresWriteAccess: false) { result in
        let fetched = try? result.get().recordingRegion {
          try Int.fetchOne(result.get(), sql: "SELECT count(id) FROM player") ?? -1
        }
        counts.withLock { $0.fetched = fetched?.0 ?? -1 }
        return fetched?.1
      } track: { db, hasChanged in
        let tracked = try? Int.fetchOne(db, sql: "SELECT count(id) FROM player")
        counts.withLock {
          $0.tracked = tracked ?? -2
          $0.hasChanged = hasChanged
        }
        isDone.signal()
      }
      pool.scheduleTracking(start)
      isDone.wait()
      let result = counts.withLock(\.self)
      #expect((result.fetched != result.tracked) == result.hasChanged)
    }
    stop.store(true, ordering: .relaxed)
    group.wait()
  }

  @Test func `a snapshot fetches, and is never tracked`() throws {
    let database = try EncryptedPool(Self.schema)
    let log = Recorder()
    try database.pool.makeSnapshot().beginTracking(start(log))
    AnyDatabaseReader(try database.pool.makeSnapshotPool()).beginTracking(start(log))
    #expect(log.all == ["fetch 0", "fetch 0"])
  }

  @Test func `a closed pool fails`() throws {
    let database = try EncryptedPool(Self.schema)
    try database.pool.close()
    let log = Recorder()
    database.pool.beginTracking(start(log))
    #expect(log.all == ["failure"])
  }
}
