import Coffer
import CofferExpectations
import CofferTestSupport
import Dispatch
import Foundation
import Testing

private typealias Controller = FetchedRecordsController<Player>

private func path(_ row: Int) -> IndexPath { IndexPath(row: row, section: 0) }

@Suite("A controller of fetched records", .timeLimit(.minutes(15)))
struct FetchedRecordsControllerTests {
  // MARK: The list

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a controller fetches records in the order of the request`(kind: EncryptedDatabase.Kind)
    throws
  {
    let (_, controller, view) = try shownPlayers(kind)
    try view.queue.sync {
      #expect(controller.fetchedRecords.map(\.name) == ["Arthur", "Barbara"])
      #expect(controller.sections.count == 1)
      #expect(controller.sections[0].name == nil)
      #expect(controller.sections[0].numberOfRecords == 2)
      #expect(controller.record(at: path(1)).name == "Barbara")
      let barbara = try #require(controller.fetchedRecords.last)
      #expect(controller.indexPath(for: barbara) == path(1))
      #expect(controller.indexPath(for: Player(id: 2, name: "Somebody")) == path(1))
      #expect(controller.indexPath(for: Player(id: 3, name: "Barbara")) == nil)
    }
  }

  @Test func `a controller has no records before the fetch, and one empty section after it`() throws
  {
    let database = try EncryptedDatabase(.queue, Player.schema)
    let controller = try Controller(database.writer, request: Player.all())
    #expect(controller.fetchedRecords.isEmpty)
    try controller.performFetch()
    #expect(controller.fetchedRecords.isEmpty)
    #expect(controller.sections.map(\.numberOfRecords) == [0])
  }

  @Test func `a controller accepts SQL, arguments and an adapter`() throws {
    let database = try EncryptedDatabase(.queue, Player.two)
    let controller = try Controller(
      database.writer, sql: "SELECT id AS i, name AS n, team AS t FROM player WHERE id > ?",
      arguments: [1], adapter: ColumnMapping(["id": "i", "name": "n", "team": "t"]))
    try controller.performFetch()
    #expect(controller.fetchedRecords == [Player(id: 2, name: "Barbara")])
    #expect(controller.indexPath(for: controller.fetchedRecords[0]) == path(0))
  }

  @Test func `a controller that isn't tracked fetches anew when it is asked to`() throws {
    let database = try EncryptedDatabase(.pool, Player.two)
    let controller = try Controller(database.writer, request: Player.all())
    try controller.performFetch()
    try database.execute("DELETE FROM player WHERE id = 1")
    #expect(controller.fetchedRecords.count == 2)
    try controller.performFetch()
    #expect(controller.fetchedRecords.count == 1)
    try database.execute("DELETE FROM player")
    try controller.performFetch()
    #expect(controller.fetchedRecords.isEmpty)
    #expect(controller.sections.map(\.numberOfRecords) == [0])
  }

  @Test func `a controller fetches from snapshots, which never change`() throws {
    let database = try EncryptedPool(Player.two)
    let view = ListView<Player>()
    let controller = try Controller(
      database.pool.makeSnapshot(), request: Player.all(), queue: view.queue)
    try database.pool.write { try $0.execute(sql: "DELETE FROM player") }
    try view.performFetch(controller)
    #expect(view.queue.sync { controller.fetchedRecords.count } == 2)
  }

  // MARK: Changes

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `insertions, updates, moves and deletions are reported`(kind: EncryptedDatabase.Kind) throws
  {
    let (database, controller, view) = try shownPlayers(kind)
    try database.execute("INSERT INTO player VALUES (3, 'Arturo', 'red')")
    #expect(view.nextBatch() == [.insertion(indexPath: path(1))])
    try database.execute("UPDATE player SET team = 'blue' WHERE id = 3")
    #expect(
      view.nextBatch() == [.update(indexPath: path(1), changes: ["team": "red".databaseValue])])
    try database.execute("UPDATE player SET name = 'Zoe' WHERE id = 1")
    #expect(
      view.nextBatch() == [
        .move(
          indexPath: path(0), newIndexPath: path(2), changes: ["name": "Arthur".databaseValue])
      ])
    try database.execute("DELETE FROM player WHERE id = 3")
    #expect(view.nextBatch() == [.deletion(indexPath: path(0))])
    #expect(view.queue.sync { controller.fetchedRecords.map(\.id) } == [2, 1])
    withExtendedLifetime(database) {}
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a transaction is reported once, with the old records before and the new ones after`(
    kind: EncryptedDatabase.Kind
  ) throws {
    let (database, controller, view) = try shownPlayers(kind)
    let names = { (controller: Controller) in controller.fetchedRecords.map(\.name).joined() }
    var log: [String] = []
    view.queue.sync {
      controller.trackChanges(
        willChange: { log.append("will " + names($0)) },
        onChange: { controller, record, change in
          log.append("\(record.name) \(change): " + names(controller))
        },
        didChange: {
          log.append("did " + names($0))
          view.onBatch()
        })
    }
    let isDone = DispatchSemaphore(value: 0)
    view.queue.sync { view.onBatch = { isDone.signal() } }
    try database.execute(
      """
      DELETE FROM player WHERE id = 1;
      INSERT INTO player VALUES (4, 'D', NULL);
      UPDATE player SET name = 'C' WHERE id = 2;
      """)
    isDone.wait()
    #expect(
      view.queue.sync { log } == [
        "will ArthurBarbara", "Arthur deletion at 0.0: CD", "D insertion at 0.1: CD",
        "C update at 0.1 (name): CD", "did CD",
      ])
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `no change is reported where none touches the list`(kind: EncryptedDatabase.Kind) throws {
    let (database, controller, view) = try shownPlayers(kind)
    try database.execute("INSERT INTO other VALUES (1)")
    try database.execute("UPDATE player SET name = name")
    try database.execute(
      "INSERT INTO player VALUES (3, 'C', NULL); DELETE FROM player WHERE id = 3")
    try database.writer.write { db in
      try db.inSavepoint {
        try db.execute(sql: "DELETE FROM player")
        return .rollback
      }
    }
    #expect(throws: TestError.self) {
      try database.writer.write { db in
        try db.execute(sql: "DELETE FROM player")
        throw TestError()
      }
    }
    try database.execute("DELETE FROM player WHERE id = 1")
    #expect(view.nextBatch() == [.deletion(indexPath: path(0))])
    #expect(view.batchCount == 0)
    withExtendedLifetime(controller) {}
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `functions that are set after the fetch get what has changed since`(
    kind: EncryptedDatabase.Kind
  )
    throws
  {
    let database = try EncryptedDatabase(kind, Player.two)
    let view = ListView<Player>()
    let controller = try Controller(database.writer, request: Player.all(), queue: view.queue)
    try view.queue.sync { try controller.performFetch() }
    try database.execute("DELETE FROM player WHERE id = 2")
    view.queue.sync {
      view.reload(controller)
      view.show(controller)
    }
    #expect(view.nextBatch() == [.deletion(indexPath: path(1))])
  }

  @Test func `functions that are set to nil aren't called any more`() throws {
    let (database, controller, view) = try shownPlayers(.queue)
    view.queue.sync { controller.trackChanges() }
    try database.execute("DELETE FROM player")
    view.queue.sync { view.show(controller) }
    #expect(view.nextBatch().count == 2)
    #expect(view.batchCount == 0)
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a commit fetches the rows that it has changed, and not all of them`(
    kind: EncryptedDatabase.Kind
  ) throws {
    let fetches = Locked(0)
    let database = try EncryptedDatabase(kind, Player.two) { configuration in
      configuration.prepareDatabase { db in
        db.trace { event in
          let sql = "\(event)"
          guard sql.contains("ORDER BY"), !sql.contains(" IN (") else { return }
          fetches.increment()
        }
      }
    }
    let view = ListView<Player>()
    let controller = try FetchedRecordsController(
      database.writer, request: Player.order(Column("name")), queue: view.queue)
    try view.performFetch(controller)
    let first = fetches.value
    for (id, name) in [(3, "Dora"), (4, "Carl"), (5, "Zoe")] {
      try database.execute("INSERT INTO player VALUES (?, ?, NULL)", [id, name])
      view.waitForBatch()
    }
    try database.execute("UPDATE player SET name = 'Xaver' WHERE id = 1")
    view.waitForBatch()
    let (shown, fetched) = view.queue.sync { (view.content, controller.fetchedRecords) }
    #expect(shown == [fetched])
    #expect(fetched.map(\.name) == ["Barbara", "Carl", "Dora", "Xaver", "Zoe"])
    #expect(first > 0)
    #expect(fetches.value == first)
  }

  @Test func `a trailing closure is called at the end of each batch`() throws {
    let database = try EncryptedDatabase(.pool, Player.two)
    let queue = DispatchQueue(label: "test")
    let controller = try Controller(database.writer, request: Player.all(), queue: queue)
    let isDone = DispatchSemaphore(value: 0)
    var counts: [Int] = []
    try queue.sync {
      controller.trackChanges { controller in
        counts.append(controller.fetchedRecords.count)
        isDone.signal()
      }
      try controller.performFetch()
    }
    try database.execute("DELETE FROM player WHERE id = 1")
    isDone.wait()
    queue.sync {
      controller.trackChanges { db in
        try Player.fetchCount(db) * 100
      } didChange: { controller, count in
        counts += [controller.fetchedRecords.count, count]
        isDone.signal()
      }
    }
    try database.execute("DELETE FROM player")
    isDone.wait()
    #expect(queue.sync { counts } == [1, 0, 0])
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `the fetch alongside sees the same state`(kind: EncryptedDatabase.Kind) throws {
    let (database, controller, view) = try shownPlayers(kind)
    let isDone = DispatchSemaphore(value: 0)
    var counts: [[Int]] = []
    view.queue.sync {
      controller.trackChanges(
        fetchAlongside: { try Player.fetchCount($0) },
        willChange: { counts.append([$0.fetchedRecords.count, $1]) },
        didChange: {
          counts.append([$0.fetchedRecords.count, $1])
          isDone.signal()
        })
    }
    for id in 3...5 {
      try database.execute("INSERT INTO player VALUES (?, 'x', NULL)", [id])
      isDone.wait()
    }
    #expect(view.queue.sync { counts } == [[2, 3], [3, 3], [3, 4], [4, 4], [4, 5], [5, 5]])
  }

  @Test func `a controller can fetch anew while it reports changes`() throws {
    let (database, controller, view) = try shownPlayers(.queue)
    let isDone = DispatchSemaphore(value: 0)
    view.queue.sync {
      controller.trackChanges(
        willChange: { controller in
          #expect(throws: Never.self) { try controller.performFetch() }
        },
        onChange: { _, _, _ in Issue.record("the list was fetched anew") },
        didChange: { _ in isDone.signal() })
    }
    try database.execute("DELETE FROM player WHERE id = 1")
    isDone.wait()
    #expect(view.queue.sync { controller.fetchedRecords.map(\.id) } == [2])
  }

  // MARK: Size

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a long list is emptied and filled again`(kind: EncryptedDatabase.Kind) throws {
    let (database, controller, view) = try shownPlayers(kind, Player.schema)
    let fill = """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
      INSERT INTO player SELECT i, printf('%05d', i), NULL FROM n
      """
    try database.execute(fill)
    #expect(view.nextBatch().count == 20_000)
    try database.execute("DELETE FROM player WHERE id % 2 = 0")
    #expect(view.nextBatch().count == 10_000)
    try database.execute("UPDATE player SET team = 'red' WHERE id = 9999")
    #expect(
      view.nextBatch() == [.update(indexPath: path(4_999), changes: ["team": .null])])
    try database.execute("DELETE FROM player")
    #expect(view.nextBatch().count == 10_000)
    #expect(view.queue.sync { controller.fetchedRecords.isEmpty })
  }

  // MARK: Changes as values

  @Test func `a change shows no values`() {
    let change = FetchedRecordChange.update(
      indexPath: path(3), changes: ["name": "x".databaseValue])
    #expect("\(change)" == "update at 0.3 (name)")
    #expect(String(reflecting: change) == "update at 0.3 (name)")
    var dumped = ""
    dump(change, to: &dumped)
    #expect(!dumped.contains("\"x\""))
  }

  @Test func `an index path has a section and a row`() {
    var path = IndexPath(row: 3, section: 1)
    #expect((path.section, path.row, path.item) == (1, 3, 3))
    path.row = 4
    path.section = 2
    #expect(path == IndexPath(item: 4, section: 2))
    #expect(path == IndexPath(indexes: [2, 4]))
  }
}
