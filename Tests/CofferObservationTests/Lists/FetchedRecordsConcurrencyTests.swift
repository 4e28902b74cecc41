import Coffer
import CofferExpectations
import CofferTestSupport
import Dispatch
import Foundation
import Testing

@Suite("Controllers and many threads", .timeLimit(.minutes(15)))
struct FetchedRecordsConcurrencyTests {
  private typealias Controller = FetchedRecordsController<Player>

  /// Writes at random, from several threads.
  private func write(_ writer: any DatabaseWriter, count: Int) -> DispatchGroup {
    let group = DispatchGroup()
    for thread in 0..<4 {
      detachThread(group: group) {
        var generator = SeededGenerator(state: UInt64(thread))
        for step in 0..<count {
          let player = Player(
            id: Int64.random(in: 0..<20, using: &generator),
            name: "\(Int.random(in: 0..<10, using: &generator))", team: "\(step)")
          let isDeleted = Int.random(in: 0..<3, using: &generator) == 0
          do {
            try writer.write { db in
              if isDeleted { try player.delete(db) } else { try player.save(db) }
            }
          } catch { Issue.record(error) }
        }
      }
    }
    return group
  }

  /// Waits until the list has a record that is written last, and compares it with the table.
  private func expectLast(
    _ database: EncryptedDatabase, _ controller: Controller, _ view: ListView<Player>,
    _ request: QueryInterfaceRequest<Player>
  ) throws {
    let isLast = DispatchSemaphore(value: 0)
    view.queue.sync {
      view.onBatch = { [unowned view] in
        if view.content.joined().contains(where: { $0.id == 1_000 }) { isLast.signal() }
      }
    }
    try database.execute("INSERT INTO player VALUES (1000, 'last', NULL)")
    isLast.wait()
    let expected = try database.writer.read { try request.fetchAll($0) }
    #expect(view.queue.sync { controller.fetchedRecords } == expected)
    #expect(view.queue.sync { view.content.flatMap(\.self) } == expected)
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `the list ends as the table does, however many threads write`(kind: EncryptedDatabase.Kind)
    throws
  {
    let database = try EncryptedDatabase(kind, Player.schema) { $0.verifiesObservedLists = true }
    let view = ListView<Player>()
    let request = Player.order(Column("name"), Column("id"))
    let controller = try Controller(database.writer, request: request, queue: view.queue)
    let early = write(database.writer, count: 50)
    try view.performFetch(controller)
    early.wait()
    write(database.writer, count: 100).wait()
    try expectLast(database, controller, view, request)
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `requests may change while others write`(kind: EncryptedDatabase.Kind) throws {
    let database = try EncryptedDatabase(kind, Player.schema) { $0.verifiesObservedLists = true }
    let view = ListView<Player>()
    let requests = [
      Player.order(Column("name").desc, Column("id")), Player.filter { $0.id % 2 == 0 },
      Player.order(Column("id").desc), Player.limit(3),
    ]
    let controller = try Controller(database.writer, request: requests[0], queue: view.queue)
    try view.performFetch(controller)
    let group = write(database.writer, count: 100)
    for step in 0..<60 {
      try view.queue.sync { try controller.setRequest(requests[step % 4]) }
      if step % 15 == 0 {
        try view.queue.sync {
          try controller.performFetch()
          view.reload(controller)
        }
      }
    }
    group.wait()
    try view.queue.sync { try controller.setRequest(requests[0]) }
    try expectLast(database, controller, view, requests[0])
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `a released controller calls no function`(kind: EncryptedDatabase.Kind) throws {
    let database = try EncryptedDatabase(kind, Player.schema)
    let queue = DispatchQueue(label: "test")
    let group = write(database.writer, count: 60)
    for _ in 0..<40 {
      var isGone = false
      weak var gone: Controller?
      try queue.sync {
        let controller = try Controller(
          database.writer, request: Player.order(Column("name")), queue: queue)
        controller.trackErrors { _, error in Issue.record(error) }
        controller.trackChanges { _ in #expect(!isGone) }
        try controller.performFetch()
        gone = controller
      }
      queue.sync { isGone = true }
      #expect(gone == nil)
    }
    group.wait()
    try database.execute("INSERT INTO player VALUES (1000, 'last', NULL)")
    queue.sync {}
  }

  @Test func `many controllers follow one pool`() throws {
    let database = try EncryptedDatabase(.pool, Player.schema)
    let shown = try (0..<20).map { _ in
      let view = ListView<Player>()
      let controller = try Controller(
        database.writer, request: Player.order(Column("id")), queue: view.queue)
      try view.performFetch(controller)
      return (controller, view)
    }
    for id in 1...10 { try database.execute("INSERT INTO player VALUES (?, 'x', NULL)", [id]) }
    for (controller, view) in shown {
      while view.queue.sync(execute: { controller.fetchedRecords.count }) < 10 {
        view.waitForBatch()
      }
      #expect(view.queue.sync { view.content.flatMap(\.self).map(\.id) } == Array(1...10))
    }
  }

  @Test func `the controller fetches while the pool is written to`() throws {
    let database = try EncryptedDatabase(.pool, Player.schema)
    let view = ListView<Player>()
    let controller = try Controller(
      database.writer, request: Player.order(Column("id")), queue: view.queue)
    let (hasWritten, mayCommit) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    detachThread {
      #expect(throws: Never.self) {
        try database.writer.write { db in
          try db.execute(sql: "INSERT INTO player VALUES (1, 'x', NULL)")
          hasWritten.signal()
          mayCommit.wait()
        }
      }
    }
    hasWritten.wait()
    try view.performFetch(controller)
    #expect(view.queue.sync { controller.fetchedRecords.isEmpty })
    mayCommit.signal()
    view.waitForBatch()
    #expect(view.queue.sync { controller.fetchedRecords.map(\.id) } == [1])
  }
}
