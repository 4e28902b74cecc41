import Coffer
import CofferExpectations
import CofferTestSupport
import Dispatch
import Foundation
import Testing

private typealias Controller = FetchedRecordsController<Player>

private func path(_ row: Int) -> IndexPath { IndexPath(row: row, section: 0) }

@Suite("Errors and requests of a controller", .timeLimit(.minutes(15)))
struct FetchedRecordsRequestTests {
  // MARK: Errors

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a table that is gone is an error, and the list goes on when it is back`(
    kind: EncryptedDatabase.Kind
  ) throws {
    let (database, controller, view) = try shownPlayers(kind)
    let isDone = DispatchSemaphore(value: 0)
    var errors: [any Error] = []
    view.queue.sync {
      controller.trackErrors { _, error in
        errors.append(error)
        isDone.signal()
      }
    }
    try database.execute("DELETE FROM player; DROP TABLE player")
    isDone.wait()
    let error = try #require(view.queue.sync { errors.first } as? DatabaseError)
    #expect(error.resultCode == .SQLITE_ERROR)
    #expect(error.message?.contains("no such table: player") == true)
    #expect(view.queue.sync { controller.fetchedRecords.count } == 2)
    try database.execute(
      """
      CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, team TEXT);
      INSERT INTO player VALUES (2, 'Barbara', NULL)
      """)
    #expect(view.nextBatch() == [.deletion(indexPath: path(0))])
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a fetch that fails throws, and leaves the records`(kind: EncryptedDatabase.Kind) throws {
    let (_, controller, view) = try shownPlayers(kind)
    try view.queue.sync {
      controller.trackChanges()
      try controller.setRequest(sql: "SELECT * FROM nothing")
      #expect(databaseError { try controller.performFetch() }?.resultCode == .SQLITE_ERROR)
      #expect(controller.fetchedRecords.count == 2)
      try controller.setRequest(sql: "SELECT id FROM player")
      #expect(throws: RowDecodingError.self) { try controller.performFetch() }
      #expect(controller.fetchedRecords.count == 2)
    }
  }

  @Test func `a closed database is an error`() throws {
    let (database, controller, view) = try shownPlayers(.pool)
    try database.writer.close()
    view.queue.sync { #expect(databaseError { try controller.performFetch() } != nil) }
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a record that can't be made is an error, and the list goes on`(kind: EncryptedDatabase.Kind)
    throws
  {
    let database = try EncryptedDatabase(
      kind, "CREATE TABLE player (id INTEGER PRIMARY KEY, name, team)")
    let view = ListView<Player>()
    let controller = try Controller(database.writer, request: Player.all(), queue: view.queue)
    let isDone = DispatchSemaphore(value: 0)
    view.queue.sync { controller.trackErrors { _, _ in isDone.signal() } }
    try view.performFetch(controller)
    try database.execute("INSERT INTO player VALUES (1, NULL, NULL)")
    isDone.wait()
    try database.execute("UPDATE player SET name = 'Arthur'")
    #expect(view.nextBatch() == [.insertion(indexPath: path(0))])
  }

  // MARK: Requests

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `another request is told as changes, and tracked`(kind: EncryptedDatabase.Kind) throws {
    let (database, controller, view) = try shownPlayers(kind)
    try view.queue.sync { try controller.setRequest(Player.order(Column("name").desc)) }
    #expect(
      view.nextBatch() == [.move(indexPath: path(1), newIndexPath: path(0), changes: [:])])
    try view.queue.sync {
      try controller.setRequest(
        sql: "SELECT ? AS id, ? AS name, NULL AS team", arguments: [1, "C"])
    }
    #expect(
      view.nextBatch() == [
        .deletion(indexPath: path(0)),
        .update(indexPath: path(1), changes: ["name": "Arthur".databaseValue]),
      ])
    try view.queue.sync { try controller.setRequest(Player.filter(Column("team") == "red")) }
    #expect(view.nextBatch() == [.deletion(indexPath: path(0))])
    try database.execute("UPDATE player SET team = 'red' WHERE id = 2")
    #expect(view.nextBatch() == [.insertion(indexPath: path(0))])
  }

  @Test func `another request that fails is an error, and the next one is tried`() throws {
    let (database, controller, view) = try shownPlayers(.pool)
    let isDone = DispatchSemaphore(value: 0)
    try view.queue.sync {
      controller.trackErrors { _, _ in isDone.signal() }
      try controller.setRequest(sql: "SELECT nonsense FROM player")
    }
    isDone.wait()
    try view.queue.sync { try controller.setRequest(Player.filter(key: 1)) }
    #expect(view.nextBatch() == [.deletion(indexPath: path(1))])
    try database.execute("UPDATE player SET team = 'red'")
    #expect(view.nextBatch() == [.update(indexPath: path(0), changes: ["team": .null])])
  }

  @Test func `another request before the fetch is the one that is fetched`() throws {
    let (database, _, view) = try shownPlayers(.queue)
    let controller = try Controller(database.writer, request: Player.all(), queue: view.queue)
    try view.queue.sync { try controller.setRequest(Player.filter(key: 2)) }
    try view.performFetch(controller)
    #expect(view.queue.sync { controller.fetchedRecords.map(\.id) } == [2])
  }

  @Test func `an error alongside is reported, and missed changes come with the next batch`() throws
  {
    let (database, controller, view) = try shownPlayers(.pool)
    let isDone = DispatchSemaphore(value: 0)
    var log: [String] = []
    view.queue.sync {
      controller.trackErrors { _, error in
        log.append("\(error)")
        isDone.signal()
      }
      controller.trackChanges { db in
        let count = try Player.fetchCount(db)
        if count == 1 { throw TestError() }
        return count
      } didChange: { controller, count in
        log.append("\(controller.fetchedRecords.count) of \(count)")
        isDone.signal()
      }
    }
    try database.execute("DELETE FROM player WHERE id = 1")
    isDone.wait()
    try database.execute("DELETE FROM player WHERE id = 2")
    isDone.wait()
    #expect(view.queue.sync { log } == ["\(TestError())", "0 of 0"])
  }
}
