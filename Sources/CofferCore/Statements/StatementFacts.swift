/// What SQLite's compiler tells of a statement.
package struct StatementFacts: Sendable {
  /// The tables and columns that are read.
  package var region = DatabaseRegion()

  /// Whether the statement may read tables that `region` lacks: a SQLite before
  /// 3.20 doesn't tell of a table of which no column is used.
  package var mayReadMore = false

  /// The changes that the statement may make, those of triggers and foreign
  /// keys included.
  package var changes: [TableChange] = []

  /// The table that is dropped; its rows are no change that is told of.
  package var droppedTable: String?

  /// The table that is dropped or altered: what is known of it is outdated afterwards.
  package var restructuredTable: String?

  /// Whether the schema may be another one afterwards.
  package var invalidatesSchemaCache = false

  package var transactionEffect: TransactionEffect?

  /// Whether it only asks for the journal mode: SQLite counts that as a write.
  package var asksJournalMode = false

  /// Whether the statement is worth being kept prepared.
  package var isWorthCaching = true

  package init() {}

  /// Whether something is to be done when the statement has been executed.
  var hasAftermath: Bool { invalidatesSchemaCache || transactionEffect != nil }
}

/// A kind of change to a table.
package struct TableChange: Sendable {
  /// `main`, `temp`, or the name of an attached database.
  package var schema: String
  package var kind: DatabaseEventKind

  /// Whether an event is a change of this kind.
  func announces(_ event: DatabaseEvent) -> Bool {
    kind.eventKind == event.kind && kind.tableName == event.tableName
      && schema == event.databaseName
  }
}

/// What a statement does to the transaction.
package enum TransactionEffect: Sendable, Hashable {
  case begin, commit, rollback
  case beginSavepoint(String)
  case releaseSavepoint(String)
  case rollbackToSavepoint(String)
}

/// Gathers the facts while one statement is compiled.
final class FactsRecorder {
  private struct Table: Hashable {
    var schema: SQLName?
    var name: SQLName
  }

  private var facts = StatementFacts()
  /// The columns that are read; none for a table as a whole.
  private var reads: [Table: Set<SQLName>] = [:]
  private var wholeTables: Set<Table> = []
  private var hasSelect = false

  // MARK: What the compiler asks

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

  /// A table is dropped with its rows; the actions of foreign keys are changes.
  func drop(table: String) {
    facts.droppedTable = table
    alter(table: table)
  }

  /// A table gets other columns, or another name.
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

  /// - Parameter find: The schema of the table that a name stands for; nil for
  ///   views, common table expressions and table-valued functions.
  func finish(
    reportsAllTables: Bool, find: (_ table: String, _ schema: String?) -> String?
  ) -> StatementFacts {
    for (table, columns) in reads {
      guard let schema = find(table.name.text, table.schema?.text) else { continue }
      facts.region.insert(table.name, schema: SQLName(schema), columns: columns)
    }
    // Where columns are read as well, they are all that an update can touch:
    // inserts and deletes have an effect on a region whatever its columns.
    for table in wholeTables {
      guard let schema = find(table.name.text, table.schema?.text),
        !facts.region.reads(table: table.name.text, schema: schema)
      else { continue }
      facts.region.insert(table.name, schema: SQLName(schema), columns: nil)
    }
    facts.mayReadMore = hasSelect && !reportsAllTables
    return facts
  }
}
