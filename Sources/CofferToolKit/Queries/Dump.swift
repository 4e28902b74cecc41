import Coffer
import CofferCore
import CofferQuery

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

  /// Writes SQL that makes the database again, in one transaction, and in whatever transaction it
  /// is run.
  ///
  /// Virtual tables are put into the schema as they are, beside the tables in which they keep their
  /// content. So nothing of them is lost, and none of their modules is needed.
  static func writeDump(_ db: Database, to output: ByteOutput) throws {
    let objects = try SchemaObject.all(db).filter { !$0.isInternal }.map { object in
      guard !object.isVirtual, object.kind == "table" || object.kind == "index" else {
        return object
      }
      return object.withQuotedTexts(columns: try db.columns(in: object.table).map(\.name))
    }
    let tables = objects.filter { $0.kind == "table" && !$0.isVirtual }
    let virtualTables = objects.filter(\.isVirtual)
    output.line("PRAGMA foreign_keys=OFF;")
    output.line("BEGIN TRANSACTION;")
    // Where foreign keys can't be switched off any more: they are checked at the end.
    output.line("PRAGMA defer_foreign_keys=ON;")
    for table in tables { output.line(table.statement) }
    // Foreign keys can refer to what is unique.
    let indexes = objects.filter { $0.kind == "index" }
    for index in indexes where index.isUnique { output.line(index.statement) }
    for table in tables { try writeInserts(into: table.name, keepsRowIDs: true, db, to: output) }
    for index in indexes where !index.isUnique { output.line(index.statement) }
    let internalTables = try SchemaObject.all(db).filter { $0.kind == "table" && $0.isInternal }
      .map(\.name)
    // The table is there if another one needs it, and has a row for each.
    if internalTables.contains("sqlite_sequence"),
      try Int.fetchOne(db, sql: "SELECT 1 FROM sqlite_sequence") != nil
    {
      output.line("DELETE FROM sqlite_sequence;")
      try writeInserts(into: "sqlite_sequence", keepsRowIDs: false, db, to: output)
    }
    if internalTables.contains("sqlite_stat1") {
      // Makes the table, and nothing else.
      output.line("ANALYZE sqlite_master;")
      output.line("DELETE FROM sqlite_stat1;")
      try writeInserts(into: "sqlite_stat1", keepsRowIDs: false, db, to: output)
    }
    if !virtualTables.isEmpty {
      output.line("PRAGMA writable_schema=ON;")
      for table in virtualTables {
        let name = ValueText.quoted(table.name)
        let sql = ValueText.quoted(table.sql ?? "")
        output.line(
          "INSERT INTO sqlite_master(type,name,tbl_name,rootpage,sql) "
            + "VALUES('table',\(name),\(name),0,\(sql));")
      }
      // Also reads the schema again, from SQLite 3.22 on.
      output.line("PRAGMA writable_schema=RESET;")
    }
    for object in objects where object.kind == "view" || object.kind == "trigger" {
      output.line(object.statement)
    }
    for pragma in ["user_version", "application_id"] {
      let value = try Int.fetchOne(db, sql: "PRAGMA \(pragma)") ?? 0
      if value != 0 { output.line("PRAGMA \(pragma)=\(value);") }
    }
    output.line("COMMIT;")
    try output.flush()
  }

  /// - Parameter keepsRowIDs: Whether rows get the same rowids, also those that no column names.
  private static func writeInserts(
    into table: String, keepsRowIDs: Bool, _ db: Database, to output: ByteOutput
  ) throws {
    var columns = try insertableColumns(of: table, db)
    guard !columns.isEmpty else { return }
    if keepsRowIDs, let name = try hiddenRowID(of: table, columns, db) {
      columns.insert(name, at: 0)
    }
    let list = columns.map(\.quotedDatabaseIdentifier).joined(separator: ",")
    let statement = try db.makeStatement(
      sql: "SELECT \(list) FROM \(table.quotedDatabaseIdentifier)")
    try output.writeRows(of: statement) { _ in
      SQLRows(table: table, columns, reads: RealReader(db), to: output)
    }
  }

  /// The columns of a table that SQLite doesn't compute.
  static func insertableColumns(of table: String, _ db: Database) throws -> [String] {
    try db.columns(in: table).filter { !$0.isGenerated }.map(\.name)
  }

  /// The name of rowids that are in no column, and that the rows wouldn't get by themselves.
  private static func hiddenRowID(
    of table: String, _ columns: [String], _ db: Database
  ) throws -> String? {
    let known = Set(columns.map { SQLName($0) })
    guard (try? db.primaryKey(table))?.rowIDColumn == nil,
      let name = ["rowid", "_rowid_", "oid"].first(where: { !known.contains(SQLName($0)) }),
      // A table without rowids has none of the names.
      let statement = try? db.makeStatement(
        sql: """
          SELECT count(*), ifnull(min(\(name)), 1), ifnull(max(\(name)), 0)
          FROM \(table.quotedDatabaseIdentifier)
          """),
      let row = try Row.fetchOne(statement)
    else { return nil }
    let (count, first, last) = (row[0] as Int64, row[1] as Int64, row[2] as Int64)
    return first == 1 && last == count ? nil : name
  }
}

extension SchemaObject {
  var isUnique: Bool {
    let words = (sql ?? "").split(maxSplits: 2, whereSeparator: \.isWhitespace)
    return words.count > 1 && words[1].uppercased() == "UNIQUE"
  }

  /// The SQL, ended by a semicolon that no comment at its end swallows.
  var statement: String {
    let sql = sql ?? ""
    var text = sql
    let comment = text.withUTF8 { utf8 -> String? in
      guard let last = SQLTokenizer(utf8).reduce(nil, { $1 as SQLTokenizer.Token? }),
        last.kind == .comment
      else { return nil }
      return String(decoding: utf8[last.range], as: UTF8.self)
    }
    guard let comment else { return sql + ";" }
    if comment.hasPrefix("--") { return sql + "\n;" }
    return sql + (comment.count > 3 && comment.hasSuffix("*/") ? ";" : "*/;")
  }
}
