import CofferCore

/// The synchronization of a full-text table with its content table, by triggers.
///
/// SQLite deletes rows that give way to a `REPLACE` without triggers, unless triggers are
/// recursive. These are removed from the index before the change, and noted in a table. No
/// expression tells a trigger whether the statement replaces rows. But statements of a trigger
/// inherit the statement's `OR REPLACE`: only with it, a NULL in the table's second column gives
/// way to the default value, and the row is noted. With `OR IGNORE` or no policy, `OR IGNORE` skips
/// the row; with another policy the statement fails, as it does later because of the same conflict.
struct FullTextSynchronization {
  enum Engine: String { case fts4, fts5 }

  let engine: Engine
  var tableName: String
  let contentTable: String
  let columns: [String]
  /// The column of the content table that is its rowid.
  let rowID: String

  /// Creates the triggers and indexes the content.
  ///
  /// - Parameter keepingExisting: Whether triggers that exist are kept, unless they are of an
  ///   earlier version.
  func start(_ db: Database, keepingExisting: Bool = false) throws {
    let isEarlier = try !db.triggerExists("__\(tableName)_bi")
    if keepingExisting, isEarlier { try db.dropSynchronization(of: tableName) }
    try createTriggers(db, ifNotExists: keepingExisting)
    try db.rebuildFullTextTable(tableName)
  }

  func createTriggers(_ db: Database, ifNotExists: Bool = false) throws {
    let isTemporary = try db.schemaCache.object(named: tableName)?.id.schemaID == .temp
    try db.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS \(isTemporary ? "temp." : "")\(noted) \
        (id INTEGER PRIMARY KEY, isReplaced NOT NULL DEFAULT 1, isRemoved NOT NULL DEFAULT 0)
        """)
    guard let content = try db.schemaCache.object(named: contentTable) else {
      throw DatabaseError.noSuchTable(contentTable)
    }
    let conflicts = try RowConflict.all(of: content, rowID: rowID, in: db)
    for (suffix, event, statements) in triggers(conflicts) {
      let name = "__\(tableName)_\(suffix)".quotedDatabaseIdentifier
      try db.execute(
        sql: """
          CREATE TRIGGER \(ifNotExists ? "IF NOT EXISTS " : "")\(name) \(event) \
          ON \(contentTable.quotedDatabaseIdentifier) BEGIN
              \(statements.map { $0 + ";" }.joined(separator: "\n    "))
          END
          """)
    }
  }

  /// The table of the rows that give way to the change in progress.
  private var noted: String { Database.conflictsTable(of: tableName).quotedDatabaseIdentifier }

  private var isNoted: String { "IN (SELECT id FROM \(noted))" }

  // MARK: Triggers

  /// Returns the triggers' suffixes, events and statements.
  private func triggers(_ conflicts: [RowConflict]) -> [(String, String, [String])] {
    let removingNoted = [removingNoted, "UPDATE \(noted) SET isRemoved = 1 WHERE NOT isRemoved"]
    let inserting = conflicts.map { note($0) } + removingNoted
    let updating = conflicts.map { note($0, besides: true) } + removingNoted
    let inserted = [readdingKept, forgettingNoted, insertion]
    return switch engine {
    case .fts4:
      // FTS4 reads the old content to remove it from the index, so the deletions come before the
      // change.
      [
        ("bi", "BEFORE INSERT", inserting),
        ("bu", "BEFORE UPDATE", updating + ["\(removal) AND \(changes(conflicts))"]),
        ("bd", "BEFORE DELETE", [removal]),
        ("au", "AFTER UPDATE", inserted),
        ("ai", "AFTER INSERT", inserted),
      ]
    case .fts5:
      // FTS5 needs the old content to remove it from the index.
      [
        ("bi", "BEFORE INSERT", inserting),
        ("bu", "BEFORE UPDATE", updating),
        ("ai", "AFTER INSERT", inserted),
        ("ad", "AFTER DELETE", [removal]),
        ("au", "AFTER UPDATE", [removal] + inserted),
      ]
    }
  }

  /// Notes the rows with the new row's key, if they give way.
  ///
  /// - Parameter besides: Whether the updated row itself is left out.
  private func note(_ conflict: RowConflict, besides: Bool = false) -> String {
    "INSERT OR \(conflict.replaces ? "REPLACE" : "IGNORE") INTO \(noted) (id, isReplaced) "
      + "SELECT \(id), NULL FROM \(content) WHERE \(conflict.condition) AND \(id) NOT \(isNoted)"
      + (besides ? " AND \(id) <> old.\(id)" : "")
  }

  /// Removes the rows from the index that were just noted.
  ///
  /// An upsert can update a row that the insertion has noted.
  private var removingNoted: String {
    let isNew = "IN (SELECT id FROM \(noted) WHERE NOT isRemoved)"
    return switch engine {
    case .fts4: "DELETE FROM \(table) WHERE docid \(isNew)"
    case .fts5:
      "INSERT INTO \(table)(\(table), \(indexColumns)) "
        + "SELECT 'delete', \(values()) FROM \(content) WHERE \(id) \(isNew)"
    }
  }

  /// Removes the old row from the index, unless it was removed because it gives way.
  private var removal: String {
    switch engine {
    case .fts4: "DELETE FROM \(table) WHERE docid = old.\(id) AND docid NOT \(isNoted)"
    case .fts5:
      "INSERT INTO \(table)(\(table), \(indexColumns)) "
        + "SELECT 'delete', \(values(of: "old")) WHERE old.\(id) NOT \(isNoted)"
    }
  }

  /// Whether no other row prevents the update, so that `OR IGNORE` has an effect.
  private func changes(_ conflicts: [RowConflict]) -> String {
    let keys = conflicts.map { "(\($0.condition))" }.joined(separator: " OR ")
    return "NOT EXISTS (SELECT 1 FROM \(content) "
      + "WHERE (\(keys)) AND \(id) <> old.\(id) AND \(id) NOT \(isNoted))"
  }

  /// Adds noted rows that were not replaced after all.
  private var readdingKept: String {
    "INSERT INTO \(table)(\(indexColumns)) SELECT \(values()) FROM \(content) "
      + "WHERE \(id) \(isNoted) AND \(id) <> new.\(id)"
  }

  /// The condition keeps SQLite from writing the page of a table that is empty anyway.
  private var forgettingNoted: String { "DELETE FROM \(noted) WHERE id IS NOT NULL" }

  private var insertion: String {
    "INSERT INTO \(table)(\(indexColumns)) VALUES (\(values(of: "new")))"
  }

  // MARK: Names

  private var table: String { tableName.quotedDatabaseIdentifier }

  private var content: String { contentTable.quotedDatabaseIdentifier }

  private var id: String { rowID.quotedDatabaseIdentifier }

  private var indexColumns: String {
    ([engine == .fts4 ? "docid" : "rowid"] + columns).quotedList
  }

  /// `row."id", row."title", …`, for `new` or `old`; nil for the content table's row.
  private func values(of row: String? = nil) -> String {
    ([rowID] + columns).map { (row.map { "\($0)." } ?? "") + $0.quotedDatabaseIdentifier }
      .joined(separator: ", ")
  }
}

extension Database {
  /// The table in which triggers note rows that give way to others.
  package static func conflictsTable(of tableName: String) -> String { "__\(tableName)_conflicts" }

  /// The names of the triggers of synchronized tables, of all versions.
  package static func synchronizationTriggers(of tableName: String) -> [String] {
    ["bi", "ai", "bu", "au", "bd", "ad"].map { "__\(tableName)_\($0)" }
  }

  /// Whether SQL creates a trigger of a synchronized table.
  package static func isSynchronizationTrigger(_ sql: String) -> Bool {
    sql.hasPrefix("CREATE TRIGGER \"__") && sql.contains("_conflicts\" (id, isReplaced) SELECT ")
  }

  /// Drops the triggers, and the table they need.
  func dropSynchronization(of tableName: String) throws {
    for name in Database.synchronizationTriggers(of: tableName) {
      try execute(sql: "DROP TRIGGER IF EXISTS \(name.quotedDatabaseIdentifier)")
    }
    let table = Database.conflictsTable(of: tableName)
    try execute(sql: "DROP TABLE IF EXISTS \(table.quotedDatabaseIdentifier)")
  }
}
