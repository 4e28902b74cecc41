import CofferCore
import CofferQuery

/// The full-text table of a collection: FTS5 where SQLite has it, else FTS4.
///
/// It indexes the text of the collection's table and stores no copy. Triggers update it at every
/// insertion, update and deletion.
struct FullTextIndex: Sendable {
  /// The column that preserves rowids, which identify documents in the index. Without it, `VACUUM`
  /// can renumber them.
  static let rowIDColumn = "coffer_rowid"

  let contentTable: String
  let columns: [String]

  var tableName: String { "\(contentTable)-fulltext" }

  static var isFTS5: Bool { SQLiteFeatures.linked.hasFTS5 }

  // MARK: Patterns

  /// Returns the pattern that finds a text's words; nil if it has none.
  static func pattern(_ text: String, _ match: TextMatch) -> String? {
    let text = words(of: text)
    guard isFTS5 else {
      let pattern =
        switch match {
        case .allWords: FTS3Pattern(matchingAllTokensIn: text)
        case .anyWord: FTS3Pattern(matchingAnyTokenIn: text)
        case .prefixes: FTS3Pattern(matchingAllPrefixesIn: text)
        case .phrase: FTS3Pattern(matchingPhrase: text)
        }
      return pattern?.rawPattern
    }
    let pattern =
      switch match {
      case .allWords: FTS5Pattern(matchingAllTokensIn: text)
      case .anyWord: FTS5Pattern(matchingAnyTokenIn: text)
      case .prefixes: FTS5Pattern(matchingAllPrefixesIn: text)
      case .phrase: FTS5Pattern(matchingPhrase: text)
      }
    return pattern?.rawPattern
  }

  /// Returns the text without characters that tokenizers skip: a pattern can't have empty words,
  /// which a dash, for example, would become.
  private static func words(of text: String) -> String {
    var words = String.UnicodeScalarView()
    var isInWord = false
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
        .decimalNumber, .letterNumber, .otherNumber, .privateUse:
        isInWord = true
      // Diacritics don't end a word.
      case .nonspacingMark: break
      default: isInWord = false
      }
      words.append(isInWord ? scalar : " ")
    }
    return String(words)
  }

  /// `SELECT rowid FROM … WHERE … MATCH ?`, of all columns or of one.
  func search(_ pattern: String, in column: String?, selecting columns: String) -> SQL {
    """
    SELECT \(sql: columns) FROM \(identifier: tableName) \
    WHERE \(identifier: column ?? tableName) MATCH \(pattern)
    """
  }

  // MARK: The table

  /// Whether the table exists with these columns and was created by this SQLite's engine.
  func isCurrent(_ db: Database) throws -> Bool {
    guard let sql = try definition(db), FullTextIndex.isFTS5 == sql.contains("USING fts5("),
      try db.columns(in: tableName, in: "main").map(\.name) == columns
    else { return false }
    let triggers =
      try Int.fetchOne(
        db,
        sql: """
          SELECT count(*) FROM main.sqlite_master
          WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE AND name IN (?)
          """, arguments: [contentTable, triggerNames]) ?? 0
    return triggers == triggerNames.count
  }

  private func definition(_ db: Database) throws -> String? {
    try db.tableExists(tableName, in: "main") ? TableText(tableName, db).sql : nil
  }

  /// Collections delete the documents that they replace, so the triggers for `REPLACE` may be
  /// missing, as they are in older files.
  private var triggerNames: [String] {
    (FullTextIndex.isFTS5 ? ["ai", "ad", "au"] : ["ai", "au", "bd", "bu"])
      .map { "__\(tableName)_\($0)" }
  }

  /// Creates the table and its triggers, and indexes the existing documents.
  func make(_ db: Database) throws {
    if FullTextIndex.isFTS5 {
      try db.create(virtualTable: tableName, using: FTS5()) { table in
        table.tokenizer = .unicode61()
        table.synchronize(withTable: contentTable)
        for column in columns { table.column(column) }
      }
    } else {
      try db.create(virtualTable: tableName, using: FTS4()) { table in
        table.tokenizer = .unicode61()
        table.synchronize(withTable: contentTable)
        for column in columns { table.column(column) }
      }
    }
  }

  /// Drops the table and its triggers, if they exist.
  ///
  /// - Throws: ``DocumentError`` if the table's engine is missing in this SQLite.
  func drop(_ db: Database) throws {
    guard try FullTextIndex.isFTS5 || definition(db)?.contains("USING fts5(") != true else {
      throw DocumentError(
        "the full text of \(contentTable) was created by FTS5, which this SQLCipher lacks",
        hint: "Open the file with a libsqlcipher 4 that has FTS5.")
    }
    for name in Database.synchronizationTriggers(of: tableName) {
      try db.execute(sql: "DROP TRIGGER IF EXISTS main.\(name.quotedDatabaseIdentifier)")
    }
    for name in [tableName, Database.conflictsTable(of: tableName)] {
      try db.execute(sql: "DROP TABLE IF EXISTS main.\(name.quotedDatabaseIdentifier)")
    }
  }
}
