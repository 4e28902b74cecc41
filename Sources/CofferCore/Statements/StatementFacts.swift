/// The facts that SQLite's compiler reports about a statement.
package struct StatementFacts: Sendable {
  /// The tables and columns that the statement reads.
  package var region = DatabaseRegion()

  /// Whether the statement can read tables that are missing in `region`: SQLite before 3.20 doesn't
  /// report a table of which no column is used.
  var mayReadMore = false

  /// The changes that the statement can make, including those by triggers and foreign keys.
  package var changes: [TableChange] = []

  /// The table that the statement drops; the deletion of its rows is not reported.
  var droppedTable: String?

  /// The table that the statement drops or alters, so that cached knowledge of it becomes outdated.
  var restructuredTable: String?

  /// Whether the statement can change the schema.
  var invalidatesSchemaCache = false

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

  // MARK: Authorizer requests

  func select() { hasSelect = true }

  func read(table: String, column: String, schema: String?) {
    let table = Table(schema: schema.map { SQLName($0) }, name: SQLName(table))
    guard table.name != FactsRecorder.arrayModule else { return }
    if column.isEmpty {
      wholeTables.insert(table)
    } else {
      reads[table, default: []].insert(SQLName(column))
    }
  }

  func change(_ kind: DatabaseEventKind, schema: String) {
    guard kind.tableName != facts.droppedTable, !SQLName(kind.tableName).isInternal else {
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

  func changeSchema() {
    facts.invalidatesSchemaCache = true
    facts.isWorthCaching = false
  }

  func transaction(_ effect: TransactionEffect) {
    facts.transactionEffect = effect
    facts.isWorthCaching = false
  }

  func isRarelyUsed() { facts.isWorthCaching = false }

  func pragma(_ name: String, isQuestion: Bool) {
    facts.isWorthCaching = false
    facts.asksJournalMode = isQuestion && SQLName(name) == SQLName("journal_mode")
  }

  // MARK: The result

  private static let arrayModule = SQLName("coffer_array")

  /// - Parameter find: Returns the schema of the table that a name stands for; nil for views,
  ///   common table expressions and table-valued functions.
  func finish(
    reportsAllTables: Bool, find: (_ table: String, _ schema: String?) throws -> String?
  ) rethrows -> StatementFacts {
    for (table, columns) in reads {
      guard let schema = try find(table.name.text, table.schema?.text) else { continue }
      facts.region.insert(table.name, schema: SQLName(schema), columns: columns)
    }
    // Where columns are read as well, only they matter for updates: inserts and deletes affect a
    // region whatever its columns.
    for table in wholeTables {
      guard let schema = try find(table.name.text, table.schema?.text),
        !facts.region.reads(table: table.name.text, schema: schema)
      else { continue }
      facts.region.insert(table.name, schema: SQLName(schema), columns: nil)
    }
    facts.mayReadMore = hasSelect && !reportsAllTables
    return facts
  }
}
