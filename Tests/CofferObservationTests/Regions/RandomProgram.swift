import CofferTestSupport

@testable import CofferCore

/// A random schema, with requests for what is in it, and changes of it.
struct RandomProgram {
  /// SQL that creates the schema; each statement may fail where SQLite lacks a feature.
  private(set) var schema: [String] = []
  private(set) var requests: [Request] = []
  private var tables: [Table] = []
  private var random: SeededGenerator

  enum Request: Sendable {
    case sql(String)
    case table(String)
    case row(String, id: Int64)
    case rowID(String, Int64)
    case count(String)
  }

  private struct Table {
    var name: String
    var columns: [String]
    /// The columns that can be assigned.
    var stored: [String]
    var schema = "main"

    var sql: String { "\(schema).\(quoted(name))" }
  }

  static let names = ["a", "b", "é", "select", "x y", "it's", "q\"uote", "Aa", "a_b", "rowid2"]

  init(_ random: SeededGenerator) {
    self.random = random
    for index in 0..<pick(1...3) { addTable("t\(index)") }
    if chance(2) { addChild() }
    if chance(2) { addViews() }
    if chance(2) { addFullText() }
    if chance(3) { addTree() }
    if chance(3) { addTriggers() }
    if chance(3) { addTemporary() }
    if chance(3) { addAttached() }
    for table in tables { addRequests(of: table) }
    addSchemaRequests()
  }

  // MARK: The schema

  private mutating func addTable(_ name: String) {
    let features = SQLiteFeatures.linked
    var columns = Array(RandomProgram.names.shuffled(using: &random).prefix(pick(2...4)))
    let stored = columns
    let types = ["", "INTEGER", "TEXT", "REAL", "NUMERIC", "BLOB"]
    let collations = ["", "", " COLLATE NOCASE", " COLLATE RTRIM"]
    var parts = columns.map { column in
      "\(quoted(column)) \(element(types))\(element(collations))"
    }
    if chance(3) { parts[0] += " UNIQUE\(element(["", " ON CONFLICT REPLACE"]))" }
    if features.hasGeneratedColumns, chance(2) {
      for number in 0..<pick(1...3) {
        let column = "g\(number)"
        let base = quoted(element(columns))
        let form = element(["GENERATED ALWAYS AS", "AS"])
        let storage = element(["VIRTUAL", "STORED"])
        parts.append("\(column) \(form) (ifnull(\(base), 'x') || 'g') \(storage)")
        columns.append(column)
      }
    }
    var options = ""
    switch pick(0...3) {
    case 0: parts.insert("id INTEGER PRIMARY KEY", at: 0)
    case 1: parts.insert("id INTEGER PRIMARY KEY AUTOINCREMENT", at: 0)
    case 2:
      parts.insert("id PRIMARY KEY", at: 0)
      options = " WITHOUT ROWID"
    default: parts.insert("id", at: 0)
    }
    schema.append("CREATE TABLE \(name) (\(parts.joined(separator: ", ")))\(options)")
    let table = Table(name: name, columns: ["id"] + columns, stored: ["id"] + stored)
    tables.append(table)
    for _ in 0..<3 { schema.append(insert(into: table)) }
  }

  private mutating func addChild() {
    let action = element(["CASCADE", "SET NULL"])
    schema.append(
      """
      CREATE TABLE parent (id INTEGER PRIMARY KEY, a);
      CREATE TABLE child (id INTEGER PRIMARY KEY, a, up INTEGER REFERENCES parent(id)
        ON DELETE \(action) ON UPDATE CASCADE);
      INSERT INTO parent VALUES (1, 'x'), (2, 'y'); INSERT INTO child VALUES (1, 'z', 1), (2, 'u', 2)
      """)
    tables.append(Table(name: "parent", columns: ["id", "a"], stored: ["id", "a"]))
    tables.append(
      Table(name: "child", columns: ["id", "a", "up"], stored: ["id", "a", "up"]))
    addRequest("SELECT p.a, c.a FROM parent p LEFT JOIN child c ON c.up = p.id")
  }

  private mutating func addViews() {
    let table = element(tables)
    let (first, second) = (quoted(element(table.columns)), quoted(element(table.columns)))
    schema.append("CREATE VIEW v AS SELECT \(first) AS x FROM \(table.sql) WHERE \(second) > 'a'")
    schema.append("CREATE VIEW w AS SELECT x || '!' AS y FROM v")
    addRequests(["SELECT x FROM v", "SELECT y FROM w", "SELECT count(*) FROM w"])
  }

  private mutating func addFullText() {
    let module = element(SQLiteFeatures.linked.hasFTS5 ? ["fts5", "fts4"] : ["fts4"])
    schema.append("CREATE TABLE doc (id INTEGER PRIMARY KEY, body TEXT, other TEXT)")
    let rowid = module == "fts5" ? ", content_rowid='id'" : ""
    schema.append(
      """
      CREATE VIRTUAL TABLE ext USING \(module)(body, content='doc'\(rowid));
      CREATE VIRTUAL TABLE ft USING \(module)(body, other);
      """)
    let deletion =
      module == "fts5"
      ? "INSERT INTO ext(ext, rowid, body) VALUES ('delete', old.id, old.body)"
      : "DELETE FROM ext WHERE docid = old.id"
    let id = module == "fts5" ? "rowid" : "docid"
    schema.append(
      """
      CREATE TRIGGER doc_ai AFTER INSERT ON doc BEGIN
        INSERT INTO ext(\(id), body) VALUES (new.id, new.body); END;
      CREATE TRIGGER doc_bd BEFORE DELETE ON doc BEGIN \(deletion); END;
      CREATE TRIGGER doc_bu BEFORE UPDATE ON doc BEGIN \(deletion); END;
      CREATE TRIGGER doc_au AFTER UPDATE ON doc BEGIN
        INSERT INTO ext(\(id), body) VALUES (new.id, new.body); END;
      INSERT INTO doc VALUES (1, 'one two', 'x'), (2, 'three', 'y');
      INSERT INTO ft(body, other) VALUES ('one two', 'x'), ('three', 'y');
      """)
    schema.append(
      module == "fts5"
        ? "CREATE VIRTUAL TABLE words USING fts5vocab('ft', 'row')"
        : "CREATE VIRTUAL TABLE words USING fts4aux(ft)")
    tables.append(
      Table(
        name: "doc", columns: ["id", "body", "other"], stored: ["id", "body", "other"]))
    tables.append(Table(name: "ft", columns: ["body", "other"], stored: ["body", "other"]))
    let rank = module == "fts5" ? "SELECT rowid FROM ft('one') ORDER BY rank" : "SELECT 1"
    addRequests([
      "SELECT count(*) FROM ft WHERE ft MATCH 'two'", "SELECT other FROM ft WHERE ft MATCH 'one'",
      "SELECT snippet(ext) FROM ext WHERE ext MATCH 'one'", "SELECT body FROM ext",
      "SELECT term FROM words", "SELECT count(*) FROM ft_content", rank,
      "SELECT doc.other FROM doc JOIN ext ON ext.rowid = doc.id WHERE ext MATCH 'three'",
    ])
    if module == "fts5" {
      addRequest("SELECT snippet(ext, 0, '[', ']', '', 5) FROM ext WHERE ext MATCH 'one'")
    }
  }

  private mutating func addTree() {
    schema.append("CREATE VIRTUAL TABLE tree USING rtree(id, low, high)")
    schema.append("INSERT INTO tree VALUES (1, 0, 1)")
    addRequests(["SELECT id FROM tree WHERE low > 2", "SELECT count(*) FROM tree_node"])
  }

  private mutating func addTriggers() {
    let (source, target) = (element(tables), element(tables))
    let column = quoted(element(source.stored))
    schema.append(
      """
      CREATE TRIGGER tr AFTER UPDATE OF \(column) ON \(source.sql) BEGIN
        UPDATE \(quoted(target.name)) SET \(quoted(element(target.stored))) = new.\(column); END
      """)
    schema.append(
      """
      CREATE TRIGGER tr2 AFTER INSERT ON \(source.sql) BEGIN
        DELETE FROM \(quoted(target.name)) WHERE \(quoted(element(target.stored))) = 'a'; END
      """)
  }

  private mutating func addTemporary() {
    schema.append("CREATE TEMP TABLE draft (id INTEGER PRIMARY KEY, text)")
    schema.append("INSERT INTO draft VALUES (1, 'd')")
    tables.append(
      Table(name: "draft", columns: ["id", "text"], stored: ["id", "text"], schema: "temp"))
    let table = element(tables)
    schema.append(
      "CREATE TEMP VIEW drafts AS SELECT \(quoted(element(table.columns))) AS c FROM \(table.sql)")
    addRequests(["SELECT c FROM drafts", "SELECT name FROM sqlite_temp_master"])
  }

  private mutating func addAttached() {
    schema.append(
      """
      ATTACH ':memory:' AS other; CREATE TABLE other.t0 (id INTEGER PRIMARY KEY, far);
      CREATE TABLE other.away (id INTEGER PRIMARY KEY, far); INSERT INTO other.t0 VALUES (1, 'f');
      """)
    for name in ["t0", "away"] {
      tables.append(
        Table(name: name, columns: ["id", "far"], stored: ["id", "far"], schema: "other"))
    }
    addRequests(["SELECT far FROM away", "SELECT count(*) FROM other.sqlite_master"])
  }

  // MARK: Requests

  private mutating func addRequest(_ sql: String) { requests.append(.sql(sql)) }

  private mutating func addRequests(_ sql: [String]) { requests += sql.map { .sql($0) } }

  private mutating func addRequests(of table: Table) {
    let (one, two, three) = (
      quoted(element(table.columns)), quoted(element(table.columns)), quoted(element(table.columns))
    )
    addRequests([
      "SELECT * FROM \(table.sql)", "SELECT count(*) FROM \(table.sql)",
      "SELECT \(one) FROM \(table.sql) WHERE \(two) >= 'a'",
      "SELECT \(one) FROM \(table.sql) ORDER BY \(two), \(three) LIMIT 2",
      "SELECT max(\(one)) FROM \(table.sql) GROUP BY \(two)",
      "SELECT EXISTS (SELECT 1 FROM \(table.sql) WHERE \(one) = 'b')",
      "WITH c AS (SELECT \(one) AS z FROM \(table.sql)) SELECT count(z) FROM c",
    ])
    requests += [.table(table.name), .count(table.name), .rowID(table.name, Int64(pick(1...3)))]
    if table.stored.contains("id") { requests.append(.row(table.name, id: Int64(pick(0...7)))) }
    let other = element(tables)
    addRequest(
      "SELECT x.\(one) FROM \(table.sql) x WHERE \(two) IN (SELECT \(quoted(other.columns[0])) "
        + "FROM \(other.sql))")
  }

  private mutating func addSchemaRequests() {
    addRequests([
      "SELECT name, sql FROM sqlite_master", "PRAGMA user_version",
      "PRAGMA table_info(t0)", "SELECT count(*) FROM sqlite_master WHERE type = 'view'",
    ])
    if schema.contains(where: { $0.contains("AUTOINCREMENT") }) {
      addRequests(["SELECT name, seq FROM sqlite_sequence", "SELECT count(*) FROM sqlite_sequence"])
    }
    if SQLiteFeatures.linked.version >= 3_016_000 {
      addRequests([
        "SELECT name FROM pragma_table_info('t0')", "SELECT * FROM pragma_user_version",
        "SELECT count(*) FROM pragma_foreign_key_check", "SELECT * FROM pragma_index_list('t0')",
      ])
    }
  }

  // MARK: Changes

  /// Returns SQL that changes something, or fails.
  mutating func change() -> String {
    let table = element(tables)
    switch pick(0...20) {
    case 0...3: return insert(into: table)
    case 4...7: return update(table)
    case 8: return "DELETE FROM \(table.sql) WHERE \(quoted(element(table.columns))) = 'a'"
    case 9: return "DELETE FROM \(table.sql)"
    case 10: return update(table, "UPDATE OR REPLACE")
    case 11: return insert(into: table, "INSERT OR REPLACE")
    case 12: return insert(into: table, "INSERT OR FAIL")
    case 13:
      let end = element(["ROLLBACK TO s; RELEASE s", "RELEASE s"])
      return "SAVEPOINT s; \(update(table)); \(insert(into: table)); \(end)"
    case 14:
      let end = element(["COMMIT", "ROLLBACK"])
      return "BEGIN; \(insert(into: table)); \(update(table)); \(end)"
    case 15: return fullTextChange()
    case 16...18: return schemaChange(table)
    case 19:
      return element(["PRAGMA user_version = \(pick(0...9))", "DELETE FROM sqlite_sequence"])
    default: return "INSERT INTO \(table.sql) SELECT * FROM \(table.sql)"
    }
  }

  private mutating func schemaChange(_ table: Table) -> String {
    let other = element(tables)
    return element([
      "ALTER TABLE \(table.sql) ADD COLUMN n\(pick(0...999)) DEFAULT 5",
      "BEGIN; DROP VIEW IF EXISTS v; CREATE VIEW v AS SELECT "
        + "\(quoted(element(other.columns))) AS x FROM \(other.sql); COMMIT",
      "CREATE TABLE extra\(pick(0...99)) (x)", "DROP TABLE IF EXISTS child", "ANALYZE",
      "CREATE TEMP TABLE \(element(["t0", "doc", "v", "parent"])) AS SELECT 7 AS id, 'temp' AS a",
      "DROP TABLE IF EXISTS temp.t0",
      "CREATE INDEX IF NOT EXISTS i\(pick(0...9)) ON \(quoted(table.name))"
        + "(\(quoted(element(table.columns))))",
      "DELETE FROM sqlite_stat1",
    ])
  }

  private mutating func fullTextChange() -> String {
    element([
      "INSERT INTO ft(body, other) VALUES ('\(word()) \(word())', '\(word())')",
      "UPDATE ft SET body = '\(word()) one'", "DELETE FROM ft WHERE ft MATCH 'one'",
      "UPDATE ft SET other = '\(word())' WHERE ft MATCH 'three'",
      "UPDATE doc SET body = '\(word()) two'", "DELETE FROM doc WHERE id = 1",
      "INSERT INTO doc(body) VALUES ('one \(word())')", "INSERT INTO ext(ext) VALUES ('rebuild')",
      "INSERT INTO ext(ext) VALUES ('delete-all')", "INSERT INTO ft(ft) VALUES ('optimize')",
      "INSERT INTO tree VALUES (\(pick(2...5)), 3, 4)", "UPDATE tree SET low = 0, high = 1",
    ])
  }

  private mutating func insert(into table: Table, _ verb: String = "INSERT") -> String {
    let columns = table.stored.shuffled(using: &random).prefix(pick(1...table.stored.count))
    let rows = (0..<pick(1...2)).map { _ in
      "(" + columns.map { _ in value() }.joined(separator: ", ") + ")"
    }
    return "\(verb) INTO \(table.sql) (\(columns.map(quoted).joined(separator: ", "))) VALUES "
      + rows.joined(separator: ", ")
  }

  private mutating func update(_ table: Table, _ verb: String = "UPDATE") -> String {
    let condition = chance(2) ? "" : " WHERE \(quoted(element(table.columns))) >= \(value())"
    return "\(verb) \(table.sql) SET \(quoted(element(table.stored))) = \(value())\(condition)"
  }

  private mutating func value() -> String {
    element([
      "NULL", "1", "2", "7", "'a'", "'A'", "'b'", "'one'", "'two three'", "1.5", "x'00ff'",
      "'\(pick(0...99))'", "\(pick(0...99))",
    ])
  }

  private mutating func word() -> String { element(["one", "two", "three", "four"]) }

  // MARK: Chance

  private mutating func pick(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }

  private mutating func chance(_ count: Int) -> Bool { pick(1...count) == 1 }

  private mutating func element<T>(_ elements: [T]) -> T {
    elements[pick(0...(elements.count - 1))]
  }
}

private func quoted(_ name: String) -> String { name.quotedDatabaseIdentifier }
