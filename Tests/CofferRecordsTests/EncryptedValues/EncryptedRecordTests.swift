import Coffer
import CofferTestSupport
import Foundation
import Testing

/// Where the identifiers of rows come from.
private let identifiers = Locked(SeededGenerator())

/// Encrypted values in records, mapped records, and SQL by hand.
struct EncryptedRecordTests {
  private struct Note: Codable, Identifiable, FetchableRecord, PersistableRecord {
    var id: UUID
    var body: EncryptedValue<String>
    var titleHash: Data
    var tags: EncryptedValue<[String]>?

    enum CodingKeys: String, CodingKey {
      case id, tags
      case body = "text"
      case titleHash = "title_hash"
    }
  }

  private struct Entry: Codable, Identifiable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var secret: EncryptedValue<Int>?

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
  }

  private struct Card: MappedRecord, Identifiable {
    var id: String
    var number: EncryptedValue<String>
    static let mapping = Mapping(
      Card.init(id:number:), Field("id", \.id, .primaryKey), Field("card_number", \.number))
  }

  private static let schema = """
    CREATE TABLE note (id BLOB PRIMARY KEY, text BLOB NOT NULL, title_hash BLOB, tags BLOB);
    CREATE INDEX note_title ON note (title_hash);
    CREATE TABLE entry (id INTEGER PRIMARY KEY, secret BLOB);
    """

  private let cipher: ValueCipher

  init() throws { cipher = try ValueCipher(key: .raw([UInt8](repeating: 0x17, count: 32))) }

  private func note(_ body: String, title: String = "", tags: [String]? = nil) throws -> Note {
    let id = identifiers.changing { UUID.seeded(using: &$0) }
    return Note(
      id: id, body: try cipher.seal(body, at: Note.valuePlace(of: \.body, row: id)),
      titleHash: try cipher.indexHash(of: title, name: "note.title"),
      tags: try tags.map { try cipher.seal($0, at: Note.valuePlace(of: \.tags, row: id)) })
  }

  private func failure<T>(_ body: () throws -> T) -> EncryptedValueError? {
    do {
      _ = try body()
      return nil
    } catch { return error as? EncryptedValueError }
  }

  @Test func `a record's values open in its row`() throws {
    try EncryptedQueue.with(Self.schema) { db in
      var note = try note("first", tags: ["a", "b"])
      try note.insert(db)
      let found = try Note.find(db, id: note.id)
      #expect(try cipher.open(found.body, at: found.valuePlace(of: \.body)) == "first")
      let tags = try #require(found.tags)
      #expect(try cipher.open(tags, at: found.valuePlace(of: \.tags)) == ["a", "b"])
      note.tags = nil
      try note.update(db)
      #expect(try Note.find(db, id: note.id).tags == nil)
      // By hand, with the column's name.
      let row = try #require(try Row.fetchOne(db, sql: "SELECT id, text FROM note"))
      let id: UUID = row["id"]
      let place = ValuePlace(table: "note", column: "text", row: id)
      let body: EncryptedValue<String> = row["text"]
      #expect(try cipher.open(body, at: place) == "first")
      try db.execute(
        sql: "UPDATE note SET text = ?", arguments: [cipher.seal("second", at: place)])
      let again = try Note.find(db, id: note.id)
      #expect(try cipher.open(again.body, at: again.valuePlace(of: \.body)) == "second")
    }
  }

  @Test func `a value that was moved in the database is noticed`() throws {
    try EncryptedQueue.with(Self.schema) { db in
      let (first, second) = (try note("first", tags: ["x"]), try note("second"))
      try first.insert(db)
      try second.insert(db)
      try db.execute(
        sql: "UPDATE note SET text = (SELECT text FROM note WHERE id = ?) WHERE id = ?",
        arguments: [first.id, second.id])
      let moved = try Note.find(db, id: second.id)
      #expect(failure { try cipher.open(moved.body, at: moved.valuePlace(of: \.body)) } == .moved)
      try db.execute(sql: "UPDATE note SET text = tags WHERE id = ?", arguments: [first.id])
      let other = try Note.find(db, id: first.id)
      #expect(failure { try cipher.open(other.body, at: other.valuePlace(of: \.body)) } == .moved)
    }
  }

  @Test func `a row with an automatic key is inserted before its value is sealed`() throws {
    try EncryptedQueue.with(Self.schema) { db in
      var entry = Entry(id: nil, secret: nil)
      #expect(failure { try cipher.seal(1, at: entry.valuePlace(of: \.secret)) } == .noRow)
      try entry.insert(db)
      entry.secret = try cipher.seal(42, at: entry.valuePlace(of: \.secret))
      try entry.update(db)
      let found = try #require(try Entry.fetchOne(db))
      let secret = try #require(found.secret)
      #expect(try cipher.open(secret, at: found.valuePlace(of: \.secret)) == 42)
    }
  }

  @Test func `a mapped record stores the value in a column of blobs`() throws {
    try EncryptedQueue.with { db in
      try Card.createTable(db)
      let place = try Card.valuePlace(of: \.number, row: "a")
      #expect("\(place)" == "card.card_number")
      var card = Card(id: "a", number: try cipher.seal("4111", at: place))
      try card.insert(db)
      let found = try #require(try Card.fetchOne(db))
      #expect(try cipher.open(found.number, at: found.valuePlace(of: \.number)) == "4111")
      let column = try #require(try db.columns(in: "card").first { $0.name == "card_number" })
      #expect(column.type == "BLOB")
    }
  }

  @Test func `a key path that is no column has no place`() throws {
    #expect(throws: DatabaseError.self) { try Note.valuePlace(of: \.id.uuidString, row: 1) }
  }

  @Test func `rows are found by the hash, with an index`() throws {
    try EncryptedQueue.with(Self.schema) { db in
      for number in 0..<200 { try note("n", title: "title \(number % 50)").insert(db) }
      let hash = try cipher.indexHash(of: "title 7", name: "note.title")
      let request = Note.filter { $0.titleHash == hash }
      #expect(try request.fetchCount(db) == 4)
      let plan = try Row.fetchAll(
        db, sql: "EXPLAIN QUERY PLAN SELECT * FROM note WHERE title_hash = ?", arguments: [hash])
      #expect(plan.contains { ($0["detail"] as String?)?.contains("note_title") == true })
      let absent = try cipher.indexHash(of: "title 7", name: "note.body")
      #expect(try Note.filter { $0.titleHash == absent }.fetchCount(db) == 0)
      let changing = try ValueCipher(
        key: .seeded(), previousKeys: [.raw([UInt8](repeating: 0x17, count: 32))])
      let hashes = try changing.indexHashes(of: "title 7", name: "note.title")
      #expect(try Note.filter { hashes.contains($0.titleHash) }.fetchCount(db) == 4)
    }
  }

  @Test func `the key is changed row by row`() throws {
    let new = try ValueCipher(
      key: .raw([UInt8](repeating: 0x18, count: 32)),
      previousKeys: [.raw([UInt8](repeating: 0x17, count: 32))])
    try EncryptedQueue.with(Self.schema) { db in
      for number in 0..<10 { try note("body \(number)").insert(db) }
      var changed = 0
      for _ in 0..<2 {
        for var note in try Note.fetchAll(db) {
          if try new.isCurrent(note.body) { continue }
          let place = try note.valuePlace(of: \.body)
          note.body = try new.seal(new.open(note.body, at: place), at: place)
          try note.update(db)
          changed += 1
        }
      }
      #expect(changed == 10)
      let bodies = try Note.fetchAll(db).map { note in
        try new.open(note.body, at: note.valuePlace(of: \.body))
      }
      #expect(Set(bodies) == Set((0..<10).map { "body \($0)" }))
    }
  }

  /// The file itself is plaintext here: only the values are encrypted.
  @Test func `a value is neither in the files nor in a dump of the open database`() throws {
    let directory = try TemporaryDirectory()
    var random = SeededGenerator()
    let marker = "MARKER\(random.next())"
    var configuration = Configuration()
    configuration.journalMode = .wal
    let queue = try DatabaseQueue(path: directory.path("db"), configuration: configuration)
    try queue.write { db in
      try db.execute(sql: Self.schema)
      try note(marker, title: marker, tags: [marker]).insert(db)
      try db.execute(sql: "CREATE TABLE control (text TEXT)")
      try db.execute(sql: "INSERT INTO control VALUES ('CONTROL')")
    }
    let dump = DumpText()
    try queue.dumpContent(format: .quote(), to: dump)
    dump.text += try queue.read { db in
      try Note.fetchAll(db).map { "\($0)" }.joined()
    }
    #expect(dump.text.contains("CONTROL"))
    #expect(!dump.text.contains(marker))
    var files = Data()
    for name in try directory.contents() {
      files += try Data(contentsOf: URL(fileURLWithPath: directory.path(name)))
    }
    #expect(files.range(of: Data("CONTROL".utf8)) != nil)
    #expect(files.range(of: Data(marker.utf8)) == nil)
    let base64 = Data(marker.utf8).base64EncodedString().prefix(16)
    #expect(files.range(of: Data(base64.utf8)) == nil)
  }

  private final class DumpText: TextOutputStream {
    var text = ""
    func write(_ string: String) { text += string }
  }
}
