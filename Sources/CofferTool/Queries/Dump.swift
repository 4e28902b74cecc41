import Coffer

extension Tool {
  /// `coffer dump`
  static func dump(_ invocation: Invocation, _ console: Console) throws -> CInt {
    try requireConsent(
      invocation, "The SQL text holds all data of \(invocation.arguments[0]) in plaintext.")
    try invocation.withDatabase { queue in
      try console.withOutput(invocation) { output in
        try queue.read { try writeDump($0, to: output) }
      }
    }
    return 0
  }

  /// Asks whether plaintext is to be written, unless `--yes` says so.
  static func requireConsent(_ invocation: Invocation, _ fact: String) throws {
    guard !invocation.has("yes") else { return }
    guard Prompt.isPossible else {
      throw ToolError(.usage, "\(fact.printable) Without a terminal to ask on, give --yes")
    }
    guard try Prompt.confirm("\(fact.printable) Go on?") else {
      throw ToolError(.failed, "nothing was written")
    }
  }

  /// Writes SQL that makes the database again.
  static func writeDump(_ db: Database, to output: ByteOutput) throws {
    let objects = try SchemaObject.made(db)
    output.line("PRAGMA foreign_keys=OFF;")
    output.line("BEGIN TRANSACTION;")
    for table in objects where table.kind == "table" {
      guard let sql = table.sql else { continue }
      output.line(sql + ";")
      if table.isVirtual, sql.lowercased().replacing(" ", with: "").contains("content=") {
        // Its rows are those of another table, or lost.
        let name = table.name.quotedDatabaseIdentifier
        output.line("INSERT INTO \(name)(\(name)) VALUES('rebuild');")
      } else {
        try writeInserts(into: table.name, db, to: output)
      }
    }
    if try db.tableExists("sqlite_sequence") {
      output.line("DELETE FROM sqlite_sequence;")
      try writeInserts(into: "sqlite_sequence", db, to: output)
    }
    for object in objects where object.kind != "table" {
      if let sql = object.sql { output.line(sql + ";") }
    }
    for pragma in ["user_version", "application_id"] {
      let value = try Int.fetchOne(db, sql: "PRAGMA \(pragma)") ?? 0
      if value != 0 { output.line("PRAGMA \(pragma)=\(value);") }
    }
    output.line("COMMIT;")
    try output.flush()
  }

  private static func writeInserts(into table: String, _ db: Database, to output: ByteOutput) throws
  {
    // Generated columns can't be inserted, and table_info doesn't list them.
    let name = table.quotedDatabaseIdentifier
    let columns = try Row.fetchAll(db, sql: "PRAGMA table_info(\(name))").map {
      $0["name"] as String
    }
    guard !columns.isEmpty else { return }
    let list = columns.map(\.quotedDatabaseIdentifier).joined(separator: ",")
    let statement = try db.makeStatement(sql: "SELECT \(list) FROM \(name)")
    try output.writeRows(of: statement) { SQLRows(table: table, $0, to: output) }
  }
}
