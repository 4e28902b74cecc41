import Coffer
import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@Suite struct MappedTableTests {
  private func sql(of table: String, _ db: Database) throws -> String? {
    try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = ?", arguments: [table])
  }

  private struct Player: MappedRecord {
    var id: Int64?, name: String, score: Int?, team: String?, born: Date, isActive: Bool
    static let mapping = Mapping(
      Player.init(id:name:score:team:born:isActive:), Field("id", \.id),
      Field("name", \.name, .unique, .collate(.nocase)), Field("score", \.score, .default(10)),
      Field("team", \.team, .indexed, .references("team", onDelete: .setNull)),
      Field("born", \.born, .default(sql: "CURRENT_TIMESTAMP")),
      Field("isActive", \.isActive, .check(sql: "isActive IN (0, 1)")))
  }

  @Test func `a table is made from the mapping and the fields' options`() throws {
    try EncryptedQueue.with("CREATE TABLE team (name TEXT PRIMARY KEY)") { db throws in
      try db.create(tableOf: Player.self)
      #expect(
        try sql(of: "player", db) == """
          CREATE TABLE "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, \
          "name" TEXT NOT NULL UNIQUE COLLATE NOCASE, "score" INTEGER DEFAULT 10, \
          "team" TEXT REFERENCES "team"("name") ON DELETE SET NULL, \
          "born" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP, \
          "isActive" BOOLEAN NOT NULL CHECK (isActive IN (0, 1)))
          """)
      #expect(try db.indexes(on: "player").map(\.name).contains("player_on_team"))
      try Player.createTable(db, options: .ifNotExists)
      #expect(databaseError { try Player.createTable(db) } != nil)
      try db.execute(sql: "INSERT INTO player (name, isActive) VALUES ('Ann', 1)")
      #expect(try Player.fetchOne(db)?.score == 10)
      let same = Player(id: nil, name: "ANN", score: 1, team: nil, born: Date(), isActive: true)
      #expect(databaseError { try same.inserted(db) }?.resultCode == .SQLITE_CONSTRAINT)
    }
  }

  private struct Seat: MappedRecord {
    static let databaseTableName = "seats"
    var row: Int, column: Int, guest: UUID?
    static let mapping = Mapping(
      Seat.init(row:column:guest:), Field("row", \.row, .primaryKey),
      Field("column", \.column, .primaryKey), Field("guest", \.guest, .type(.text)))
  }

  @Test func `a primary key can have several columns, and the body adds to the table`() throws {
    try EncryptedQueue.with { db throws in
      try Seat.createTable(db, options: .withoutRowID) { table in
        table.check(sql: "row > 0")
        table.column("note", .text)
      }
      #expect(
        try sql(of: "seats", db) == """
          CREATE TABLE "seats" ("row" INTEGER NOT NULL, "column" INTEGER NOT NULL, \
          "guest" TEXT, "note" TEXT, PRIMARY KEY ("row", "column"), CHECK (row > 0)) \
          WITHOUT ROWID
          """)
      var seat = Seat(row: 1, column: 2, guest: nil)
      try seat.insert(db)
      seat.guest = UUID.seeded()
      try seat.update(db)
      #expect(try Seat.fetchAll(db).map(\.guest) == [seat.guest])
      #expect(databaseError { try Seat(row: 0, column: 2, guest: nil).inserted(db) } != nil)
    }
  }

  private struct Note: MappedRecord {
    var id: UUID, text: String
    static let mapping = Mapping(
      Note.init(id:text:), Field("id", \.id), Field("text", \.text))
  }

  private struct Loose: MappedRecord {
    var value: Int, id: Int
    static let mapping = Mapping(
      Loose.init(value:id:), Field("value", \.value), Field("id", \.id))
  }

  @Test func `id is the primary key where no field is declared to be`() throws {
    try EncryptedQueue.with { db throws in
      try Note.createTable(db, options: .temporary)
      #expect(try db.primaryKey("note").columns == ["id"])
      let note = Note(id: UUID.seeded(), text: "x")
      _ = try note.inserted(db)
      #expect(try Note.filter(key: note.id).fetchOne(db)?.text == "x")
      try Loose.createTable(db)
      #expect(try db.primaryKey("loose").rowIDColumn == "id")
    }
  }
}
