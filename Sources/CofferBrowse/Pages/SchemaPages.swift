import Coffer
import CofferDrawing

/// The diagram, and one table, view, index or trigger.
extension DatabasePages {
  /// The most tables in the diagram.
  private static let diagramLimit = 60

  func schemaPage() throws -> HTTPResponse {
    try store.read { db, _ in
      // Tables with relations come first.
      let related = try store.references(db).flatMap { [$0.origin, $0.destination] }
      let others = try site.services.tables(db).filter { $0.kind == "table" }.map(\.name)
      var known: Set<[UInt8]> = []
      let names = (related + others).filter { known.insert($0.bytes).inserted }
      let tables = try names.prefix(Self.diagramLimit).map { try TableFacts($0, db) }
      let parts = try Row.fetchAll(
        db,
        sql: """
          SELECT type, name, tbl_name FROM sqlite_master
          WHERE type != 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
          ORDER BY type, name LIMIT 500
          """
      ).map { (type: $0[0] as String, name: $0[1] as String, table: $0[2] as String) }
      return page("Schema", "Schema") {
        if names.count > tables.count {
          HTML.element("p", ["class": "notice"]) {
            "The diagram has \(tables.count) of the tables, first those with foreign keys. "
            link("All tables", base)
          }
        }
        if tables.isEmpty {
          notice("No tables yet.")
        } else {
          SchemaDiagram.draw(tables: tables.map(box))
        }
        if !parts.isEmpty {
          table("Indexes, triggers and views", ["Name", "Kind", "Table"]) {
            for part in parts {
              row(link(part.name, objectAddress(part.name))) {
                cell(part.type)
                cell(part.type == "view" ? "" : link(part.table, objectAddress(part.table)))
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
        db, sql: "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name = ?",
        arguments: [request["name"]])
      guard let object else {
        throw BrowseError.missing("There is no such table, view, index or trigger.")
      }
      let (type, name): (String, String) = (object[0], object[1])
      let (table, sql): (String, String?) = (object[2], object[3])
      let hasRows = type == "table" || type == "view"
      // A view can be of a table that isn't there.
      let facts = hasRows ? try? TableFacts(name, db) : nil
      let indexes = type == "table" ? (try? db.indexes(on: name, in: "main")) ?? [] : []
      let incoming = try facts.map { try incomingReferences($0, db) } ?? []
      let parts = try Row.fetchAll(
        db,
        sql: """
          SELECT name, sql FROM sqlite_master WHERE tbl_name = ? AND name != ? AND sql IS NOT NULL
          ORDER BY type, name LIMIT 200
          """, arguments: [name, name])
      return page(name, "Schema") {
        HTML.element("p") {
          type.capitalized
          if hasRows {
            ": "
            link("rows", tableAddress(name))
          } else {
            " of "
            link(table, objectAddress(table))
          }
        }
        if let facts { columns(facts) }
        if !indexes.isEmpty {
          self.table("Indexes", ["Name", "Columns", "Unique"]) {
            for index in indexes {
              row(.text(index.name)) {
                cell(index.columns.joined(separator: ", "))
                cell(index.isUnique ? "yes" : "no")
              }
            }
          }
        }
        if let facts, !facts.references.isEmpty || !incoming.isEmpty {
          self.table("Foreign keys", ["From", "To"]) {
            for reference in facts.references + incoming {
              row {
                end(reference.origin, reference.originColumns)
                end(reference.destination, reference.destinationColumns)
              }
            }
          }
        }
        if let sql { HTML.element("pre", ["class": "sql"]) { sql } }
        for part in hasRows ? parts : [] {
          HTML.element("h2") { part[0] as String }
          HTML.element("pre", ["class": "sql"]) { part[1] as String }
        }
      }
    }
  }

  private func end(_ table: String, _ columns: [String]) -> HTML {
    HTML.element("td") {
      link(table, objectAddress(table))
      " (\(columns.joined(separator: ", ")))"
    }
  }

  private func columns(_ table: TableFacts) -> HTML {
    self.table("Columns", ["Name", "Type", "Key", "Default"]) {
      for column in table.columns {
        let isForeign = table.references.contains { $0.originColumns.contains(column.name) }
        row(.text(column.name)) {
          cell(column.type + (column.isNotNull ? " NOT NULL" : ""))
          cell(
            (column.primaryKeyIndex > 0 ? "primary key " : "") + (isForeign ? "foreign key" : ""))
          cell(column.defaultValueSQL ?? "")
        }
      }
    }
  }

  /// The foreign keys of other tables that lead to a table, and its own to itself.
  func incomingReferences(_ table: TableFacts, _ db: Database) throws -> [TableFacts.Reference] {
    try store.references(db).filter { $0.destination.isSame(as: table.name) }
  }
}
