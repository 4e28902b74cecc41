@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Testing

@Suite struct PlansTests {
  @Test func `plans are kept by class`() throws {
    try EncryptedQueue.with { db in
      let text = db.plan(Plan<String>.self) { Plan() }
      let int = db.plan(Plan<Int>.self) { Plan() }
      #expect(db.plan(Plan<String>.self) { Plan() } === text)
      #expect(db.plan(Plan<Int>.self) { Plan() } === int)
    }
  }

  @Test func `connections have plans of their own`() throws {
    let database = try EncryptedQueue()
    let other = try database.other()
    try database.queue.inDatabase { db in
      let plan = db.plan(Plan<Int>.self) { Plan() }
      try other.inDatabase { db in #expect(db.plan(Plan<Int>.self) { Plan() } !== plan) }
    }
  }

  @Test func `a change of the schema drops plans, an undone one too`() throws {
    try EncryptedQueue.with("CREATE TABLE t (a)") { db in
      let first = db.plan(Plan<Int>.self) { Plan() }
      try db.execute(sql: "INSERT INTO t VALUES (1)")
      #expect(db.plan(Plan<Int>.self) { Plan() } === first)
      try db.execute(sql: "BEGIN; ALTER TABLE t ADD COLUMN b")
      let second = db.plan(Plan<Int>.self) { Plan() }
      #expect(second !== first)
      try db.execute(sql: "ROLLBACK")
      #expect(db.plan(Plan<Int>.self) { Plan() } !== second)
    }
  }

  @Test func `a plan whose making throws isn't kept`() throws {
    try EncryptedQueue.with { db in
      #expect(throws: TestError.self) { try db.plan(Plan<Int>.self) { throw TestError() } }
      var count = 0
      _ = db.plan(Plan<Int>.self) {
        count += 1
        return Plan()
      }
      #expect(count == 1)
    }
  }

  @Test func `plans can be forgotten`() throws {
    try EncryptedQueue.with { db in
      var plan = db.plan(Plan<Int>.self) { Plan() }
      let other = db.plan(Plan<String>.self) { Plan() }
      db.forgetPlan(Plan<Int>.self)
      let next = db.plan(Plan<Int>.self) { Plan() }
      #expect(next !== plan)
      #expect(db.plan(Plan<String>.self) { Plan() } === other)
      plan = next
      db.releaseMemory()
      #expect(db.plan(Plan<Int>.self) { Plan() } !== plan)
    }
  }
}

private final class Plan<Record> {}
