import Coffer
import CofferDrawing

/// The diagram, and one table, view, index or trigger.
extension PageMaker {
  /// The most tables in the diagram.
  private static let diagramLimit = 60

  func schemaPage() throws -> HTTPResponse {
    try store.read { db, _ in
      let references = try store.schema.references(db)
      // Tables with relations come first.
      let related = references.flatMap { [$0.origin, $0.destination] }
      let others = try String.fetchAll(
        db,
        sql: """
          SELECT name FROM sqlite_master
          WHERE type = 'table' AND \(SchemaFacts.isMade) AND sql NOT LIKE 'CREATE VIRTUAL%'
          ORDER BY name LIMIT \(Self.diagramLimit)
          """)
      var known: Set<[UInt8]> = []
      let names = (related + others).filter { known.insert(Array($0.utf8)).inserted }
      let tables = try names.prefix(Self.diagramLimit).map { try store.schema.table($0, db) }
      let parts = try Row.fetchAll(
        db,
        sql: """
          SELECT type, name, tbl_name FROM sqlite_master
          WHERE type != 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
          ORDER BY type, name LIMIT 500
          """
      ).map { (type: $0[0] as String, name: $0[1] as String, table: $0[2] as String) }
      return page("Schema", .schema) {
        if names.count > tables.count {
          HTML.element("p", ["class": "notice"]) {
            "The diagram has \(tables.count) of the tables, first those with foreign keys. "
            link("All tables", place.address(""))
          }
        }
        if tables.isEmpty {
          HTML.element("p", ["class": "notice"]) { "No tables yet." }
        } else {
          SchemaDiagram.draw(tables: tables.map(box))
        }
        if !parts.isEmpty {
          table("Indexes, triggers and views", ["Name", "Kind", "Table"].map { .text($0) }) {
            for part in parts {
              HTML.element("tr") {
                HTML.element("th", ["scope": "row"]) { link(part.name, objectAddress(part.name)) }
                HTML.element("td") { part.type }
                HTML.element("td") {
                  if part.type != "view" { link(part.table, objectAddress(part.table)) }
                }
              }
            }
          }
        }
      }
    }
  }

  private func box(_ table: TableFacts) -> SchemaDiagram.Table {
    SchemaDiagram.Table(
      name: table.name,
      columns: table.columns.map {
        .init(name: $0.name, type: $0.type, isPrimaryKey: $0.primaryKeyIndex > 0)
      },
      address: tableAddress(table.name),
      foreignKeys: table.references.map {
        .init(columns: $0.originColumns, table: $0.destination, targets: $0.destinationColumns)
      })
  }

  func objectPage() throws -> HTTPResponse {
    try store.read { db, _ in
      let object = try Row.fetchOne(
        db,
        sql:
          "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master WHERE name = ? LIMIT 1",
        arguments: [request["name"] ?? ""])
      guard let object else {
        throw BrowseError.missing("There is no such table, view, index or trigger.")
      }
      let (type, name, table, sql): (String, String, String, String) = (
        object[0], object[1], object[2], object[3]
      )
      let isTable = type == "table" || type == "view"
      let facts = isTable ? try store.schema.table(name, db) : nil
      let indexes = type == "table" ? (try? db.indexes(on: name, in: "main")) ?? [] : []
      let incoming = try facts.map { try incomingReferences($0, db) } ?? []
      let parts = try Row.fetchAll(
        db,
        sql: """
          SELECT name, sql FROM sqlite_master WHERE tbl_name = ? AND name != ? AND sql IS NOT NULL
          ORDER BY type, name LIMIT 200
          """, arguments: [name, name]
      ).map { (name: $0[0] as String, sql: $0[1] as String) }
      return page(name, .schema) {
        HTML.element("p") {
          "\(type.prefix(1).uppercased() + type.dropFirst())"
          if isTable {
            ": "
            link("rows", tableAddress(name))
          } else {
            " of "
            link(table, objectAddress(table))
          }
        }
        if let facts { columns(facts) }
        if !indexes.isEmpty {
          self.table("Indexes", ["Name", "Columns", "Unique"].map { .text($0) }) {
            for index in indexes {
              HTML.element("tr") {
                HTML.element("th", ["scope": "row"]) { index.name }
                HTML.element("td") { index.columns.joined(separator: ", ") }
                HTML.element("td") { index.isUnique ? "yes" : "no" }
              }
            }
          }
        }
        if let facts, !facts.references.isEmpty || !incoming.isEmpty {
          self.table("Foreign keys", ["From", "To"].map { .text($0) }) {
            for reference in facts.references + incoming {
              HTML.element("tr") {
                HTML.element("td") { end(reference.origin, reference.originColumns) }
                HTML.element("td") { end(reference.destination, reference.destinationColumns) }
              }
            }
          }
        }
        if !sql.isEmpty { HTML.element("pre", ["class": "sql"]) { sql } }
        for part in isTable ? parts : [] {
          HTML.element("h2") { part.name }
          HTML.element("pre", ["class": "sql"]) { part.sql }
        }
      }
    }
  }

  private func end(_ table: String, _ columns: [String]) -> HTML {
    HTML.element("span") {
      link(table, objectAddress(table))
      " (\(columns.joined(separator: ", ")))"
    }
  }

  private func columns(_ table: TableFacts) -> HTML {
    self.table("Columns", ["Name", "Type", "Key", "Default"].map { .text($0) }) {
      for column in table.columns {
        HTML.element("tr") {
          HTML.element("th", ["scope": "row"]) { column.name }
          HTML.element("td") { column.type + (column.isNotNull ? " NOT NULL" : "") }
          HTML.element("td") {
            column.primaryKeyIndex > 0 ? "primary key" : ""
            if table.references.contains(where: { $0.originColumns.contains(column.name) }) {
              " foreign key"
            }
          }
          HTML.element("td") { column.defaultValueSQL ?? "" }
        }
      }
    }
  }

  /// The foreign keys of other tables that lead to a table, and its own to itself.
  func incomingReferences(_ table: TableFacts, _ db: Database) throws -> [TableFacts.Reference] {
    guard table.kind != "view" else { return [] }
    return try store.schema.references(db).filter { $0.destination.isSame(as: table.name) }
  }
}
