import CofferExpectations
import CofferTestSupport
import Testing

@testable import Coffer
@testable import CofferCore

/// An observer of some tables that logs its calls.
final class SelectiveLog: SelectiveTransactionObserver {
  let log: LogObserver
  var observedTables: Set<String>?

  init(_ tables: Set<String>?, observes: @escaping (DatabaseEventKind) -> Bool = { _ in true }) {
    observedTables = tables
    log = LogObserver(observes: observes)
  }

  func observes(eventsOfKind kind: DatabaseEventKind) -> Bool { log.observes(eventsOfKind: kind) }
  func databaseDidChange() { log.databaseDidChange() }
  func databaseDidChange(with event: DatabaseEvent) { log.databaseDidChange(with: event) }
  func databaseWillCommit() throws { try log.databaseWillCommit() }
  func databaseDidCommit(_ db: Database) { log.databaseDidCommit(db) }
  func databaseDidRollback(_ db: Database) { log.databaseDidRollback(db) }
}

@Suite("Selective observers") struct SelectiveObserverTests {
  let database: EncryptedQueue
  var queue: DatabaseQueue { database.queue }

  init() throws {
    database = try EncryptedQueue(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY, x);
      CREATE TABLE b (id INTEGER PRIMARY KEY, x);
      CREATE TABLE c (id INTEGER PRIMARY KEY, x);
      """)
  }

  private func insert(_ table: String, _ id: Int) throws {
    try queue.write { try $0.execute(sql: "INSERT INTO \(table) (id) VALUES (\(id))") }
  }

  @Test func `neither statements nor commits of other tables come across an observer`() throws {
    let observers = (0..<100).map { SelectiveLog(["other\($0)"]) }
    for observer in observers { queue.add(transactionObserver: observer) }
    for id in 1...10 { try insert("a", id) }
    try queue.write { try $0.execute(sql: "UPDATE a SET x = 1; DELETE FROM a") }
    for observer in observers {
      #expect(observer.log.asked == 0)
      #expect(observer.log.take() == "")
    }
  }

  @Test func `names are compared as SQLite does`() throws {
    let observer = SelectiveLog(["A", "É"])
    queue.add(transactionObserver: observer)
    try queue.write { try $0.execute(sql: "CREATE TABLE \"É\" (id); CREATE TABLE \"é\" (id)") }
    // A new table can hide another one of its name.
    #expect(observer.log.take() == "? will did")
    try insert("a", 1)
    #expect(observer.log.take() == "+a1 will did")
    try insert("é", 1)
    #expect(observer.log.take() == "")
    try insert("É", 1)
    #expect(observer.log.take() == "+É1 will did")
  }

  @Test func `an observer of several tables gets each change once`() throws {
    let observer = SelectiveLog(["a", "b"])
    queue.add(transactionObserver: observer)
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TRIGGER t AFTER INSERT ON a BEGIN
            INSERT INTO b (id) VALUES (NEW.id); INSERT INTO c (id) VALUES (NEW.id);
          END
          """)
    }
    try insert("a", 1)
    #expect(observer.log.take() == "+a1 +b1 will did")
    try insert("c", 2)
    #expect(observer.log.take() == "")
  }

  @Test func `an observer of all tables is asked, and gets what touches it`() throws {
    let observer = SelectiveLog(nil) { $0.tableName == "b" }
    queue.add(transactionObserver: observer)
    try insert("a", 1)
    #expect(observer.log.asked > 0)
    #expect(observer.log.take() == "")
    try insert("b", 1)
    #expect(observer.log.take() == "+b1 will did")
  }

  @Test func `observers are called in the order in which they were added`() throws {
    var order: [Int] = []
    let observers = (0..<6).map { number in
      let observer = SelectiveLog(number % 3 == 0 ? nil : ["b", "a"])
      observer.log.onChange = { _ in order.append(number) }
      return observer
    }
    for observer in observers { queue.add(transactionObserver: observer) }
    try insert("a", 1)
    #expect(order == Array(0..<6))
    // Who changes its mind keeps its place.
    observers[1].observedTables = ["b"]
    try queue.inDatabase { $0.observation.interestsDidChange(of: observers[1]) }
    order = []
    try insert("b", 1)
    #expect(order == Array(0..<6))
  }

  @Test func `a compiled statement learns of other interests`() throws {
    let observer = SelectiveLog(["b"])
    queue.add(transactionObserver: observer)
    try queue.inDatabase { db in
      let statement = try db.makeStatement(sql: "INSERT INTO a DEFAULT VALUES")
      try statement.execute()
      #expect(observer.log.take() == "")
      observer.observedTables = ["a"]
      try statement.execute()
      #expect(observer.log.take() == "")
      db.observation.interestsDidChange(of: observer)
      try statement.execute()
      #expect(observer.log.take() == "+a3 will did")
      observer.log.observes = { _ in false }
      db.observation.interestsDidChange(of: observer)
      try statement.execute()
      #expect(observer.log.take() == "")
      observer.observedTables = nil
      observer.log.observes = { _ in true }
      db.observation.interestsDidChange()
      try statement.execute()
      #expect(observer.log.take() == "+a5 will did")
      observer.observedTables = []
      db.observation.interestsDidChange(of: observer)
      try statement.execute()
      #expect(observer.log.take() == "")
    }
  }

  @Test func `a compiled statement learns of observers that come and go`() throws {
    try queue.inDatabase { db in
      let statement = try db.makeStatement(sql: "INSERT INTO a DEFAULT VALUES")
      let other = SelectiveLog(["b"])
      db.add(transactionObserver: other)
      for row in stride(from: 1, to: 20, by: 2) {
        let observer = SelectiveLog(["a"])
        db.add(transactionObserver: observer)
        try statement.execute()
        #expect(observer.log.take() == "+a\(row) will did")
        db.remove(transactionObserver: observer)
        try statement.execute()
        #expect(observer.log.take() == "")
      }
      #expect(other.log.take() == "")
    }
  }

  @Test func `the registrations of dead observers are removed`() throws {
    try queue.inDatabase { db in
      for number in 0..<50 {
        db.add(transactionObserver: SelectiveLog(["t\(number)"]))
      }
      // A few at a time, with each transaction of the connection.
      for _ in 0..<50 { try db.execute(sql: "INSERT INTO a DEFAULT VALUES") }
      #expect(db.observation.registry.isEmpty)
      #expect(!db.accessState.contains(.observed))
    }
  }

  @Test func `an observer of the next transaction goes with it, touched or not`() throws {
    let observer = SelectiveLog(["a"])
    queue.add(transactionObserver: observer, extent: .nextTransaction)
    try insert("b", 1)
    try insert("a", 1)
    #expect(observer.log.take() == "")
  }

  @Test func `an observer that is touched may refuse the commit`() throws {
    let observer = SelectiveLog(["a"])
    observer.log.refusal = TestError()
    queue.add(transactionObserver: observer)
    try insert("b", 1)
    #expect(throws: TestError.self) { try insert("a", 1) }
    #expect(observer.log.take() == "+a1 will rollback")
  }

  @Test func `an observer of a table behind a virtual one is called`() throws {
    let observer = SelectiveLog(["f_content"])
    let owner = SelectiveLog(["f"])
    queue.add(transactionObserver: observer)
    queue.add(transactionObserver: owner)
    try queue.write { db in
      try db.execute(sql: "CREATE VIRTUAL TABLE f USING fts4(body)")
    }
    _ = (observer.log.take(), owner.log.take())
    try queue.write { try $0.execute(sql: "INSERT INTO f VALUES ('x')") }
    #expect(owner.log.log.contains("?"))
    #expect(owner.log.log.suffix(2) == ["will", "did"])
    #expect(observer.log.log.contains("+f_content1"))
  }

  @Test func `changes that are announced touch the observers of their tables`() throws {
    let (a, b) = (SelectiveLog(["a"]), SelectiveLog(["b"]))
    queue.add(transactionObserver: a)
    queue.add(transactionObserver: b)
    try queue.write { try $0.notifyChanges(in: DatabaseRegion(table: "A")) }
    #expect(a.log.take() == "? will did")
    #expect(b.log.take() == "")
    try queue.write { try $0.notifyChanges(in: .fullDatabase) }
    #expect(a.log.take() == "? will did")
    #expect(b.log.take() == "? will did")
  }
}
