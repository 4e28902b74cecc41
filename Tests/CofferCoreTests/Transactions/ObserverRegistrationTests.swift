import CofferExpectations
import Testing

@testable import Coffer
@testable import CofferCore

struct ObserverRegistrationTests {
  private let observed: ObservedQueue
  private var queue: DatabaseQueue { observed.database.queue }
  private var observer: LogObserver { observed.observer }

  init() throws { observed = try ObservedQueue() }

  // MARK: Lifetimes

  @Test func `an observer is called for as long as it lives`() throws {
    var mortal: LogObserver? = LogObserver()
    weak let reference = mortal
    queue.add(transactionObserver: mortal!)
    try queue.write { try observed.insert("a", 1, in: $0) }
    #expect(mortal?.take() == "+a1 will did")
    mortal = nil
    #expect(reference == nil)
    try queue.write { try observed.insert("a", 2, in: $0) }
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
    try queue.write { try observed.insert("a", 1, in: $0) }
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
    try queue.write { try observed.insert("a", 1, in: $0) }
    #expect(logs == ["+a1", "will", "did"])
    #expect(reference == nil)
  }

  @Test func `a removed observer isn't called`() throws {
    try queue.write { db in
      try observed.insert("a", 1, in: db)
      db.remove(transactionObserver: observer)
      try observed.insert("a", 2, in: db)
    }
    #expect(observer.take() == "+a1")
  }

  @Test func `an observer may write when a commit is over`() throws {
    observer.onCommit = { [observer] db in
      observer.onCommit = { _ in }
      try? db.execute(sql: "INSERT INTO b (id) VALUES (9)")
    }
    try queue.write { try observed.insert("a", 1, in: $0) }
    #expect(observer.take() == "+a1 will did +b9 will did")
  }

  @Test func `a connection without observers has no hooks`() throws {
    try queue.inDatabase { db in
      #expect(db.accessState.contains(.observed))
      db.remove(transactionObserver: observer)
      #expect(!db.accessState.contains(.observed))
      try observed.insert("a", 1, in: db)
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
      try observed.insert("a", 1, in: db)
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
    try queue.write { try observed.insert("a", 2, in: $0) }
    #expect(calls.count == 3)
  }

  // MARK: notifyChanges

  @Test func `observers of a region learn that it has changed`() throws {
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
  }

  @Test func `a table's name is told as the schema has it`() throws {
    try queue.write { db in
      try db.execute(
        sql: "CREATE TABLE Artists (id); CREATE VIEW painters AS SELECT id FROM artists")
    }
    let artists = LogObserver(table: "Artists")
    queue.add(transactionObserver: artists)
    for name in ["ARTISTS", "artists", "Painters"] {
      try queue.write { try $0.notifyChanges(in: Table(name)) }
      #expect(artists.take() == "? will did", "\(name)")
    }
  }

  @Test func `changes that a read tells of have no effect`() throws {
    try queue.read { try $0.notifyChanges(in: .fullDatabase) }
    try queue.write { db in
      try db.readOnly { try db.notifyChanges(in: DatabaseRegion(table: "a")) }
    }
    #expect(observer.take() == "will did")
  }

  @Test func `observers of updates learn that a region has changed`() throws {
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

  @Test func `a selective observer gets the transactions that touch it`() throws {
    let selective = Selective()
    queue.add(transactionObserver: selective)
    try queue.write { try observed.insert("a", 1, in: $0) }
    #expect(selective.log.take() == "")
    try queue.write { try observed.insert("b", 1, in: $0) }
    #expect(selective.log.take() == "+b1 will did")
    try? queue.write { db in
      try observed.insert("b", 2, in: db)
      throw TestError()
    }
    #expect(selective.log.take() == "+b2 rollback")
  }
}
