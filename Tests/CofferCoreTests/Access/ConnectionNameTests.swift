import Coffer
import CofferExpectations
import CofferTestSupport
import Dispatch
import Foundation
import Testing

/// The names of connections, and the queues on which their accesses run.
struct ConnectionNameTests {
  private func name(_ reader: some DatabaseReader) throws -> String {
    try reader.read { $0.description }
  }

  @Test(arguments: [nil, "Toreador"]) func `a queue is called by its label`(label: String?) throws {
    let database = try EncryptedQueue { $0.label = label }
    #expect(try name(database.queue) == label ?? "Coffer.DatabaseQueue")
    try database.queue.inDatabase { db in
      #expect(db.configuration.label == label)
      #expect(db.debugDescription == "<Database: \(db.description)>")
    }
    var configuration = Configuration()
    configuration.label = label
    #expect(
      try name(DatabaseQueue(configuration: configuration)) == label ?? "Coffer.DatabaseQueue")
  }

  @Test(arguments: [nil, "Toreador"])
  func `the connections of a pool are told apart`(label: String?) throws {
    let database = try EncryptedPool("CREATE TABLE t (a)") { $0.label = label }
    let pool = database.pool
    let prefix = label ?? "Coffer.DatabasePool"
    #expect(try pool.writeWithoutTransaction { $0.description } == prefix + ".writer")
    try pool.read { first in
      #expect(first.description == prefix + ".reader.1")
      let group = DispatchGroup()
      detachThread(group: group) {
        let second = try? pool.read { $0.description }
        #expect(second == prefix + ".reader.2")
      }
      group.wait()
    }
    #expect(try name(pool.makeSnapshot()) == prefix + ".snapshot.1")
    #expect(try name(pool.makeSnapshot()) == prefix + ".snapshot.2")
    #expect(
      try name(pool.makeSnapshotPool()).hasPrefix(
        (label ?? "Coffer.DatabaseSnapshotPool") + ".reader."))
    #expect(
      try name(DatabaseSnapshot(path: database.path, configuration: database.configuration))
        == label ?? "Coffer.DatabaseSnapshot")
  }
}

struct TargetQueueTests {
  private static let key = DispatchSpecificKey<String>()

  /// An application's queue that shows which accesses run on it.
  private func makeTarget(
    _ name: String, attributes: DispatchQueue.Attributes = []
  ) -> DispatchQueue {
    let queue = DispatchQueue(label: name, attributes: attributes)
    queue.setSpecific(key: Self.key, value: name)
    return queue
  }

  private var current: String? { DispatchQueue.getSpecific(key: Self.key) }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `accesses run on the target queue, synchronous ones too`(
    kind: EncryptedDatabase.Kind
  ) async throws {
    let target = makeTarget("target")
    let database = try EncryptedDatabase(kind, "CREATE TABLE t (a)") { $0.targetQueue = target }
    let writer = database.writer
    let seen = try { () throws -> [String?] in
      try [
        writer.write { _ in current }, writer.read { _ in current },
        writer.unsafeReentrantWrite { _ in current },
        writer.barrierWriteWithoutTransaction { _ in current },
      ]
    }()
    #expect(seen == ["target", "target", "target", "target"])
    #expect(try await writer.write { _ in current } == "target")
    #expect(try await writer.read { _ in current } == "target")
    // An error thrown in an access reaches the caller.
    struct Thrown: Error {}
    #expect(throws: Thrown.self) { try { try writer.write { _ in throw Thrown() } }() }
    #expect(try { try writer.read { try Int.fetchOne($0, sql: "SELECT 1") } }() == 1)
  }

  @Test func `what writes has a target queue of its own`() throws {
    let target = makeTarget("reads")
    let writeTarget = makeTarget("writes")
    let pool = try EncryptedPool("CREATE TABLE t (a)") {
      $0.targetQueue = target
      $0.writeTargetQueue = writeTarget
    }
    #expect(try pool.pool.write { _ in current } == "writes")
    #expect(try pool.pool.read { _ in current } == "reads")
    #expect(try pool.pool.makeSnapshot().read { _ in current } == "reads")
    var configuration = pool.configuration
    configuration.readonly = true
    let reader = try DatabaseQueue(path: pool.path, configuration: configuration)
    #expect(try reader.read { _ in current } == "reads")
  }

  @Test func `a queue of Dispatch's own can be the target`() throws {
    let database = try EncryptedQueue("CREATE TABLE t (a)") {
      $0.targetQueue = .global(qos: .utility)
    }
    let number = try database.queue.write { try Int.fetchOne($0, sql: "SELECT 1") }
    #expect(number == 1)
  }

  @Test func `accesses from the target queue, and inside others on it, don't wait for it`() throws {
    let target = makeTarget("target")
    let database = try EncryptedPool("CREATE TABLE t (a)") { $0.targetQueue = target }
    let pool = database.pool
    let count = try target.sync {
      try pool.write { db in
        try db.execute(sql: "INSERT INTO t VALUES (1)")
        // The state before.
        return try pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
      }
    }
    #expect(count == 0)
    #expect(try pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 1)
  }

  @Test func `accesses of many threads take turns on a concurrent target`() throws {
    let target = makeTarget("target", attributes: .concurrent)
    let database = try EncryptedQueue("CREATE TABLE t (a INTEGER)") { $0.targetQueue = target }
    let queue = database.queue
    let group = DispatchGroup()
    for number in 0..<8 {
      detachThread(group: group) {
        for _ in 0..<20 {
          try? queue.write {
            try $0.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number])
          }
          queue.asyncWriteWithoutTransaction {
            try? $0.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number])
          }
        }
      }
    }
    group.wait()
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 320)
  }
}
