@testable import CofferCore
import CofferExpectations
@testable import CofferQuery
import Foundation
import Testing

/// Texts of the caller that definitions put into SQL.
@Suite struct DefinitionInjectionTests {
  /// Texts that end what they are in, and go on with SQL of their own.
  static let attacks = [
    "full); DROP TABLE canary; --", "x\"); DROP TABLE canary; --", "x'); DROP TABLE canary; --",
    "x]); DROP TABLE canary; --", "x`); DROP TABLE canary; --", "x; DROP TABLE canary",
    "x -- y", "x /* y", "x\0); DROP TABLE canary", "x)", "(x", "x, evil", "\"", "'", "''", "\"\"",
    "x='y'", "x\", tokenize=\"evil", "x', content='canary", "?", "x COLLATE evil", "",
    "x\n); DROP TABLE canary;\n",
  ]

  private func withCanary(_ attack: String, _ body: (Database) throws -> Void) throws {
    let queue = try DatabaseQueue()
    try queue.inDatabase { db in
      try db.execute(
        sql: "CREATE TABLE canary (a); INSERT INTO canary VALUES (1); CREATE TABLE t (a, b)")
      let shape = try shape(db)
      do {
        try body(db)
      } catch is DatabaseError {
        // Names that aren't possible are refused.
      }
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM canary") == 1, "\(attack)")
      #expect(try self.shape(db).starts(with: shape), "\(attack)")
      #expect(
        try Row.fetchAll(db, sql: "PRAGMA table_info(canary)").map { $0["name"] } == ["a"])
    }
  }

  private func shape(_ db: Database) throws -> [String?] {
    try String?.fetchAll(
      db, sql: "SELECT sql FROM sqlite_master WHERE name IN ('canary', 't') ORDER BY rowid")
  }

  @Test(.enabled(if: SQLiteFeatures.linked.hasFTS5), arguments: attacks)
  func `options of FTS5 stay options`(attack: String) throws {
    let changes: [(FTS5TableDefinition) -> Void] = [
      { $0.detail = attack }, { $0.content = attack }, { $0.contentRowID = attack },
      {
        $0.content = "t"
        $0.contentRowID = attack
      },
      { $0.tokenizer = FTS5TokenizerDescriptor(components: [attack]) },
      { $0.tokenizer = FTS5TokenizerDescriptor(components: ["unicode61", attack]) },
      { $0.tokenizer = .unicode61(categories: attack) },
      { $0.tokenizer = .ascii(separators: Set(attack), tokenCharacters: Set(attack)) },
      { $0.column(attack) }, { $0.column(attack).notIndexed() },
      { $0.synchronize(withTable: attack) },
    ]
    for change in changes {
      try withCanary(attack) { db in
        try db.create(virtualTable: "ft", using: FTS5()) { t in
          t.column("a")
          change(t)
        }
      }
    }
    try withCanary(attack) { db in
      try db.create(virtualTable: attack, using: FTS5()) { $0.column("a") }
      try db.dropFTS5SynchronizationTriggers(forTable: attack)
    }
  }

  @Test(arguments: attacks)
  func `options of FTS3 and FTS4 stay options`(attack: String) throws {
    let changes: [(FTS4TableDefinition) -> Void] = [
      { $0.content = attack }, { $0.compress = attack }, { $0.uncompress = attack },
      {
        $0.compress = attack
        $0.uncompress = attack
      },
      { $0.matchinfo = attack }, { $0.column(attack) }, { $0.column(attack).notIndexed() },
      { $0.column(attack).asLanguageId() }, { $0.synchronize(withTable: attack) },
      { $0.tokenizer = .unicode61(separators: Set(attack), tokenCharacters: Set(attack)) },
    ]
    for change in changes {
      try withCanary(attack) { db in
        try db.create(virtualTable: "ft", using: FTS4()) { t in
          t.column("a")
          change(t)
        }
        try db.execute(sql: "INSERT INTO ft (a) VALUES ('a')")
        _ = try Row.fetchAll(db, sql: "SELECT * FROM ft WHERE ft MATCH 'a'")
      }
    }
    try withCanary(attack) { db in
      try db.create(virtualTable: "ft", using: FTS3()) { $0.column(attack) }
    }
    try withCanary(attack) { db in
      try db.create(virtualTable: attack, using: FTS4()) { $0.column("a") }
      try db.dropFTS4SynchronizationTriggers(forTable: attack)
    }
  }

  @Test(arguments: attacks)
  func `names and types of tables, columns and indexes stay names`(attack: String) throws {
    let collation = Database.CollationName(rawValue: attack)
    let type = Database.ColumnType(rawValue: attack)
    let uses: [(Database) throws -> Void] = [
      { try $0.create(table: attack) { $0.column("a") } },
      { try $0.create(table: "x") { $0.column(attack, .text) } },
      { try $0.create(table: "x") { $0.column("a", type) } },
      { try $0.create(table: "x") { $0.column("a").collate(collation) } },
      { try $0.create(table: "x") { $0.primaryKey([attack]) } },
      { try $0.create(table: "x") { $0.column("a").references(attack, column: attack) } },
      { try $0.create(table: "x") { $0.column("a").defaults(to: attack) } },
      { try $0.create(table: "x") { $0.column("a").check { $0 != attack } } },
      { try $0.create(table: "x") { $0.column(attack).indexed() } },
      { try $0.alter(table: attack) { $0.add(column: "c") } },
      { try $0.alter(table: "x") { $0.add(column: attack, type) } },
      { try $0.alter(table: "x") { $0.rename(column: "a", to: attack) } },
      { try $0.alter(table: "x") { $0.drop(column: attack) } },
      { try $0.rename(table: "x", to: attack) },
      { try $0.create(index: attack, on: "canary", columns: ["a"]) },
      { try $0.create(indexOn: "canary", columns: [attack]) },
      { try $0.create(index: "i", on: attack, columns: ["a"]) },
      {
        try $0.create(
          index: "i", on: "canary", expressions: [Column("a").collating(collation)])
      },
      { try $0.create(view: attack, as: Table("canary").all()) },
      { try $0.create(view: "v", columns: [attack], as: Table("canary").all()) },
      { try $0.drop(index: attack) }, { try $0.drop(view: attack) },
    ]
    for use in uses {
      try withCanary(attack) { db in
        try db.execute(sql: "CREATE TABLE other (a)")
        try use(db)
      }
    }
  }

  @Test(arguments: attacks)
  func `names in requests stay names`(attack: String) throws {
    let collation = Database.CollationName(rawValue: attack)
    let canary = Table("canary")
    let uses: [(Database) throws -> Void] = [
      { _ = try canary.select(Column(attack)).fetchAll($0) },
      { _ = try canary.select(Column("a").forKey(attack), as: Row.self).fetchAll($0) },
      { _ = try canary.order(Column("a").collating(collation)).fetchAll($0) },
      {
        _ = try canary.select(cast(Column("a"), as: .init(rawValue: attack)), as: Row.self)
          .fetchAll($0)
      },
      {
        // Other names of functions trap.
        guard !attack.isEmpty, !attack.contains("\0") else { return }
        let function = DatabaseFunction(attack, argumentCount: 1) { $0[0] }
        _ = try canary.select(function(Column("a")), as: Row.self).fetchAll($0)
      },
      { _ = try canary.aliased(TableAlias(name: attack)).fetchAll($0) },
      { _ = try Table(attack).fetchAll($0) },
    ]
    for use in uses { try withCanary(attack, use) }
  }

  @Test func `types and collations that SQLite knows stay as they are written`() throws {
    try DatabaseQueue().inDatabase { db in
      try db.create(table: "x") { t in
        for (index, type) in [
          "VARCHAR(20)", "DECIMAL(10, 2)", "UNSIGNED BIG INT", "\"my type\"", "[x]", "T (+1, -2)",
        ].enumerated() {
          t.column("c\(index)", Database.ColumnType(rawValue: type))
        }
        t.column("n", .text).collate(.nocase)
      }
      let sql = try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master")
      #expect(sql?.contains("\"c1\" DECIMAL(10, 2), \"c2\" UNSIGNED BIG INT,") == true)
      #expect(sql?.contains("\"n\" TEXT COLLATE NOCASE") == true)
      #expect(
        databaseError { try db.create(table: "y") { $0.column("a", .init(rawValue: "x)")) } }?
          .message == "not the name of a type: x)")
    }
  }
}
