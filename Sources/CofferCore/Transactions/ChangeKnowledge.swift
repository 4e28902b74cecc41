import CofferVault

/// Facts from the schema about changes that SQLite doesn't report row by row.
struct ChangeKnowledge {
  fileprivate var schemaGeneration = 0
  fileprivate var recompilations = -1
  fileprivate var rowReports: [String: Bool] = [:]
  fileprivate var rowMoves: [String: Bool] = [:]
  fileprivate var connectedTables: [String: [String]] = [:]
  fileprivate var replacing: Replacing?

  /// The tables and triggers that replace rows without `REPLACE` in the statement.
  fileprivate struct Replacing {
    /// Tables with an `ON CONFLICT REPLACE` constraint.
    var tables: Set<SQLName> = []
    /// Tables with a trigger whose statements replace rows.
    var triggers: Set<SQLName> = []
  }
}

extension TransactionObservation {
  /// Returns whether SQLite reports which rows of a table change.
  func reportsRows(_ change: TableChange) throws -> Bool {
    refreshKnowledge()
    let key = change.schema + "." + change.kind.tableName
    if let reportsRows = schemaKnowledge.rowReports[key] { return reportsRows }
    let table = change.kind.tableName
    let reportsRows =
      try database.readSchema { try SQLite.hasRowIDs($0, table, schema: change.schema) }
      && !database.isVirtual(table, schema: change.schema)
    schemaKnowledge.rowReports[key] = reportsRows
    return reportsRows
  }

  /// Returns whether a change can give rows new rowids: SQLite reports only the new ones.
  ///
  /// Every column of the primary key counts as the rowid.
  func movesRows(_ change: TableChange) throws -> Bool {
    guard case .update(let table, let columns) = change.kind else { return false }
    refreshKnowledge()
    return try columns.contains { column in
      let key = change.schema + "." + table + "." + column
      if let movesRows = schemaKnowledge.rowMoves[key] { return movesRows }
      // SQLite reports an assignment to the rowid under that name, unless a column is the rowid.
      let movesRows =
        try column.isSameName(as: "rowid")
        || database.readSchema {
          try SQLite.isKeyColumn($0, column, table: table, schema: change.schema)
        }
      schemaKnowledge.rowMoves[key] = movesRows
      return movesRows
    }
  }

  /// Returns the tables that SQLite changes by itself with a table: that of the last rowids, and
  /// the virtual table that stores its content there.
  func connectedTables(of change: TableChange) throws -> [String] {
    refreshKnowledge()
    let (table, schema) = (change.kind.tableName, change.schema)
    let key = schema + "." + table
    var connected: [String] = []
    if let known = schemaKnowledge.connectedTables[key] {
      connected = known
    } else {
      let isNumbered = try database.readSchema { connection in
        try SQLite.numbersRows(connection, table, schema: schema)
      }
      if isNumbered { connected.append("sqlite_sequence") }
      if let owner = try database.virtualTable(storingContentIn: table, schema: schema) {
        connected.append(owner)
      }
      schemaKnowledge.connectedTables[key] = connected
    }
    return change.kind.eventKind == .insert
      ? connected : connected.filter { $0 != "sqlite_sequence" }
  }

  /// Returns the deletions with which a statement can resolve conflicts, which SQLite doesn't
  /// report.
  ///
  /// A table also counts if a table of the same name in another schema replaces rows.
  func replacements(in statement: Statement) throws -> [DatabaseEventKind] {
    let changes = statement.facts.changes.filter { $0.kind.eventKind != .delete }
    guard !changes.isEmpty else { return [] }
    refreshKnowledge()
    let replacing = try schemaKnowledge.replacing ?? findReplacing()
    schemaKnowledge.replacing = replacing
    let tables = Set(changes.map { SQLName($0.kind.tableName) })
    // The conflict resolution of a statement also applies in its triggers.
    let all =
      SQLString(statement.sql).mayReplaceRows
      || statement.facts.changes.contains {
        replacing.triggers.contains(SQLName($0.kind.tableName))
      }
    return (all ? tables : tables.intersection(replacing.tables)).map {
      .delete(tableName: $0.text)
    }
  }

  private func refreshKnowledge() {
    let generation = database.hooks.schemaGeneration
    let recompilations = database.hooks.authorizer.recompilations
    guard
      schemaKnowledge.schemaGeneration != generation
        || schemaKnowledge.recompilations != recompilations
    else { return }
    schemaKnowledge = ChangeKnowledge()
    schemaKnowledge.schemaGeneration = generation
    schemaKnowledge.recompilations = recompilations
  }

  private func findReplacing() throws -> ChangeKnowledge.Replacing {
    var result = ChangeKnowledge.Replacing()
    try database.readSchema { connection in
      for schema in try SQLite.schemaNames(connection).values {
        let master = Database.schemaTable(of: schema)
        let rows = try SQLite.rows(
          connection,
          "SELECT type, tbl_name, sql FROM \(schema.quotedDatabaseIdentifier).\(master) "
            + "WHERE type IN ('table', 'trigger') AND sql LIKE '%replace%'")
        for row in rows {
          guard let name = String.fromDatabaseValue(row[1]),
            let sql = String.fromDatabaseValue(row[2]), SQLString(sql).mayReplaceRows
          else { continue }
          if String.fromDatabaseValue(row[0]) == "table" {
            result.tables.insert(SQLName(name))
          } else {
            result.triggers.insert(SQLName(name))
          }
        }
      }
    }
    return result
  }
}

extension SQLString {
  /// Whether the SQL resolves conflicts by `OR REPLACE`, `CONFLICT REPLACE` or `REPLACE INTO`.
  var mayReplaceRows: Bool {
    var string = string
    return string.withUTF8 { utf8 in
      var previous = SQLName("")
      for token in SQLTokenizer(utf8) where token.isSignificant {
        guard token.kind == .word else {
          previous = SQLName("")
          continue
        }
        let length = token.range.count
        // The other words don't matter, and most have another length.
        guard length == 2 || length == 4 || length == 7 || length == 8 else {
          previous = SQLName("")
          continue
        }
        let word = unsafe SQLName(String(decoding: utf8[token.range], as: UTF8.self))
        let replaces =
          word == SQLString.replace && (previous == SQLString.or || previous == SQLString.conflict)
        if replaces || word == SQLString.into && previous == SQLString.replace { return true }
        previous = word
      }
      return false
    }
  }

  private static let replace = SQLName("REPLACE")
  private static let or = SQLName("OR")
  private static let conflict = SQLName("CONFLICT")
  private static let into = SQLName("INTO")
}
