import Testing

@testable import Coffer
@testable import CofferCore

struct TransactionObserverTests {
  private let observed: ObservedQueue
  private var queue: DatabaseQueue { observed.database.queue }
  private var observer: LogObserver { observed.observer }

  init() throws { observed = try ObservedQueue() }

  @Test func `changes are reported in order, and then the commit`() throws {
    try queue.write { db in
      try observed.insert("a", 1, 2, in: db)
      try db.execute(sql: "UPDATE a SET x = 1 WHERE id = 2")
      try db.execute(sql: "DELETE FROM a WHERE id = 1")
      #expect(observer.log == ["+a1", "+a2", "~a2", "-a1"])
    }
    #expect(observer.take() == "+a1 +a2 ~a2 -a1 will did")
  }

  @Test func `a statement outside of transactions is one`() throws {
    try queue.inDatabase { db in
      try observed.insert("a", 1, in: db)
      #expect(observer.take() == "+a1 will did")
      try observed.insert("a", 2, in: db)
    }
    #expect(observer.take() == "+a2 will did")
  }

  @Test func `transactions in SQL are reported like those of methods`() throws {
    try queue.inDatabase { db in
      try db.execute(sql: "BEGIN; INSERT INTO a (id) VALUES (1); COMMIT")
      #expect(observer.take() == "+a1 will did")
      try db.execute(sql: "BEGIN; INSERT INTO a (id) VALUES (2); ROLLBACK")
      #expect(observer.take() == "+a2 rollback")
    }
  }

  @Test func `all rows of a table are deleted one by one`() throws {
    try queue.write { try observed.insert("a", 1, 2, 3, in: $0) }
    _ = observer.take()
    try queue.write { try $0.execute(sql: "DELETE FROM a") }
    #expect(observer.take() == "-a1 -a2 -a3 will did")
  }

  @Test func `a recompiled statement still deletes rows one by one`() throws {
    try queue.inDatabase { db in
      try observed.insert("a", 1, 2, in: db)
      let delete = try db.makeStatement(sql: "DELETE FROM a")
      try db.execute(sql: "ALTER TABLE a ADD COLUMN z")
      _ = observer.take()
      try delete.execute()
      #expect(observer.take() == "-a1 -a2 will did")
    }
  }

  @Test func `dropping a table reports no row`() throws {
    try queue.write { db in
      try observed.insert("a", 1, in: db)
      try observed.insert("b", 1, in: db)
    }
    _ = observer.take()
    try queue.write { db in
      try db.execute(sql: "CREATE VIEW v AS SELECT * FROM b; CREATE INDEX i ON b(a)")
      try db.execute(sql: "DROP VIEW v; DROP INDEX i; DROP TABLE b; DROP TABLE a")
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0)
    }
    #expect(observer.take() == "will did")
    // The names are free for other tables, whose rows are reported.
    try queue.write { db in
      try db.execute(sql: "CREATE TABLE a (id INTEGER PRIMARY KEY)")
      try observed.insert("a", 7, in: db)
      try db.execute(sql: "DELETE FROM a")
    }
    #expect(observer.take() == "+a7 -a7 will did")
  }

  @Test func `dropping a table reports what foreign keys do in others`() throws {
    try queue.write { db in
      try observed.insert("a", 1, in: db)
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
      try observed.insert("a", 1, 2, in: db)
      _ = observer.take()
      let drop = try db.makeStatement(sql: "DROP TABLE a")
      try db.execute(sql: "DELETE FROM a")
      #expect(observer.take() == "-a1 -a2 will did")
      try drop.execute()
      #expect(observer.take() == "will did")
    }
  }

  @Test func `the cascades of foreign keys are reported`() throws {
    try queue.write { db in
      try observed.insert("a", 1, in: db)
      try db.execute(sql: "INSERT INTO b (id, a) VALUES (5, 1), (6, 1)")
    }
    _ = observer.take()
    let children = LogObserver(table: "b")
    queue.add(transactionObserver: children)
    try queue.write { try $0.execute(sql: "DELETE FROM a WHERE id = 1") }
    #expect(Set(observer.log) == ["-a1", "-b5", "-b6", "will", "did"])
    #expect(children.take() == "-b5 -b6 will did")
  }

  @Test func `the changes of triggers are reported`() throws {
    try queue.write {
      try $0.execute(
        sql: """
          CREATE TRIGGER t AFTER INSERT ON a BEGIN INSERT INTO b (id) VALUES (NEW.id + 10); END
          """)
    }
    _ = observer.take()
    let targets = LogObserver(table: "b")
    queue.add(transactionObserver: targets)
    try queue.write { try observed.insert("a", 1, in: $0) }
    #expect(observer.take() == "+a1 +b11 will did")
    #expect(targets.take() == "+b11 will did")
  }

  @Test func `a trigger that another connection makes is noticed`() throws {
    let targets = LogObserver(table: "b")
    queue.add(transactionObserver: targets)
    let other = try observed.database.other()
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

  @Test func `tables without rowids and virtual tables report that they have changed`() throws {
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

  @Test func `only observed kinds are reported`() throws {
    let some = LogObserver {
      if case .update(_, let columns) = $0 { columns.contains("x") } else { false }
    }
    queue.add(transactionObserver: some)
    try queue.write { db in
      try observed.insert("a", 1, in: db)
      try db.execute(sql: "UPDATE a SET y = 1")
      try db.execute(sql: "UPDATE a SET y = 1, x = 2")
    }
    #expect(some.take() == "~a1 will did")
  }

  @Test func `a compiled statement asks its observers once`() throws {
    try queue.write { db in
      try observed.insert("a", 1, in: db)
      let asked = observer.asked
      try observed.insert("a", 2, 3, 4, in: db)
      #expect(observer.asked == asked)
    }
    let late = LogObserver()
    queue.add(transactionObserver: late)
    try queue.write { try observed.insert("a", 5, in: $0) }
    #expect(late.take() == "+a5 will did")
  }

  @Test func `an observer can stop until the next transaction`() throws {
    observer.onChange = { $0.stopObservingDatabaseChangesUntilNextTransaction() }
    try queue.write { try observed.insert("a", 1, 2, in: $0) }
    try queue.write { try $0.execute(sql: "UPDATE a SET x = 1") }
    #expect(observer.take() == "+a1 will did ~a1 will did")
  }

  @Test func `changes to temporary tables name their schema`() throws {
    try queue.inDatabase { db in
      try db.execute(sql: "CREATE TEMP TABLE t (id INTEGER PRIMARY KEY)")
      _ = observer.take()
      try observed.insert("t", 1, in: db)
    }
    #expect(observer.log.first == "+temp.t1")
  }
}
