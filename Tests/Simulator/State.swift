import Coffer

/// A row of the table of records.
struct Item: Codable, Hashable, Sendable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "item"
  var id: Int
  var number: Int
  var text: String
  /// Unique, if it isn't nil.
  var code: Int?
}

/// A row that goes with its item.
struct Part: Codable, Hashable, Sendable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "part"
  var id: Int
  var itemId: Int
  var amount: Int
}

/// A document; its table is read and written as records, too.
struct Note: Codable, Equatable, Identifiable, Sendable, CustomCollectionName, FetchableRecord,
  PersistableRecord
{
  static let collectionName = "note"
  static let databaseTableName = "note"
  var id: String
  @Index var author: String
  var count: Int
  var tags: [String]
}

/// All that a database contains at one moment: the model, and what is read from a file.
struct State: Equatable, Sendable {
  /// The number of write transactions that were committed.
  var version = 0
  /// The step of the last one, which tells apart two transactions of which one was rolled back.
  var stamp = 0
  var items: [Int: Item] = [:]
  var parts: [Int: Part] = [:]
  var notes: [String: Note] = [:]
  /// The numbers of the tables that come and go.
  var extras: Set<Int> = []

  /// Makes the tables but those of documents.
  static func create(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE meta (version INTEGER NOT NULL, stamp INTEGER NOT NULL);
        INSERT INTO meta VALUES (0, 0);
        CREATE TABLE item (id INTEGER PRIMARY KEY, number INTEGER NOT NULL, text TEXT NOT NULL,
          code INTEGER UNIQUE);
        CREATE INDEX itemByNumber ON item (number);
        CREATE TABLE part (id INTEGER PRIMARY KEY, itemId INTEGER NOT NULL
          REFERENCES item ON DELETE CASCADE, amount INTEGER NOT NULL);
        CREATE TABLE storm (id INTEGER PRIMARY KEY, thread INTEGER NOT NULL);
        CREATE TABLE tally (count INTEGER NOT NULL);
        INSERT INTO tally VALUES (0);
        """)
  }

  /// Reads everything.
  static func read(_ db: Database) throws -> State {
    var state = State()
    let meta = try Row.fetchOne(db, sql: "SELECT version, stamp FROM meta")
    state.version = meta?[0] ?? -1
    state.stamp = meta?[1] ?? -1
    for item in try Item.fetchAll(db) { state.items[item.id] = item }
    for part in try Part.fetchAll(db) { state.parts[part.id] = part }
    for note in try Note.fetchAll(db) { state.notes[note.id] = note }
    let names = try String.fetchAll(
      db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'extra%'")
    state.extras = Set(names.compactMap { Int($0.dropFirst("extra".count)) })
    return state
  }

  /// Where this differs from what it should be, briefly.
  func difference(from expected: State) -> String {
    var parts: [String] = []
    if (version, stamp) != (expected.version, expected.stamp) {
      parts.append(
        "version \(version) of step \(stamp), not \(expected.version) of step \(expected.stamp)")
    }
    func compare<Key: Hashable & Comparable, Value: Equatable>(
      _ name: String, _ seen: [Key: Value], _ wanted: [Key: Value]
    ) {
      let keys = Set(seen.keys).union(wanted.keys).sorted().filter { seen[$0] != wanted[$0] }
      for key in keys.prefix(3) {
        let texts = [seen[key], wanted[key]].map { value in
          value.map { "\($0)".prefix(120) } ?? "nothing"
        }
        parts.append("\(name) \(key): \(texts[0]), not \(texts[1])")
      }
    }
    compare("item", items, expected.items)
    compare("part", self.parts, expected.parts)
    compare("note", notes, expected.notes)
    if extras != expected.extras {
      parts.append("tables \(extras.sorted()), not \(expected.extras.sorted())")
    }
    return parts.joined(separator: "; ")
  }

  /// A number that is the same for the same content.
  var digest: UInt64 {
    var hash = StableHash()
    hash.combine("\(version) \(stamp) \(extras.sorted())")
    for key in items.keys.sorted() {
      if let item = items[key] {
        hash.combine("\(item.id) \(item.number) \(item.text) \(item.code ?? -1)")
      }
    }
    for key in parts.keys.sorted() {
      if let part = parts[key] { hash.combine("\(part.id) \(part.itemId) \(part.amount)") }
    }
    for key in notes.keys.sorted() {
      if let note = notes[key] {
        hash.combine("\(note.id) \(note.author) \(note.count) \(note.tags)")
      }
    }
    return hash.value
  }
}

/// A hash (FNV-1a) that is the same in each process.
struct StableHash: Equatable, Sendable {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func combine(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }
    value = (value ^ 0xFF) &* 0x0000_0100_0000_01B3
  }
}

/// What a check has found wrong.
struct Violation: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

func require(_ condition: Bool, _ text: @autoclosure () -> String) throws {
  guard condition else { throw Violation(text()) }
}
