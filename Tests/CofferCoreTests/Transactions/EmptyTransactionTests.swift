import Coffer
import Testing

/// What observers are told of transactions that change nothing.
struct EmptyTransactionTests {
  private let database: TransactionDatabase
  private let queue: DatabaseQueue
  private let observer = LogObserver()

  init() throws {
    database = try TransactionDatabase()
    queue = database.queue
    try queue.write { try $0.execute(sql: "CREATE TABLE a (id INTEGER PRIMARY KEY)") }
    queue.add(transactionObserver: observer)
  }

  @Test(arguments: [Database.TransactionKind.deferred, .immediate, .exclusive])
  func `an empty transaction is told of, whatever its kind`(kind: Database.TransactionKind) throws {
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

  @Test func `so is one in SQL, and a savepoint that is one`() throws {
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

  @Test func `reads, and statements outside of transactions, are not`() throws {
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
    observer.refusal = Refused()
    #expect(throws: Refused.self) { try queue.inTransaction(.deferred) { _ in .commit } }
    #expect(observer.take() == "will rollback")
    try queue.inDatabase { db in
      #expect(throws: Refused.self) { try db.execute(sql: "BEGIN DEFERRED; COMMIT") }
      #expect(observer.take() == "will rollback")
      #expect(!db.isInsideTransaction)
    }
    observer.refusal = nil
    try queue.write { try $0.execute(sql: "INSERT INTO a DEFAULT VALUES") }
    #expect(observer.take() == "+a1 will did")
  }

  @Test func `an observer of the next transaction is told of an empty one, and gone`() throws {
    let next = LogObserver()
    queue.add(transactionObserver: next, extent: .nextTransaction)
    try queue.inTransaction(.deferred) { _ in .commit }
    try queue.write { try $0.execute(sql: "INSERT INTO a DEFAULT VALUES") }
    #expect(next.take() == "will did")
  }
}
