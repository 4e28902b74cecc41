import Coffer
import CofferCore

/// A table, view, index or trigger, as `sqlite_master` has it.
struct SchemaObject {
  let kind: String
  let name: String
  let table: String
  let sql: String?

  /// The objects of the main database, in the order in which they can be made.
  static func all(_ db: Database) throws -> [SchemaObject] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT type, name, tbl_name, sql FROM sqlite_master
        ORDER BY CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 WHEN 'view' THEN 2 ELSE 3 END,
          rowid
        """
    ).map { SchemaObject(kind: $0[0], name: $0[1], table: $0[2], sql: $0[3]) }
  }

  /// Those that a user has made: neither SQLite's own, nor tables in which virtual tables store
  /// their content.
  static func made(_ db: Database) throws -> [SchemaObject] {
    let shadows = try db.shadowTables()
    return try all(db).filter { !$0.isInternal && !shadows.contains($0.name) }
  }

  var isInternal: Bool { Database.isSQLiteInternalTable(name) }

  /// What the SQL of a virtual table says; nil for others.
  var definition: VirtualTableDefinition? {
    isVirtual ? sql.map { VirtualTableDefinition($0) } : nil
  }

  var isVirtual: Bool {
    kind == "table" && sql?.uppercased().hasPrefix("CREATE VIRTUAL TABLE") == true
  }
}

extension Tool {
  /// `coffer tables`
  static func tables(_ invocation: Invocation, _ console: Console) throws -> CInt {
    try invocation.withDatabase { queue in
      try queue.read { db in
        let names = try tableNames(db)
        guard console.isTerminal else { return names.forEach { console.line($0.name) } }
        var table = TextTable([.text("Name"), .text("Kind"), .number("Rows")])
        for object in names {
          let count = try? Int.fetchOne(
            db, sql: "SELECT count(*) FROM \(object.name.quotedDatabaseIdentifier)")
          let kind = object.isVirtual ? "virtual table" : object.kind
          table.append([object.name, kind, count.map { Numbers.grouped($0) } ?? ""])
        }
        if names.isEmpty { console.line("No tables yet.") } else { console.table(table) }
      }
    }
    return 0
  }

  /// The tables and views that a user has made, by name.
  static func tableNames(_ db: Database) throws -> [SchemaObject] {
    try SchemaObject.made(db).filter { $0.kind == "table" || $0.kind == "view" }
      .sorted { $0.name < $1.name }
  }

  /// `coffer schema`
  static func schema(_ invocation: Invocation, _ console: Console) throws -> CInt {
    try invocation.withDatabase { queue in
      try queue.read { db in
        for sql in try schemaSQL(invocation.argument(1), db) {
          console.line(console.isTerminal ? sql.printableLines : sql)
        }
      }
    }
    return 0
  }

  /// The statements that make the schema, or those of one object and what belongs to it.
  static func schemaSQL(_ name: String?, _ db: Database) throws -> [String] {
    guard let name = name?.lowercased() else {
      return try SchemaObject.made(db).filter { $0.sql != nil }.map(\.statement)
    }
    let objects = try SchemaObject.all(db)
    let found = objects.filter {
      $0.name.lowercased() == name
        || ($0.table.lowercased() == name && ($0.kind == "index" || $0.kind == "trigger"))
    }
    guard !found.isEmpty else {
      let nearest = NearestName.find(name, in: objects.map(\.name)).map { "did you mean \($0)?" }
      throw ToolError(
        .failed,
        "there is no \"\(name.printable)\" in the schema: \(nearest ?? "coffer tables lists the tables")"
      )
    }
    return found.filter { $0.sql != nil }.map(\.statement)
  }

  /// `coffer search`
  static func search(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let mode = try OutputMode(invocation, console)
    let (table, pattern) = (invocation.arguments[1], invocation.arguments[2])
    try invocation.withDatabase { queue in
      try queue.read { db in
        let sql = try searchSQL(table, db)
        try ByteOutput(console).writeRows(
          of: db.makeStatement(sql: sql), ["pattern": pattern], mode: mode)
      }
    }
    return 0
  }

  /// The query for the rows that match `:pattern`: of the table if it is a full-text table, or else
  /// through a full-text table over it, or else by reading all of its texts.
  private static func searchSQL(_ table: String, _ db: Database) throws -> String {
    let objects = try SchemaObject.all(db)
    guard
      let object = objects.first(where: {
        SQLName($0.name) == SQLName(table) && ($0.kind == "table" || $0.kind == "view")
      })
    else {
      let nearest = NearestName.find(table, in: objects.map(\.name)).map { "did you mean \($0)?" }
      throw ToolError(
        .failed, "no such table: \(table.printable). \(nearest ?? "coffer tables lists the tables")"
      )
    }
    let name = object.name.quotedDatabaseIdentifier
    if let condition = try fullTextCondition(object, objects, ":pattern", db) {
      return "SELECT * FROM \(name) WHERE \(condition)\(fullTextOrder(object) ?? "")"
    }
    let columns = try db.columns(in: object.name).map(\.name)
    let conditions = columns.map {
      "instr(lower(CAST(\($0.quotedDatabaseIdentifier) AS TEXT)), lower(:pattern)) > 0"
    }
    return "SELECT * FROM \(name) WHERE " + conditions.joined(separator: " OR ")
  }

  /// The condition for the rows of a table that match a parameter; nil without a full-text index.
  static func fullTextCondition(
    _ table: String, parameter: String, _ db: Database
  ) throws -> String? {
    let objects = try SchemaObject.all(db)
    let object = objects.first { $0.kind == "table" && SQLName($0.name) == SQLName(table) }
    return try object.flatMap { try fullTextCondition($0, objects, parameter, db) }
  }

  private static func fullTextCondition(
    _ object: SchemaObject, _ objects: [SchemaObject], _ parameter: String, _ db: Database
  ) throws -> String? {
    if fullTextOrder(object) != nil {
      return "\(object.name.quotedDatabaseIdentifier) MATCH \(parameter)"
    }
    let index = objects.first { index in
      guard fullTextOrder(index) != nil, let content = index.definition?.options["content"] else {
        return false
      }
      return SQLName(content) == SQLName(object.name)
    }
    guard let index, object.kind == "table", let options = index.definition?.options else {
      return nil
    }
    let rowID = options["content_rowid"]
    guard try rowID != nil || db.primaryKey(object.name).isRowID else { return nil }
    let text = index.name.quotedDatabaseIdentifier
    return "\(rowID?.quotedDatabaseIdentifier ?? "rowid") IN "
      + "(SELECT rowid FROM \(text) WHERE \(text) MATCH \(parameter))"
  }

  /// The order of a full-text table's rows, the best first; nil for other tables.
  private static func fullTextOrder(_ object: SchemaObject) -> String? {
    switch object.definition?.module {
    case "fts5": " ORDER BY rank"
    case "fts3", "fts4": ""
    default: nil
    }
  }
}
