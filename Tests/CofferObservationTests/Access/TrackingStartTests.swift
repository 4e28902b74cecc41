@testable import CofferCore
import CofferTestSupport
import Synchronization
import Testing

@Suite("The beginning of an observation")
struct TrackingStartTests {
  @Test func `a queue fetches and begins to track in one access`() throws {
    let database = try EncryptedQueue("CREATE TABLE player (id INTEGER PRIMARY KEY)")
    let events = Mutex<[String]>([])
    let start = TrackingStart(requiresWriteAccess: false) { result in
      let count = try? result.get().recordingRegion {
        try Int.fetchOne(result.get(), sql: "SELECT count(id) FROM player")
      }
      events.withLock { $0.append("fetch \(count?.0 ?? -1)") }
      return count?.1
    } track: { db, hasChanged in
      events.withLock { $0.append("track \(hasChanged) \(db.isInsideTransaction)") }
    }
    database.queue.beginTracking(start)
    #expect(events.withLock(\.self) == ["fetch 0", "track false false"])
  }

  @Test func `a fetch that fails is not tracked`() throws {
    let database = try EncryptedQueue()
    let events = Mutex<[String]>([])
    let start = TrackingStart(requiresWriteAccess: false) { _ in
      nil
    } track: { _, _ in
      events.withLock { $0.append("track") }
    }
    AnyDatabaseReader(database.queue).beginTracking(start)
    #expect(events.withLock(\.self).isEmpty)
  }
}
