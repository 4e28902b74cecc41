import CofferVault

/// The facts that SQLite's compiler reports about a statement.
package struct StatementFacts: Sendable {
  /// The tables and columns that the statement reads.
  package var region = DatabaseRegion()

  /// Whether the statement can read tables that are missing in `region`: SQLite before 3.20 doesn't
  /// report a table of which no column is used.
  var mayReadMore = false

  /// Whether the statement reads the elements of array arguments.
  var readsArrays = false

  /// Whether `region` contains what its tables, views and functions depend on.
  var hasCompleteRegion = false

  /// The names that the statement reads and that are no tables: of views, of table-valued
  /// functions, and of common table expressions.
  var otherSources: [OtherSource] = []

  struct OtherSource: Sendable {
    var name: String
    /// The schema; nil if SQLite reports none, as for common table expressions.
    var schema: String?
  }

  /// The pragma that the statement is, in lower case.
  var pragma: String?

  /// The changes that the statement can make, including those by triggers and foreign keys.
  package var changes: [TableChange] = []

  /// The tables that the statement changes, and of which only the library's own observers are told:
  /// SQLite's internal ones, and the table-valued functions of pragmas.
  var quietChanges: Set<SQLName> = []

  /// The table that the statement drops; the deletion of its rows is not reported.
  var droppedTable: String?

  /// The table or view that the statement creates, drops or alters, so that its name can stand for
  /// something else.
  var restructuredTable: String?

  /// Whether the statement can change the schema.
  var invalidatesSchemaCache = false

  /// Whether the statement attaches a file.
  var attachesFile = false

  var transactionEffect: TransactionEffect?

  /// Whether the statement only reads the journal mode, which SQLite counts as a write.
  var asksJournalMode = false

  /// Whether the statement is worth caching.
  var isWorthCaching = true

  package init() {}

  /// Whether the execution of the statement requires follow-up work.
  var hasAftermath: Bool { invalidatesSchemaCache || transactionEffect != nil }
}

/// A kind of change to a table.
package struct TableChange: Sendable, Equatable {
  /// `main`, `temp`, or the name of an attached database.
  package var schema: String
  package var kind: DatabaseEventKind

  /// Returns whether an event is a change of this kind.
  func announces(_ event: DatabaseEvent) -> Bool {
    kind.eventKind == event.kind && kind.tableName == event.tableName
      && schema == event.databaseName
  }
}

/// The effect of a statement on the transaction.
enum TransactionEffect: Sendable, Hashable {
  case begin, commit, rollback
  case beginSavepoint(String)
  case releaseSavepoint(String)
  case rollbackToSavepoint(String)
}

/// Collects the facts while one statement is compiled.
final class FactsRecorder {
  private struct Table: Hashable {
    var schema: SQLName?
    var name: SQLName
  }

  private var facts = StatementFacts()
  /// The columns that are read; empty for a table as a whole.
  private var reads: [Table: Set<SQLName>] = [:]
  private var wholeTables: Set<Table> = []
  private var hasSelect = false
  private var created: Table?

  // MARK: Authorizer requests

  func select() { hasSelect = true }

  func read(table: String, column: String, schema: String?) {
    let table = Table(schema: schema.map { SQLName($0) }, name: SQLName(table))
    guard table.name != FactsRecorder.arrayModule else {
      facts.readsArrays = true
      return
    }
    if column.isEmpty {
      wholeTables.insert(table)
    } else {
      reads[table, default: []].insert(SQLName(column))
    }
  }

  func change(_ kind: DatabaseEventKind, schema: String) {
    guard kind.tableName != facts.droppedTable else { return }
    let name = SQLName(kind.tableName)
    guard !name.isInternal else {
      facts.quietChanges.insert(name)
      return
    }
    if case .update(let table, let columns) = kind {
      for index in facts.changes.indices where facts.changes[index].schema == schema {
        guard case .update(table, let others) = facts.changes[index].kind else { continue }
        facts.changes[index].kind = .update(tableName: table, columnNames: others.union(columns))
        return
      }
    } else if facts.changes.contains(where: { $0.schema == schema && $0.kind.isSame(as: kind) }) {
      return
    }
    facts.changes.append(TableChange(schema: schema, kind: kind))
  }

  /// Records a table that is dropped with its rows; actions of foreign keys count as changes.
  func drop(table: String) {
    facts.droppedTable = table
    alter(table: table)
  }

  /// Records a table that gets other columns or another name.
  func alter(table: String) {
    facts.restructuredTable = table
    changeSchema()
  }

  /// Records a table or a view that is created, and that can hide another one.
  func create(_ name: String, schema: String) {
    created = Table(schema: SQLName(schema), name: SQLName(name))
    changeSchema()
  }

  func attach() {
    facts.attachesFile = true
    changeSchema()
  }

  func changeSchema() {
    facts.invalidatesSchemaCache = true
    facts.isWorthCaching = false
    facts.quietChanges.formUnion(FactsRecorder.schemaTables)
  }

  func analyze() {
    facts.isWorthCaching = false
    facts.quietChanges.formUnion(FactsRecorder.statistics)
  }

  func transaction(_ effect: TransactionEffect) {
    facts.transactionEffect = effect
    facts.isWorthCaching = false
  }

  func isRarelyUsed() { facts.isWorthCaching = false }

  func pragma(_ name: String, isQuestion: Bool) {
    let name = SQLName(name)
    facts.isWorthCaching = false
    facts.asksJournalMode = isQuestion && name == SQLName("journal_mode")
    facts.pragma = name.folded
    if !isQuestion, name == SQLName("schema_version") { changeSchema() }
    if !isQuestion, PragmaReading.isStoredValue(name.folded) {
      facts.quietChanges.insert(SQLName(PragmaReading.functionPrefix + name.folded))
    }
  }

  // MARK: The result

  private static let arrayModule = SQLName("coffer_array")
  private static let schemaTables = [SQLName("sqlite_master"), SQLName("sqlite_temp_master")]
  private static let statistics = [
    SQLName("sqlite_stat1"), SQLName("sqlite_stat3"), SQLName("sqlite_stat4"),
  ]

  /// - Parameter find: Returns the schema of the table that a name stands for; nil for views,
  ///   common table expressions and table-valued functions.
  func finish(
    reportsAllTables: Bool, find: (_ table: String, _ schema: String?) throws -> String?
  ) rethrows -> StatementFacts {
    func note(_ table: Table, columns: Set<SQLName>?) throws {
      let schema = table.schema?.text
      guard let found = try find(table.name.text, schema) else {
        facts.otherSources.append(
          StatementFacts.OtherSource(name: table.name.text, schema: schema))
        return
      }
      // Where columns are read as well, only they matter for updates: inserts and deletes affect a
      // region whatever its columns.
      guard columns != nil || !facts.region.reads(table: table.name.text, schema: found) else {
        return
      }
      facts.region.insert(table.name, schema: SQLName(found), columns: columns)
    }
    for (table, columns) in reads { try note(table, columns: columns) }
    for table in wholeTables { try note(table, columns: nil) }
    // `IF NOT EXISTS` creates nothing where there is one.
    if let created, try find(created.name.text, created.schema?.text) == nil {
      facts.restructuredTable = created.name.text
    }
    facts.mayReadMore = hasSelect && !reportsAllTables
    facts.hasCompleteRegion =
      facts.region.isEmpty && facts.otherSources.isEmpty && facts.pragma == nil
      && !facts.mayReadMore
    return facts
  }
}
