import Coffer

/// The form of exported rows.
enum ExportFormat: String, CaseIterable {
  case csv, tsv, json, ndjson, markdown, sql

  static let names = allCases.map(\.rawValue)

  init(_ invocation: Invocation) throws {
    if let name = invocation.value("format") {
      guard let format = ExportFormat(rawValue: name) else {
        throw ToolError(
          .usage,
          "there is no format \"\(name.printable)\": \(Self.names.joined(separator: ", "))")
      }
      self = format
      return
    }
    let suffix = invocation.value("output")?.split(separator: ".").last.map { $0.lowercased() }
    switch suffix {
    case "md": self = .markdown
    case "tab": self = .tsv
    case "jsonl": self = .ndjson
    default: self = suffix.flatMap(ExportFormat.init) ?? .csv
    }
  }

  /// The query for the rows of a table.
  func query(of table: String, _ db: Database) throws -> String {
    let columns = self == .sql ? try Tool.insertableColumns(of: table, db) : []
    let list = columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
    return "SELECT \(list.isEmpty ? "*" : list) FROM \(table.quotedDatabaseIdentifier)"
  }

  /// - Parameter untyped: The columns in which a text can look like a number.
  func rows(
    _ columns: [String], table: String, untyped: Set<String>, _ db: Database, to output: ByteOutput
  ) -> any RowFormat {
    switch self {
    case .csv: OutputMode.csv.format(columns, isExact: true, untyped: untyped, to: output)
    case .tsv: OutputMode.tabs.format(columns, isExact: true, untyped: untyped, to: output)
    case .json: OutputMode.json.format(columns, isExact: true, to: output)
    case .ndjson: OutputMode.ndjson.format(columns, isExact: true, to: output)
    case .markdown: OutputMode.markdown.format(columns, to: output)
    case .sql: SQLRows(table: table, columns, reads: RealReader(db), to: output)
    }
  }
}

extension Tool {
  /// `coffer export`
  static func exportRows(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let format = try ExportFormat(invocation)
    let table = invocation.argument(1)
    let sql = invocation.value("sql")
    guard (table == nil) != (sql == nil) else {
      throw ToolError(
        .usage, "export: give a table, or --sql with a query: coffer export FILE TABLE")
    }
    let arguments = try Parameters.parse(invocation.values("param"))
    try invocation.withDatabase { queue in
      try queue.read { db in
        let text = try sql ?? format.query(of: existing(table ?? "", db), db)
        let statement = try makeSingleStatement(text, db)
        guard statement.isReadonly else {
          throw ToolError(.failed, "the statement writes, and export only reads. Use coffer exec")
        }
        let untyped = try table.map { try RowImport.untypedColumns(of: $0, db) } ?? []
        _ = try console.withOutput(invocation) { output in
          try output.writeRows(of: statement, arguments) {
            format.rows($0, table: table ?? "query", untyped: untyped, db, to: output)
          }
        }
      }
    }
    return 0
  }

  /// The name of a table or view, or an error that proposes one.
  private static func existing(_ name: String, _ db: Database) throws -> String {
    if try db.tableExists(name) || db.viewExists(name) { return name }
    let nearest = NearestName.find(name, in: try tableNames(db).map(\.name))
    throw ToolError(
      .failed,
      "no such table: \(name.printable). "
        + (nearest.map { "Did you mean \($0)?" } ?? "coffer tables lists the tables"))
  }
}
