import Coffer
import CofferTestSupport
import Dispatch
import Foundation
import Testing

@Suite("The sections of a controller", .timeLimit(.minutes(15)))
struct FetchedRecordsSectionTests {
  private func shown(
    _ kind: EncryptedDatabase.Kind, _ sql: String = ""
  ) throws -> (EncryptedDatabase, FetchedRecordsController<Player>, ListView<Player>) {
    let database = try EncryptedDatabase(kind, Player.schema + sql)
    let view = ListView<Player>()
    let controller = try FetchedRecordsController(
      database.writer, request: Player.order(Column("team"), Column("name")), queue: view.queue,
      sectionName: { $0.team ?? "none" })
    try view.performFetch(controller)
    return (database, controller, view)
  }

  @Test func `records in a row with the same name are a section`() throws {
    let (_, controller, view) = try shown(
      .queue,
      """
      INSERT INTO player VALUES (1, 'A', 'red'), (2, 'B', 'blue'), (3, 'C', 'red'), (4, 'D', NULL)
      """)
    view.queue.sync {
      #expect(controller.sections.map(\.name) == ["none", "blue", "red"])
      #expect(controller.sections.map(\.numberOfRecords) == [1, 1, 2])
      #expect(controller.sections[2].records.map(\.name) == ["A", "C"])
      let path = IndexPath(row: 1, section: 2)
      #expect(controller.record(at: path).name == "C")
      #expect(controller.indexPath(for: controller.fetchedRecords[3]) == path)
    }
  }

  @Test func `a list without records has no sections`() throws {
    let (_, controller, view) = try shown(.pool)
    #expect(view.queue.sync { controller.sections.isEmpty })
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `new and removed sections are reported with their records`(kind: EncryptedDatabase.Kind)
    throws
  {
    let (database, controller, view) = try shown(kind)
    try database.execute(
      "INSERT INTO player VALUES (1, 'A', 'blue'), (2, 'B', 'red'), (3, 'C', 'red')")
    #expect(view.nextBatch().count == 3)
    #expect(
      view.queue.sync { view.sectionChanges } == [.insertion(index: 0), .insertion(index: 1)])

    // To a section that is there: a move.
    try database.execute("UPDATE player SET team = 'blue' WHERE id = 2")
    #expect(
      view.nextBatch() == [
        .move(
          indexPath: IndexPath(row: 0, section: 1), newIndexPath: IndexPath(row: 1, section: 0),
          changes: ["team": "red".databaseValue])
      ])
    #expect(view.queue.sync { view.sectionChanges.isEmpty })

    // The last record of a section moves to a new section.
    try database.execute("UPDATE player SET team = 'green' WHERE id = 3")
    #expect(
      view.nextBatch() == [
        .deletion(indexPath: IndexPath(row: 0, section: 1)),
        .insertion(indexPath: IndexPath(row: 0, section: 1)),
      ])
    #expect(view.queue.sync { view.sectionChanges } == [.deletion(index: 1), .insertion(index: 1)])
    #expect(view.queue.sync { controller.sections.map(\.name) } == ["blue", "green"])

    try database.execute("DELETE FROM player")
    #expect(view.nextBatch().count == 3)
    #expect(view.queue.sync { view.sectionChanges } == [.deletion(index: 0), .deletion(index: 1)])
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `random transactions keep a list view in step`(kind: EncryptedDatabase.Kind) throws {
    let (database, controller, view) = try shown(kind)
    var generator = SeededGenerator(state: 21)
    for step in 0..<150 {
      try database.writer.write { db in
        for _ in 0..<Int.random(in: 1...5, using: &generator) {
          let player = Player(
            id: Int64.random(in: 0..<12, using: &generator),
            name: "\(Int.random(in: 0..<4, using: &generator))",
            team: ["red", "blue", "green", nil].randomElement(using: &generator) ?? nil)
          if Bool.random(using: &generator) {
            try player.delete(db)
          } else {
            try player.save(db)
          }
        }
        // So that each transaction changes the list.
        try Player(id: 100, name: "\(step)", team: step % 10 < 5 ? "zebra" : "ant").save(db)
      }
      view.waitForBatch()
    }
    let expected = try database.writer.read {
      try Player.order(Column("team"), Column("name")).fetchAll($0)
    }
    #expect(view.queue.sync { controller.fetchedRecords } == expected)
    #expect(view.queue.sync { view.content.flatMap(\.self) } == expected)
  }
}
