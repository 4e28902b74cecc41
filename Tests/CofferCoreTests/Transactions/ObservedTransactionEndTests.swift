import CofferExpectations
import CofferTestSupport
import Testing

@testable import Coffer
@testable import CofferCore

struct ObservedTransactionEndTests {
  private let observed: ObservedQueue
  private var queue: DatabaseQueue { observed.database.queue }
  private var observer: LogObserver { observed.observer }

  init() throws { observed = try ObservedQueue() }

  // MARK: Savepoints

  @Test func `changes in a savepoint wait for its release`() throws {
    try queue.write { db in
      try db.inSavepoint {
        try observed.insert("a", 1, in: db)
        #expect(observer.log.isEmpty)
        return .commit
      }
      #expect(observer.take() == "+a1")
      try db.inSavepoint {
        try observed.insert("a", 2, in: db)
        return .rollback
      }
      try observed.insert("a", 3, in: db)
    }
    #expect(observer.take() == "+a3 will did")
  }

  @Test func `nested savepoints keep what is released and drop what is rolled back`() throws {
    try queue.write { db in
      try db.execute(
        sql: """
          SAVEPOINT s; INSERT INTO a (id) VALUES (1);
          SAVEPOINT s; INSERT INTO a (id) VALUES (2);
          SAVEPOINT t; INSERT INTO a (id) VALUES (3);
          ROLLBACK TO t; INSERT INTO a (id) VALUES (4);
          RELEASE S;
          """)
      #expect(observer.log.isEmpty)
      try db.execute(sql: "INSERT INTO a (id) VALUES (5); RELEASE s")
      #expect(observer.take() == "+a1 +a2 +a4 +a5")
      try db.execute(
        sql: "SAVEPOINT o; INSERT INTO a (id) VALUES (6); SAVEPOINT i; ROLLBACK TO o; RELEASE o")
    }
    #expect(observer.take() == "will did")
  }

  @Test func `a commit releases savepoints`() throws {
    try queue.inDatabase { db in
      try db.execute(sql: "BEGIN; SAVEPOINT s; INSERT INTO a (id) VALUES (1); COMMIT")
      #expect(observer.take() == "+a1 will did")
      try db.execute(sql: "INSERT INTO a (id) VALUES (2)")
    }
    #expect(observer.take() == "+a2 will did")
  }

  @Test func `a savepoint can be the transaction`() throws {
    try queue.inDatabase { db in
      try db.execute(sql: "SAVEPOINT s; INSERT INTO a (id) VALUES (1); RELEASE s")
      #expect(observer.take() == "+a1 will did")
      try db.execute(sql: "SAVEPOINT s; INSERT INTO a (id) VALUES (2); ROLLBACK")
    }
    #expect(observer.take() == "rollback")
  }

  @Test func `a savepoint that was begun before the observer came is known`() throws {
    let late = LogObserver()
    try queue.write { db in
      db.remove(transactionObserver: observer)
      try db.execute(sql: "SAVEPOINT s")
      db.add(transactionObserver: late)
      try db.execute(sql: "INSERT INTO a (id) VALUES (1); ROLLBACK TO s; RELEASE s")
    }
    #expect(late.take() == "will did")
  }

  // MARK: Rollbacks

  @Test func `an error rolls back, which is reported once`() throws {
    #expect(throws: TestError.self) {
      try queue.write { db in
        try observed.insert("a", 1, in: db)
        throw TestError()
      }
    }
    #expect(observer.take() == "+a1 rollback")
  }

  @Test func `a rollback by a conflict is reported`() throws {
    try queue.write { try observed.insert("a", 1, in: $0) }
    _ = observer.take()
    #expect(throws: DatabaseError.self) {
      try queue.write { db in
        try observed.insert("a", 2, in: db)
        do {
          try db.execute(sql: "INSERT OR ROLLBACK INTO a (id) VALUES (1)")
        } catch {
          #expect(observer.take() == "+a2 rollback")
          #expect(!db.isInsideTransaction)
        }
      }
    }
    #expect(observer.take() == "")
  }

  @Test func `a statement that fails by itself is no transaction to those it hasn't told`() throws {
    try queue.write { try observed.insert("a", 1, in: $0) }
    _ = observer.take()
    var ends: [String] = []
    try queue.inDatabase { db in
      db.afterNextTransaction {
        _ in
        ends.append("commit")
      } onRollback: { _ in
        ends.append("rollback")
      }
      #expect(throws: DatabaseError.self) { try observed.insert("a", 1, in: db) }
      #expect(observer.take() == "" && ends.isEmpty)
      // An observer that was told of a change has to forget it.
      #expect(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT INTO a (id) VALUES (2), (1)")
      }
      #expect(observer.take() == "+a2 rollback" && ends.isEmpty)
      try observed.insert("a", 3, in: db)
    }
    #expect(observer.take() == "+a3 will did" && ends == ["commit"])
  }

  @Test func `rows that stay after a failure are told, where SQLite doesn't report them`() throws {
    try queue.write { try $0.execute(sql: "CREATE TABLE c (id PRIMARY KEY) WITHOUT ROWID") }
    _ = observer.take()
    try queue.write { db in
      _ = #expect(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT OR FAIL INTO c VALUES (1), (1)")
      }
    }
    #expect(observer.take() == "? will did")
  }

  @Test func `an observer refuses a commit with a custom error`() throws {
    observer.refusal = TestError()
    #expect(throws: TestError.self) { try queue.write { try observed.insert("a", 1, in: $0) } }
    #expect(observer.take() == "+a1 will rollback")
    #expect(throws: TestError.self) { try queue.inDatabase { try observed.insert("a", 1, in: $0) } }
    #expect(observer.take() == "+a1 will rollback")
    #expect(throws: TestError.self) {
      try queue.inDatabase {
        try $0.execute(sql: "BEGIN; INSERT INTO a (id) VALUES (1); COMMIT")
      }
    }
    #expect(observer.take() == "+a1 will rollback")
    observer.refusal = DatabaseError(message: "mine")
    let error = #expect(throws: DatabaseError.self) {
      try queue.write { try observed.insert("a", 1, in: $0) }
    }
    #expect(error?.message == "mine")
    observer.refusal = nil
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM a") } == 0)
    _ = observer.take()
    try queue.write { try observed.insert("a", 1, in: $0) }
    #expect(observer.take() == "+a1 will did")
  }

  @Test func `a deferred foreign key fails the commit before observers are asked`() throws {
    expectFailure(.SQLITE_CONSTRAINT_FOREIGNKEY) {
      try queue.write { try $0.execute(sql: "INSERT INTO b (id, a) VALUES (1, 9)") }
    }
    #expect(observer.take() == "+b1 rollback")
  }

  @Test func `a commit that finds the database busy can be tried again`() throws {
    let database = try EncryptedQueue("CREATE TABLE a (id INTEGER PRIMARY KEY)") {
      $0.busyMode = .immediateError
      $0.journalMode = .delete
    }
    let (writer, reader) = (database.queue, try database.other())
    writer.add(transactionObserver: observer)
    try writer.inDatabase { db in
      try db.beginTransaction()
      try observed.insert("a", 1, in: db)
      try reader.read { other in
        _ = try Int.fetchOne(other, sql: "SELECT count(*) FROM a")
        expectFailure(.SQLITE_BUSY) { try db.commit() }
      }
      // Old SQLites ask for the lock first.
      #expect(["+a1", "+a1 will"].contains(observer.take()))
      #expect(db.isInsideTransaction)
      try db.commit()
      #expect(observer.take() == "will did")
    }
  }

  // MARK: Transactions without changes

  @Test func `reads are no transactions to observers`() throws {
    try queue.read { _ = try Int.fetchOne($0, sql: "SELECT count(*) FROM a") }
    try? queue.read { db in
      _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM a")
      throw TestError()
    }
    #expect(observer.take() == "")
    // An explicit transaction that has written nothing is reported.
    try queue.inDatabase { try $0.execute(sql: "BEGIN; SELECT * FROM a; COMMIT") }
    #expect(observer.take() == "will did")
    try queue.write { _ in }
    #expect(observer.take() == "will did")
  }
}
