import Coffer
import CofferExpectations
import CofferTestSupport
import Testing

/// The calls that observers get for transactions without changes.
struct EmptyTransactionTests {
  private let database: EncryptedQueue
  private let queue: DatabaseQueue
  private let observer = LogObserver()

  init() throws {
    database = try EncryptedQueue()
    queue = database.queue
    try queue.write { try $0.execute(sql: "CREATE TABLE a (id INTEGER PRIMARY KEY)") }
    queue.add(transactionObserver: observer)
  }

  @Test(arguments: [Database.TransactionKind.deferred, .immediate, .exclusive])
  func `an empty transaction is reported, whatever its kind`(kind: Database.TransactionKind) throws
  {
    try queue.inTransaction(kind) { _ in .commit }
    #expect(observer.take() == "will did")
    try queue.inTransaction(kind) { _ in .rollback }
    #expect(observer.take() == "rollback")
    try queue.inTransaction(kind) { db in
      _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM a")
      return .commit
    }
    #expect(observer.take() == "will did")
  }

  @Test func `an empty transaction in SQL is reported, and a savepoint that is one`() throws {
    try queue.inDatabase { db in
      try db.execute(sql: "BEGIN DEFERRED; COMMIT")
      #expect(observer.take() == "will did")
      try db.execute(sql: "SAVEPOINT s; RELEASE s")
      #expect(observer.take() == "will did")
      try db.execute(sql: "BEGIN; SAVEPOINT s; RELEASE s")
      #expect(observer.take() == "")
      try db.execute(sql: "ROLLBACK")
      #expect(observer.take() == "rollback")
    }
  }

  @Test func `reads, and statements outside of transactions, are not reported`() throws {
    try queue.read { _ = try Int.fetchOne($0, sql: "SELECT count(*) FROM a") }
    try queue.read { _ in }
    try queue.inDatabase { db in
      _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM a")
      try db.readOnly { try db.execute(sql: "BEGIN; COMMIT") }
      // Nothing is open.
      try db.rollback()
    }
    #expect(observer.take() == "")
  }

  @Test func `the commit of an empty transaction can be refused`() throws {
    observer.refusal = TestError()
    #expect(throws: TestError.self) { try queue.inTransaction(.deferred) { _ in .commit } }
    #expect(observer.take() == "will rollback")
    try queue.inDatabase { db in
      #expect(throws: TestError.self) { try db.execute(sql: "BEGIN DEFERRED; COMMIT") }
      #expect(observer.take() == "will rollback")
      #expect(!db.isInsideTransaction)
    }
    observer.refusal = nil
    try queue.write { try $0.execute(sql: "INSERT INTO a DEFAULT VALUES") }
    #expect(observer.take() == "+a1 will did")
  }

  @Test func `an observer of the next transaction gets an empty one, and is removed`() throws {
    let next = LogObserver()
    queue.add(transactionObserver: next, extent: .nextTransaction)
    try queue.inTransaction(.deferred) { _ in .commit }
    try queue.write { try $0.execute(sql: "INSERT INTO a DEFAULT VALUES") }
    #expect(next.take() == "will did")
  }
}
