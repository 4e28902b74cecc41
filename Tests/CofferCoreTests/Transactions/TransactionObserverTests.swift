import Testing

@testable import Coffer
@testable import CofferCore

struct TransactionObserverTests {
  let database: TransactionDatabase
  let observer = LogObserver()
  var queue: DatabaseQueue { database.queue }

  init() throws {
    database = try TransactionDatabase()
    try database.queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE a (id INTEGER PRIMARY KEY, x, y);
          CREATE TABLE b (id INTEGER PRIMARY KEY, a REFERENCES a(id) ON DELETE CASCADE
            DEFERRABLE INITIALLY DEFERRED);
          """)
    }
    database.queue.add(transactionObserver: observer)
  }

  private func insert(_ table: String, _ ids: Int..., in db: Database) throws {
    for id in ids { try db.execute(sql: "INSERT INTO \(table) (id) VALUES (?)", arguments: [id]) }
  }

  // MARK: Changes

  @Test func `changes are told in order, and then the commit`() throws {
    try queue.write { db in
      try insert("a", 1, 2, in: db)
      try db.execute(sql: "UPDATE a SET x = 1 WHERE id = 2")
      try db.execute(sql: "DELETE FROM a WHERE id = 1")
      #expect(observer.log == ["+a1", "+a2", "~a2", "-a1"])
    }
    #expect(observer.take() == "+a1 +a2 ~a2 -a1 will did")
  }

  @Test func `a statement outside of transactions is one`() throws {
    try queue.inDatabase { db in
      try insert("a", 1, in: db)
      #expect(observer.take() == "+a1 will did")
      try insert("a", 2, in: db)
    }
    #expect(observer.take() == "+a2 will did")
  }

  @Test func `transactions in SQL are told of as those of methods`() throws {
    try queue.inDatabase { db in
      try db.execute(sql: "BEGIN; INSERT INTO a (id) VALUES (1); COMMIT")
      #expect(observer.take() == "+a1 will did")
      try db.execute(sql: "BEGIN; INSERT INTO a (id) VALUES (2); ROLLBACK")
      #expect(observer.take() == "+a2 rollback")
    }
  }

  @Test func `all rows of a table are deleted one by one`() throws {
    try queue.write { try insert("a", 1, 2, 3, in: $0) }
    _ = observer.take()
    try queue.write { try $0.execute(sql: "DELETE FROM a") }
    #expect(observer.take() == "-a1 -a2 -a3 will did")
  }

  @Test func `a recompiled statement still deletes rows one by one`() throws {
    try queue.inDatabase { db in
      try insert("a", 1, 2, in: db)
      let delete = try db.makeStatement(sql: "DELETE FROM a")
      try db.execute(sql: "ALTER TABLE a ADD COLUMN z")
      _ = observer.take()
      try delete.execute()
      #expect(observer.take() == "-a1 -a2 will did")
    }
  }

  @Test func `dropping a table drops it, and tells of no row`() throws {
    try queue.write { db in
      try insert("a", 1, in: db)
      try insert("b", 1, in: db)
    }
    _ = observer.take()
    try queue.write { db in
      try db.execute(sql: "CREATE VIEW v AS SELECT * FROM b; CREATE INDEX i ON b(a)")
      try db.execute(sql: "DROP VIEW v; DROP INDEX i; DROP TABLE b; DROP TABLE a")
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0)
    }
    #expect(observer.take() == "will did")
    // The names are free for other tables, whose rows are told of.
    try queue.write { db in
      try db.execute(sql: "CREATE TABLE a (id INTEGER PRIMARY KEY)")
      try insert("a", 7, in: db)
      try db.execute(sql: "DELETE FROM a")
    }
    #expect(observer.take() == "+a7 -a7 will did")
  }

  @Test func `dropping a table tells of what foreign keys do in others`() throws {
    try queue.write { db in
      try insert("a", 1, in: db)
      try db.execute(sql: "INSERT INTO b (id, a) VALUES (5, 1)")
    }
    _ = observer.take()
    let children = LogObserver(table: "b")
    queue.add(transactionObserver: children)
    try queue.write { db in
      try db.execute(sql: "DROP TABLE a")
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM b") == 0)
    }
    #expect(observer.take() == "-b5 will did")
    #expect(children.take() == "-b5 will did")
  }

  @Test func `a DROP that is compiled only hides no deletion`() throws {
    try queue.inDatabase { db in
      try insert("a", 1, 2, in: db)
      _ = observer.take()
      let drop = try db.makeStatement(sql: "DROP TABLE a")
      try db.execute(sql: "DELETE FROM a")
      #expect(observer.take() == "-a1 -a2 will did")
      try drop.execute()
      #expect(observer.take() == "will did")
    }
  }

  @Test func `the cascades of foreign keys are told of`() throws {
    try queue.write { db in
      try insert("a", 1, in: db)
      try db.execute(sql: "INSERT INTO b (id, a) VALUES (5, 1), (6, 1)")
    }
    _ = observer.take()
    let children = LogObserver(table: "b")
    queue.add(transactionObserver: children)
    try queue.write { try $0.execute(sql: "DELETE FROM a WHERE id = 1") }
    #expect(Set(observer.log) == ["-a1", "-b5", "-b6", "will", "did"])
    #expect(children.take() == "-b5 -b6 will did")
  }

  @Test func `the changes of triggers are told of`() throws {
    try queue.write {
      try $0.execute(
        sql: """
          CREATE TRIGGER t AFTER INSERT ON a BEGIN INSERT INTO b (id) VALUES (NEW.id + 10); END
          """)
    }
    _ = observer.take()
    let targets = LogObserver(table: "b")
    queue.add(transactionObserver: targets)
    try queue.write { try insert("a", 1, in: $0) }
    #expect(observer.take() == "+a1 +b11 will did")
    #expect(targets.take() == "+b11 will did")
  }

  @Test func `a trigger that another connection makes is noticed`() throws {
    let targets = LogObserver(table: "b")
    queue.add(transactionObserver: targets)
    let other = try database.secondQueue()
    try queue.inDatabase { db in
      let statement = try db.makeStatement(sql: "INSERT INTO a (id) VALUES (?)")
      try statement.execute(arguments: [1])
      #expect(targets.take() == "will did")
      try other.write {
        try $0.execute(
          sql: "CREATE TRIGGER t AFTER INSERT ON a BEGIN INSERT INTO b (id) VALUES (NEW.id); END")
      }
      try statement.execute(arguments: [2])
      #expect(targets.take() == "+b2 will did")
      try statement.execute(arguments: [3])
      #expect(targets.take() == "+b3 will did")
    }
  }

  @Test func `tables without rowids and virtual tables tell that they have changed`() throws {
    try queue.write {
      try $0.execute(
        sql: """
          CREATE TABLE w (k TEXT PRIMARY KEY) WITHOUT ROWID;
          CREATE VIRTUAL TABLE f USING fts4(body);
          """)
    }
    _ = observer.take()
    let words = LogObserver(table: "w")
    let text = LogObserver(table: "f")
    queue.add(transactionObserver: words)
    queue.add(transactionObserver: text)
    try queue.write { try $0.execute(sql: "INSERT INTO w VALUES ('x')") }
    #expect(words.take() == "? will did")
    #expect(text.take() == "will did")
    try queue.inDatabase { try $0.execute(sql: "INSERT INTO f VALUES ('x')") }
    #expect(words.take() == "will did")
    #expect(text.log.contains("?"))
    #expect(text.log.suffix(2) == ["will", "did"])
  }

  @Test func `only observed kinds are told`() throws {
    let some = LogObserver {
      if case .update(_, let columns) = $0 { columns.contains("x") } else { false }
    }
    queue.add(transactionObserver: some)
    try queue.write { db in
      try insert("a", 1, in: db)
      try db.execute(sql: "UPDATE a SET y = 1")
      try db.execute(sql: "UPDATE a SET y = 1, x = 2")
    }
    #expect(some.take() == "~a1 will did")
  }

  @Test func `a compiled statement asks its observers once`() throws {
    try queue.write { db in
      try insert("a", 1, in: db)
      let asked = observer.asked
      try insert("a", 2, 3, 4, in: db)
      #expect(observer.asked == asked)
    }
    let late = LogObserver()
    queue.add(transactionObserver: late)
    try queue.write { try insert("a", 5, in: $0) }
    #expect(late.take() == "+a5 will did")
  }

  @Test func `an observer can stop until the next transaction`() throws {
    observer.onChange = { $0.stopObservingDatabaseChangesUntilNextTransaction() }
    try queue.write { try insert("a", 1, 2, in: $0) }
    try queue.write { try $0.execute(sql: "UPDATE a SET x = 1") }
    #expect(observer.take() == "+a1 will did ~a1 will did")
  }

  @Test func `changes to temporary tables name their schema`() throws {
    try queue.inDatabase { db in
      try db.execute(sql: "CREATE TEMP TABLE t (id INTEGER PRIMARY KEY)")
      _ = observer.take()
      try insert("t", 1, in: db)
    }
    #expect(observer.log.first == "+temp.t1")
  }

  // MARK: Savepoints

  @Test func `changes in a savepoint wait for its release`() throws {
    try queue.write { db in
      try db.inSavepoint {
        try insert("a", 1, in: db)
        #expect(observer.log.isEmpty)
        return .commit
      }
      #expect(observer.take() == "+a1")
      try db.inSavepoint {
        try insert("a", 2, in: db)
        return .rollback
      }
      try insert("a", 3, in: db)
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

  @Test func `an error rolls back, and that is told once`() throws {
    #expect(throws: Refused.self) {
      try queue.write { db in
        try insert("a", 1, in: db)
        throw Refused()
      }
    }
    #expect(observer.take() == "+a1 rollback")
  }

  @Test func `a rollback that a conflict makes is told`() throws {
    try queue.write { try insert("a", 1, in: $0) }
    _ = observer.take()
    #expect(throws: DatabaseError.self) {
      try queue.write { db in
        try insert("a", 2, in: db)
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

  @Test func `a statement that fails by itself is rolled back`() throws {
    try queue.write { try insert("a", 1, in: $0) }
    _ = observer.take()
    #expect(throws: DatabaseError.self) { try queue.inDatabase { try insert("a", 1, in: $0) } }
    #expect(observer.take() == "rollback")
  }

  @Test func `an observer refuses a commit with an error of its own`() throws {
    observer.refusal = Refused()
    #expect(throws: Refused.self) { try queue.write { try insert("a", 1, in: $0) } }
    #expect(observer.take() == "+a1 will rollback")
    #expect(throws: Refused.self) { try queue.inDatabase { try insert("a", 1, in: $0) } }
    #expect(observer.take() == "+a1 will rollback")
    #expect(throws: Refused.self) {
      try queue.inDatabase {
        try $0.execute(sql: "BEGIN; INSERT INTO a (id) VALUES (1); COMMIT")
      }
    }
    #expect(observer.take() == "+a1 will rollback")
    observer.refusal = DatabaseError(message: "mine")
    let error = #expect(throws: DatabaseError.self) {
      try queue.write { try insert("a", 1, in: $0) }
    }
    #expect(error?.message == "mine")
    observer.refusal = nil
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM a") } == 0)
    _ = observer.take()
    try queue.write { try insert("a", 1, in: $0) }
    #expect(observer.take() == "+a1 will did")
  }

  @Test func `a deferred foreign key fails the commit before anybody is asked`() throws {
    expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) {
      try queue.write { try $0.execute(sql: "INSERT INTO b (id, a) VALUES (1, 9)") }
    }
    #expect(observer.take() == "+b1 rollback")
  }

  @Test func `a commit that finds the database busy can be tried again`() throws {
    var configuration = Configuration()
    configuration.busyMode = .immediateError
    let path = database.directory.path("busy.db")
    let key = try TransactionDatabase.key()
    let writer = try DatabaseQueue(path: path, key: key, configuration: configuration)
    let reader = try DatabaseQueue(path: path, key: key, configuration: configuration)
    try writer.write { try $0.execute(sql: "CREATE TABLE a (id INTEGER PRIMARY KEY)") }
    writer.add(transactionObserver: observer)
    try writer.inDatabase { db in
      try db.beginTransaction()
      try insert("a", 1, in: db)
      try reader.read { other in
        _ = try Int.fetchOne(other, sql: "SELECT count(*) FROM a")
        expectError(.SQLITE_BUSY) { try db.commit() }
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
      throw Refused()
    }
    #expect(observer.take() == "")
    // The transaction of one's own that has written nothing is one.
    try queue.inDatabase { try $0.execute(sql: "BEGIN; SELECT * FROM a; COMMIT") }
    #expect(observer.take() == "will did")
    try queue.write { _ in }
    #expect(observer.take() == "will did")
  }

  // MARK: Lifetimes

  @Test func `an observer is observed for as long as it lives`() throws {
    var mortal: LogObserver? = LogObserver()
    weak let reference = mortal
    queue.add(transactionObserver: mortal!)
    try queue.write { try insert("a", 1, in: $0) }
    #expect(mortal?.take() == "+a1 will did")
    mortal = nil
    #expect(reference == nil)
    try queue.write { try insert("a", 2, in: $0) }
    #expect(observer.take() == "+a1 will did +a2 will did")
  }

  @Test func `the database can retain an observer`() throws {
    var log: () -> [String]
    weak var reference: LogObserver?
    do {
      let retained = LogObserver()
      queue.add(transactionObserver: retained, extent: .databaseLifetime)
      reference = retained
      log = { [weak retained] in retained?.log ?? [] }
    }
    try queue.write { try insert("a", 1, in: $0) }
    #expect(log() == ["+a1", "will", "did"])
    queue.remove(transactionObserver: try #require(reference))
    #expect(reference == nil)
  }

  @Test func `an observer of the next transaction goes with it`() throws {
    weak var reference: LogObserver?
    var logs: [String] = []
    do {
      let next = LogObserver()
      next.onCommit = { [unowned next] _ in logs = next.log }
      reference = next
      queue.add(transactionObserver: next, extent: .nextTransaction)
    }
    try queue.read { _ = try Int.fetchOne($0, sql: "SELECT 1") }
    #expect(reference != nil)
    try queue.write { try insert("a", 1, in: $0) }
    #expect(logs == ["+a1", "will", "did"])
    #expect(reference == nil)
  }

  @Test func `a removed observer is told of nothing`() throws {
    try queue.write { db in
      try insert("a", 1, in: db)
      db.remove(transactionObserver: observer)
      try insert("a", 2, in: db)
    }
    #expect(observer.take() == "+a1")
  }

  @Test func `an observer may write when a commit is over`() throws {
    observer.onCommit = { [observer] db in
      observer.onCommit = { _ in }
      try? db.execute(sql: "INSERT INTO b (id) VALUES (9)")
    }
    try queue.write { try insert("a", 1, in: $0) }
    #expect(observer.take() == "+a1 will did +b9 will did")
  }

  @Test func `a connection without observers has no hooks`() throws {
    try queue.inDatabase { db in
      #expect(db.accessState.contains(.observed))
      db.remove(transactionObserver: observer)
      #expect(!db.accessState.contains(.observed))
      try insert("a", 1, in: db)
    }
    #expect(observer.take() == "")
  }

  @Test func `a cursor of a statement that writes may be left`() throws {
    guard SQLiteFeatures.linked.hasReturning else { return }
    try queue.inDatabase { db in
      do {
        let rows = try Int.fetchCursor(
          db, sql: "INSERT INTO a (id) VALUES (1), (2) RETURNING id")
        #expect(try rows.next() == 1)
      }
      #expect(observer.take() == "+a1 +a2 will did")
    }
  }

  // MARK: afterNextTransaction

  @Test func `functions are called once at the end of the transaction`() throws {
    var calls: [String] = []
    func register(_ db: Database, _ name: String) {
      db.afterNextTransaction(
        onCommit: { _ in calls.append("\(name) committed") },
        onRollback: { _ in calls.append("\(name) rolled back") })
    }
    try queue.write { db in
      try insert("a", 1, in: db)
      register(db, "1")
      #expect(calls.isEmpty)
    }
    #expect(calls == ["1 committed"])
    try queue.inDatabase { db in
      register(db, "2")
      try db.inTransaction { .rollback }
      try db.inTransaction { .commit }
      register(db, "3")
      try db.execute(sql: "BEGIN DEFERRED; COMMIT")
    }
    #expect(calls == ["1 committed", "2 rolled back", "3 committed"])
    try queue.write { try insert("a", 2, in: $0) }
    #expect(calls.count == 3)
  }

  // MARK: notifyChanges

  @Test func `observers of a region are told that it has changed`() throws {
    let other = LogObserver(table: "b")
    queue.add(transactionObserver: other)
    try queue.write { db in
      try db.notifyChanges(in: DatabaseRegion(table: "a"))
      #expect(observer.take() == "?")
      try db.notifyChanges(in: .fullDatabase)
    }
    #expect(observer.take() == "? will did")
    #expect(other.take() == "? will did")
    try queue.inDatabase { try $0.notifyChanges(in: DatabaseRegion(table: "b")) }
    #expect(other.take() == "? will did")
    expectError(.SQLITE_READONLY) {
      try queue.read { try $0.notifyChanges(in: .fullDatabase) }
    }
  }

  @Test func `observers of updates are told that a region has changed`() throws {
    try queue.write { try $0.execute(sql: "CREATE TABLE c (id INTEGER PRIMARY KEY, x, y)") }
    let updates = LogObserver {
      if case .update("c", let columns) = $0 { columns.contains("x") } else { false }
    }
    queue.add(transactionObserver: updates)
    try queue.inDatabase { try $0.notifyChanges(in: DatabaseRegion(table: "c")) }
    #expect(updates.take() == "? will did")
    try queue.inDatabase { try $0.notifyChanges(in: DatabaseRegion(table: "c", columns: ["x"])) }
    #expect(updates.take() == "? will did")
    try queue.inDatabase { try $0.notifyChanges(in: .fullDatabase) }
    #expect(updates.take() == "? will did")
    try queue.inDatabase { try $0.notifyChanges(in: DatabaseRegion(table: "c", columns: ["y"])) }
    #expect(!updates.take().contains("?"))
  }

  // MARK: Selective observers

  final class Selective: SelectiveTransactionObserver {
    let log = LogObserver(table: "b")
    func observes(eventsOfKind kind: DatabaseEventKind) -> Bool { log.observes(eventsOfKind: kind) }
    func databaseDidChange(with event: DatabaseEvent) { log.databaseDidChange(with: event) }
    func databaseWillCommit() throws { try log.databaseWillCommit() }
    func databaseDidCommit(_ db: Database) { log.databaseDidCommit(db) }
    func databaseDidRollback(_ db: Database) { log.databaseDidRollback(db) }
  }

  @Test func `a selective observer is told of transactions that touch it`() throws {
    let selective = Selective()
    queue.add(transactionObserver: selective)
    try queue.write { try insert("a", 1, in: $0) }
    #expect(selective.log.take() == "")
    try queue.write { try insert("b", 1, in: $0) }
    #expect(selective.log.take() == "+b1 will did")
    try? queue.write { db in
      try insert("b", 2, in: db)
      throw Refused()
    }
    #expect(selective.log.take() == "+b2 rollback")
  }
}
