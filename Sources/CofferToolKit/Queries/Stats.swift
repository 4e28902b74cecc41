import Coffer

/// The size of a table.
struct TableSize {
  let name: String
  let rows: Int
  /// The bytes of its pages where SQLite can tell, else those of its values.
  let bytes: Int

  /// The tables of a database, the largest first.
  static func all(_ db: Database) throws -> [TableSize] {
    let pages = try? Row.fetchAll(
      db, sql: "SELECT name, sum(pgsize) FROM dbstat GROUP BY name"
    ).reduce(into: [String: Int]()) { $0[$1[0]] = $1[1] }
    return try SchemaObject.all(db).filter { $0.kind == "table" && !$0.isVirtual && !$0.isInternal }
      .map { table in
        let name = table.name.quotedDatabaseIdentifier
        let columns = try Row.fetchAll(db, sql: "PRAGMA table_info(\(name))")
          .map { ($0["name"] as String).quotedDatabaseIdentifier }
        // The values of a full scan: integers and reals are counted with eight bytes.
        let sizes = columns.map {
          "CASE typeof(\($0)) WHEN 'text' THEN length(CAST(\($0) AS BLOB)) WHEN 'blob' THEN "
            + "length(\($0)) WHEN 'null' THEN 0 ELSE 8 END"
        }
        // In groups: an expression of SQLite's can't be deeper than 1,000.
        let groups = stride(from: 0, to: sizes.count, by: 100).map {
          "(" + sizes[$0..<min($0 + 100, sizes.count)].joined(separator: " + ") + ")"
        }
        let sum = pages == nil && !groups.isEmpty ? groups.joined(separator: " + ") : "0"
        let row = try Row.fetchOne(
          db, sql: "SELECT count(*), coalesce(sum(\(sum)), 0) FROM \(name)")
        return TableSize(
          name: table.name, rows: row?[0] ?? 0, bytes: pages?[table.name] ?? row?[1] ?? 0)
      }.sorted { ($0.bytes, $1.name) > ($1.bytes, $0.name) }
  }
}

extension Tool {
  /// `coffer stats`
  static func stats(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let sizes = try invocation.withDatabase { queue in try queue.read { try TableSize.all($0) } }
    if invocation.has("json") {
      let objects = sizes.map {
        "{\"table\":\(JSONRows.quoted($0.name)),\"rows\":\($0.rows),\"bytes\":\($0.bytes)}"
      }
      console.line("[" + objects.joined(separator: ",") + "]")
      return 0
    }
    guard console.isTerminal else {
      console.line("table\trows\tbytes")
      for size in sizes { console.line("\(size.name)\t\(size.rows)\t\(size.bytes)") }
      return 0
    }
    let most = max(1, sizes.first?.bytes ?? 1)
    var table = TextTable([.text("Table"), .number("Rows"), .number("Bytes"), .text("")])
    for size in sizes {
      let bar = String(repeating: "█", count: (size.bytes * 24 + most - 1) / most)
      table.append([size.name, Numbers.grouped(size.rows), Numbers.grouped(size.bytes), bar])
    }
    if sizes.isEmpty { console.line("No tables yet.") } else { console.table(table) }
    return 0
  }
}
