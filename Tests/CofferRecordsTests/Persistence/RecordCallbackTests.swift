import Coffer
import CofferExpectations
import CofferTestSupport
import Testing

@Suite struct RecordCallbackTests {
  private struct Logging: MutablePersistableRecord {
    static let databaseTableName = "player"
    let log: Locked<[String]>
    var id: Int64?
    var name = "a"

    func encode(to container: inout PersistenceContainer) {
      container["id"] = id
      container["name"] = name
    }

    mutating func willInsert(_ db: Database) throws {
      log.append("willInsert")
      name += "+"
    }
    func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
      log.append("aroundInsert \(name)")
      let inserted = try insert()
      log.append("inserted \(inserted.rowID)")
    }
    mutating func didInsert(_ inserted: InsertionSuccess) {
      log.append("didInsert")
      id = inserted.rowID
      let column = inserted.rowIDColumn ?? ""
      #expect(inserted.persistenceContainer[column] == inserted.rowID)
    }
    func willUpdate(_ db: Database, columns: Set<String>) throws {
      log.append("willUpdate \(columns.sorted().joined(separator: ","))")
    }
    func aroundUpdate(
      _ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess
    ) throws {
      log.append("aroundUpdate")
      let updated = try update()
      let name: String? = updated.persistenceContainer["name"]
      log.append("updated \(name ?? "")")
    }
    func didUpdate(_ updated: PersistenceSuccess) { log.append("didUpdate") }
    func willSave(_ db: Database) throws { log.append("willSave") }
    func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
      log.append("aroundSave")
      _ = try save()
      log.append("saved")
    }
    func didSave(_ saved: PersistenceSuccess) { log.append("didSave") }
    func willDelete(_ db: Database) throws { log.append("willDelete") }
    func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
      log.append("aroundDelete")
      log.append("deleted \(try delete())")
    }
    func didDelete(deleted: Bool) { log.append("didDelete \(deleted)") }
  }

  private static let insertion = [
    "willSave", "aroundSave", "willInsert", "aroundInsert a+", "inserted 1", "didInsert", "saved",
    "didSave",
  ]

  @Test func `an insertion calls back in order`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      let log = Locked<[String]>([])
      var record = Logging(log: log)
      try record.insert(db)
      #expect(log.value == Self.insertion)
      #expect(record.id == 1)
      #expect(try String.fetchOne(db, sql: "SELECT name FROM player") == "a+")
      log.set([])
      try db.execute(sql: "DELETE FROM player")
      record.name = "a"
      record.id = nil
      try Logging.insertAll(db, [record])
      #expect(log.value == Self.insertion)
    }
  }

  @Test func `an update and a deletion call back in order`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      let log = Locked<[String]>([])
      var record = Logging(log: log)
      try record.insert(db)
      for _ in 0..<3 {
        log.set([])
        try record.update(db)
        #expect(
          log.value == [
            "willSave", "aroundSave", "willUpdate id,name,score", "aroundUpdate", "updated a+",
            "didUpdate", "saved", "didSave",
          ])
      }
      log.set([])
      try record.update(db, columns: ["NAME"])
      #expect(log.value.contains("willUpdate NAME"))
      log.set([])
      #expect(try record.delete(db))
      #expect(log.value == ["willDelete", "aroundDelete", "deleted true", "didDelete true"])
    }
  }

  @Test func `a save that finds no row calls back for the update and for the insertion`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      let log = Locked<[String]>([])
      var record = Logging(log: log, id: 1)
      try record.save(db)
      #expect(
        log.value == [
          "willSave", "aroundSave", "willUpdate id,name,score", "aroundUpdate", "willInsert",
          "aroundInsert a+", "inserted 1", "didInsert", "saved", "didSave",
        ])
      log.set([])
      record.id = nil
      record.name = "b"
      try record.save(db)
      #expect(!log.value.contains("aroundUpdate"))
      #expect(record.id == 2)
    }
  }

  @Test func `an upsert calls back as an insertion does`() throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      let log = Locked<[String]>([])
      for _ in 0..<2 {
        log.set([])
        var record = Logging(log: log)
        try record.upsert(db)
        #expect(log.value == Self.insertion)
        #expect(record.id == 1)
      }
    }
  }

  enum Around: CaseIterable { case insert, update, save, delete }

  private struct Bad: PersistableRecord {
    static let databaseTableName = "event"
    var id = 1
    let around: Around
    var hides = false

    func encode(to container: inout PersistenceContainer) { container["id"] = id }

    func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
      if around != .insert { _ = try insert() } else if hides { _ = try? insert() }
    }
    func aroundUpdate(
      _ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess
    ) throws {
      if around != .update { _ = try update() } else if hides { _ = try? update() }
    }
    func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
      if around != .save { _ = try save() } else if hides { _ = try? save() }
    }
    func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
      if around != .delete { _ = try delete() }
    }
  }

  @Test(arguments: Around.allCases)
  func `a callback that does not pass the change on is an error`(_ around: Around) throws {
    try EncryptedQueue.with(Persisted.schema) { db throws in
      let record = Bad(around: around)
      let error = databaseError {
        switch around {
        case .insert, .save: try record.insert(db)
        case .update: try record.update(db)
        case .delete: try record.delete(db)
        }
      }
      #expect(error?.resultCode == .SQLITE_MISUSE)
      #expect(error?.message?.contains("around") == true)
      guard around == .update || around == .save else { return }
      let hiding = Bad(around: around, hides: true)
      #expect(databaseError { try hiding.update(db) }?.resultCode == .SQLITE_MISUSE)
    }
  }

  private struct Forgetful: Codable, PersistableRecord {
    static let databaseTableName = "player"
    var id: Int64?
    var name: String
    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
  }

  private struct Noting: Codable, PersistableRecord {
    static let databaseTableName = "player"
    static let ids = Locked<[Int64]>([])
    var name: String
    func didInsert(_ inserted: InsertionSuccess) { Self.ids.append(inserted.rowID) }
  }

  private struct Silent: Codable, PersistableRecord {
    static let databaseTableName = "player"
    var name: String
  }

  private struct Mapped: MappedRecord, PersistableRecord {
    static let databaseTableName = "player"
    var id: Int64?
    var name: String
    static let mapping = Mapping(
      Mapped.init, Field("id", \.id), Field("name", \.name))
  }

  @Test func `a mutating didInsert of a PersistableRecord throws, and nothing is kept`() throws {
    let database = try EncryptedQueue("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
    for _ in 0..<2 {
      let error = #expect(throws: DatabaseError.self) {
        try database.queue.write { try Forgetful(id: nil, name: "a").insert($0) }
      }
      #expect(error?.message?.contains("didInsert(_:) is mutating") == true)
      #expect(error?.hint?.contains("MutablePersistableRecord") == true)
    }
    #expect(throws: DatabaseError.self) {
      try database.queue.write { try Forgetful(id: nil, name: "a").save($0) }
    }
    #expect(try database.queue.read { try Table("player").fetchCount($0) } == 0)
  }

  @Test func `other records are called once for each insertion`() throws {
    try EncryptedQueue.with("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)") {
      db throws in
      for _ in 0..<3 { try Noting(name: "a").insert(db) }
      #expect(Noting.ids.value == [1, 2, 3])
      for _ in 0..<2 { try Silent(name: "b").insert(db) }
      for _ in 0..<2 { try Mapped(id: nil, name: "c").insert(db) }
      #expect(try Table("player").fetchCount(db) == 7)
    }
  }
}
