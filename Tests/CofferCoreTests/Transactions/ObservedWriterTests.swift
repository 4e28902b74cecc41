import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@testable import Coffer
@testable import CofferCore

/// Observers get the same calls from a queue and from a pool.
@Suite("Observers of queues and pools") struct ObservedWriterTests {
  typealias Kind = EncryptedDatabase.Kind

  struct Fixture {
    let database: EncryptedDatabase
    let observer = LogObserver()
    var directory: TemporaryDirectory { database.directory }
    var writer: any DatabaseWriter { database.writer }

    init(_ kind: Kind) throws {
      database = try EncryptedDatabase(
        kind,
        """
        CREATE TABLE a (id INTEGER PRIMARY KEY, x, y);
        CREATE TABLE b (id INTEGER PRIMARY KEY,
          a REFERENCES a ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED);
        """)
      writer.add(transactionObserver: observer)
    }

    func write(_ sql: String) throws { try database.execute(sql) }
  }

  @Test(arguments: Kind.allCases)
  func `changes and ends are reported in order`(kind: Kind) throws {
    let fixture = try Fixture(kind)
    try fixture.write(
      "INSERT INTO a (id) VALUES (1), (2); UPDATE a SET x = 1; DELETE FROM a WHERE id = 1")
    #expect(fixture.observer.take() == "+a1 +a2 ~a1 ~a2 -a1 will did")
    try? fixture.writer.write { db in
      try db.execute(sql: "DELETE FROM a")
      throw TestError()
    }
    #expect(fixture.observer.take() == "-a2 rollback")
  }

  @Test(arguments: Kind.allCases)
  func `asynchronous writes are reported, too`(kind: Kind) async throws {
    let fixture = try Fixture(kind)
    try await fixture.writer.write { try $0.execute(sql: "INSERT INTO a (id) VALUES (1)") }
    #expect(fixture.observer.take() == "+a1 will did")
  }

  @Test(arguments: Kind.allCases)
  func `reads report nothing`(kind: Kind) throws {
    let fixture = try Fixture(kind)
    _ = try fixture.writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM a") }
    #expect(fixture.observer.take() == "")
  }

  @Test(arguments: Kind.allCases)
  func `a moved rowid is reported as it is after the update`(kind: Kind) throws {
    let fixture = try Fixture(kind)
    try fixture.write("INSERT INTO a (id) VALUES (1); UPDATE a SET id = 5")
    #expect(fixture.observer.take() == "+a1 ~a5 ? will did")
  }

  @Test(arguments: Kind.allCases)
  func `columns of an update are those that it may set`(kind: Kind) throws {
    let fixture = try Fixture(kind)
    var kinds: [DatabaseEventKind] = []
    let asking = LogObserver {
      kinds.append($0)
      return false
    }
    fixture.writer.add(transactionObserver: asking)
    try fixture.write("UPDATE a SET x = y, y = 2 WHERE id = 1")
    #expect(kinds.contains(.update(tableName: "a", columnNames: ["x", "y"])))
    #expect(asking.take() == "will did")
  }

  // MARK: Savepoints

  @Test(arguments: Kind.allCases)
  func `nested savepoints report their changes when the outermost is released`(kind: Kind) throws {
    let fixture = try Fixture(kind)
    try fixture.writer.write { db in
      try db.execute(sql: "INSERT INTO a (id) VALUES (1)")
      try db.inSavepoint {
        try db.execute(sql: "INSERT INTO a (id) VALUES (2)")
        try db.inSavepoint {
          try db.execute(sql: "INSERT INTO a (id) VALUES (3)")
          return .rollback
        }
        try db.inSavepoint {
          try db.execute(sql: "INSERT INTO a (id) VALUES (4)")
          return .commit
        }
        #expect(fixture.observer.log == ["+a1"])
        return .commit
      }
      #expect(fixture.observer.log == ["+a1", "+a2", "+a4"])
      try? db.inSavepoint {
        try db.execute(sql: "DELETE FROM a")
        throw TestError()
      }
    }
    #expect(fixture.observer.take() == "+a1 +a2 +a4 will did")
  }

  @Test(arguments: Kind.allCases)
  func `announced changes wait for savepoints as others do`(kind: Kind) throws {
    let fixture = try Fixture(kind)
    try fixture.writer.write { db in
      try db.inSavepoint {
        try db.notifyChanges(in: DatabaseRegion(table: "a"))
        return .rollback
      }
      try db.inSavepoint {
        try db.notifyChanges(in: DatabaseRegion(table: "a"))
        #expect(fixture.observer.log.isEmpty)
        return .commit
      }
      #expect(fixture.observer.take() == "?")
    }
    #expect(fixture.observer.take() == "will did")
  }

  // MARK: Unexpected ends

  @Test(arguments: Kind.allCases)
  func `an interrupted statement may end the transaction`(kind: Kind) throws {
    let fixture = try Fixture(kind)
    let writer = fixture.writer
    #expect(throws: DatabaseError.self) {
      try writer.write { db in
        db.add(
          function: DatabaseFunction("stop", argumentCount: 0, pure: false) { _ in
            writer.interrupt()
            return nil
          })
        try db.execute(sql: "INSERT INTO a (id) VALUES (1)")
        try db.execute(sql: "INSERT INTO a (x) SELECT stop() UNION ALL SELECT 1 FROM a, a, a")
        Issue.record("it was not interrupted")
      }
    }
    #expect(fixture.observer.log.first == "+a1")
    #expect(fixture.observer.log.last == "rollback")
    #expect(fixture.observer.log.count { $0 == "rollback" } == 1)
    try fixture.write("INSERT INTO a (id) VALUES (1)")
    #expect(fixture.observer.log.suffix(3) == ["+a1", "will", "did"])
  }

  @Test(arguments: Kind.allCases)
  func `a cancelled write reports its rollback`(kind: Kind) async throws {
    let fixture = try Fixture(kind)
    let writer = fixture.writer
    let hasBegun = AsyncStream<Void>.makeStream()
    let task = Task {
      try await writer.write { db in
        try db.execute(sql: "INSERT INTO a (id) VALUES (1)")
        hasBegun.continuation.yield()
        _ = try Int.fetchOne(db, sql: endlessSQL)
      }
    }
    for await _ in hasBegun.stream { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(fixture.observer.take() == "+a1 rollback")
  }

  @Test(arguments: Kind.allCases)
  func `a foreign key that is violated at the end rolls back`(kind: Kind) throws {
    let fixture = try Fixture(kind)
    expectFailure(.SQLITE_CONSTRAINT_FOREIGNKEY) {
      try fixture.write("INSERT INTO b (id, a) VALUES (1, 9)")
    }
    #expect(fixture.observer.take() == "+b1 rollback")
    // In SQL, the transaction stays open, and can be repaired.
    try fixture.writer.writeWithoutTransaction { db in
      try db.execute(sql: "BEGIN; INSERT INTO b (id, a) VALUES (1, 9)")
      expectFailure(.SQLITE_CONSTRAINT_FOREIGNKEY) { try db.execute(sql: "COMMIT") }
      #expect(db.isInsideTransaction)
      #expect(fixture.observer.take() == "+b1")
      try db.execute(sql: "INSERT INTO a (id) VALUES (9); COMMIT")
    }
    #expect(fixture.observer.take() == "+a9 will did")
  }

  @Test(arguments: Kind.allCases)
  func `a cursor that is left early reports its changes`(kind: Kind) throws {
    guard SQLiteFeatures.linked.hasReturning else { return }
    let fixture = try Fixture(kind)
    try fixture.writer.write { db in
      let rows = try Int.fetchCursor(
        db, sql: "INSERT INTO a (id) VALUES (1), (2), (3) RETURNING id")
      #expect(try rows.next() == 1)
    }
    #expect(fixture.observer.take() == "+a1 +a2 +a3 will did")
  }

  // MARK: Schemas

  @Test(arguments: Kind.allCases)
  func `tables of an attached database name it`(kind: Kind) throws {
    let fixture = try Fixture(kind)
    try fixture.writer.writeWithoutTransaction { db in
      try db.attach(
        fixture.directory.path("other.db"), as: "other", key: try .raw(EncryptedQueue.rawKey))
      try db.execute(sql: "CREATE TABLE other.a (id INTEGER PRIMARY KEY)")
      _ = fixture.observer.take()
      try db.execute(sql: "INSERT INTO other.a (id) VALUES (3); INSERT INTO main.a (id) VALUES (4)")
      #expect(fixture.observer.take() == "+other.a3 will did +a4 will did")
      try db.notifyChanges(in: .fullDatabase)
      #expect(fixture.observer.take() == "? will did")
      try db.detach("other")
    }
  }

  @Test(arguments: Kind.allCases)
  func `rows of a table without rowids are reported as a whole`(kind: Kind) throws {
    let fixture = try Fixture(kind)
    try fixture.write("CREATE TABLE w (k TEXT PRIMARY KEY, x) WITHOUT ROWID")
    _ = fixture.observer.take()
    for sql in [
      "INSERT INTO w VALUES ('k', 1)", "UPDATE w SET x = 2", "REPLACE INTO w VALUES ('k', 3)",
      "DELETE FROM w",
    ] {
      try fixture.write(sql)
      #expect(fixture.observer.take() == "? will did")
    }
  }

  @Test(arguments: Kind.allCases)
  func `an announcement of all changes reaches observers of updates`(kind: Kind) throws {
    let fixture = try Fixture(kind)
    let updates = LogObserver {
      if case .update("a", let columns) = $0 { columns.contains("y") } else { false }
    }
    fixture.writer.add(transactionObserver: updates)
    try fixture.writer.write { try $0.notifyChanges(in: .fullDatabase) }
    #expect(updates.take() == "? will did")
  }

  // MARK: Coming and going inside of calls

  @Test(arguments: Kind.allCases)
  func `an observer may be removed inside of any call`(kind: Kind) throws {
    let fixture = try Fixture(kind)
    let second = LogObserver()
    fixture.writer.add(transactionObserver: second)
    try fixture.writer.write { db in
      fixture.observer.onChange = { _ in db.remove(transactionObserver: second) }
      try db.execute(sql: "INSERT INTO a (id) VALUES (1), (2)")
    }
    #expect(fixture.observer.take() == "+a1 +a2 will did")
    #expect(second.take() == "")

    fixture.observer.onChange = { _ in }
    fixture.writer.add(transactionObserver: second)
    fixture.observer.onCommit = { $0.remove(transactionObserver: second) }
    try fixture.write("INSERT INTO a (id) VALUES (3)")
    #expect(second.take() == "+a3 will")

    // And itself.
    fixture.observer.onCommit = { [observer = fixture.observer] in
      $0.remove(transactionObserver: observer)
    }
    try fixture.write("INSERT INTO a (id) VALUES (4)")
    try fixture.write("INSERT INTO a (id) VALUES (5)")
    #expect(fixture.observer.take() == "+a3 will did +a4 will did")
  }

  @Test(arguments: Kind.allCases)
  func `an observer that is added inside of a call gets what follows`(kind: Kind) throws {
    let fixture = try Fixture(kind)
    let late = LogObserver()
    fixture.observer.onCommit = { [observer = fixture.observer] db in
      observer.onCommit = { _ in }
      db.add(transactionObserver: late)
    }
    try fixture.write("INSERT INTO a (id) VALUES (1)")
    #expect(late.take() == "")
    try fixture.write("INSERT INTO a (id) VALUES (2)")
    #expect(late.take() == "+a2 will did")
  }

  @Test(arguments: Kind.allCases)
  func `a call for the next transaction may be added while a commit is asked for`(
    kind: Kind
  ) throws {
    final class Asking: TransactionObserver {
      var db: Database?
      var ends: [String] = []
      func observes(eventsOfKind kind: DatabaseEventKind) -> Bool { false }
      func databaseDidChange(with event: DatabaseEvent) {}
      func databaseWillCommit() {
        guard let db else { return }
        self.db = nil
        db.afterNextTransaction { _ in self.ends.append("committed") }
      }
      func databaseDidCommit(_ db: Database) { ends.append("did") }
      func databaseDidRollback(_ db: Database) {}
    }
    let fixture = try Fixture(kind)
    let asking = Asking()
    fixture.writer.add(transactionObserver: asking)
    try fixture.writer.write { db in
      asking.db = db
      try db.execute(sql: "INSERT INTO a (id) VALUES (1)")
    }
    #expect(asking.ends == ["did", "committed"])
  }

  @Test(arguments: Kind.allCases)
  func `an observer that stops gets ends, and changes again in the next transaction`(kind: Kind)
    throws
  {
    let fixture = try Fixture(kind)
    fixture.observer.onChange = { $0.stopObservingDatabaseChangesUntilNextTransaction() }
    for round in 1...2 {
      try fixture.write("INSERT INTO a (id) VALUES (\(round)), (\(round + 10))")
      #expect(fixture.observer.take() == "+a\(round) will did")
    }
    try? fixture.writer.write { db in
      try db.execute(sql: "DELETE FROM a")
      throw TestError()
    }
    #expect(fixture.observer.take() == "-a1 rollback")
    try fixture.write("DELETE FROM a")
    #expect(fixture.observer.take() == "-a1 will did")
  }

  @Test(arguments: Kind.allCases)
  func `an observer that refuses rolls back, and later observers are not asked`(kind: Kind) throws {
    let fixture = try Fixture(kind)
    let last = LogObserver()
    fixture.writer.add(transactionObserver: last)
    fixture.observer.refusal = TestError()
    #expect(throws: TestError.self) { try fixture.write("INSERT INTO a (id) VALUES (1)") }
    #expect(fixture.observer.take() == "+a1 will rollback")
    #expect(last.take() == "+a1 rollback")
    fixture.observer.refusal = nil
    try fixture.write("INSERT INTO a (id) VALUES (1)")
    #expect(last.take() == "+a1 will did")
  }

  @Test(arguments: Kind.allCases)
  func `an observer may begin another transaction when one is over`(kind: Kind) throws {
    let fixture = try Fixture(kind)
    fixture.observer.onCommit = { [observer = fixture.observer] db in
      observer.onCommit = { _ in }
      do {
        try db.inTransaction {
          try db.execute(sql: "INSERT INTO b (id) VALUES (1), (2)")
          return .rollback
        }
        try db.inTransaction {
          try db.execute(sql: "INSERT INTO b (id) VALUES (3)")
          return .commit
        }
      } catch { Issue.record(error) }
    }
    try fixture.write("INSERT INTO a (id) VALUES (1)")
    #expect(fixture.observer.take() == "+a1 will did +b1 +b2 rollback +b3 will did")
  }

  // MARK: Lifetimes

  @Test(arguments: Kind.allCases)
  func `observers are released at the end of their extent`(kind: Kind) throws {
    let fixture = try Fixture(kind)
    weak var mortal: LogObserver?
    weak var next: LogObserver?
    weak var immortal: LogObserver?
    do {
      let observers = (LogObserver(), LogObserver(), LogObserver())
      (mortal, next, immortal) = observers
      fixture.writer.add(transactionObserver: observers.0)
      fixture.writer.add(transactionObserver: observers.1, extent: .nextTransaction)
      fixture.writer.add(transactionObserver: observers.2, extent: .databaseLifetime)
    }
    #expect(mortal == nil)
    #expect(next != nil)
    try? fixture.writer.write { db in
      try db.execute(sql: "INSERT INTO a (id) VALUES (1)")
      throw TestError()
    }
    #expect(next == nil)
    #expect(immortal?.take() == "+a1 rollback")
    try fixture.writer.close()
    #expect(immortal != nil)
  }
}
