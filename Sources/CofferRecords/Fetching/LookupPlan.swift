import CofferCore
import CofferQuery

/// The statement that finds a record by its primary key, ready to be executed, of one record
/// type and one connection.
///
/// Schema changes of the connection itself drop the plan. Those of others show when SQLite has
/// compiled the statement anew at its first step; then a new plan is made.
@usableFromInline
final class LookupPlan<Record: FetchableRecord & TableRecord> {
  /// What a look-up has found.
  @usableFromInline
  enum Result {
    /// The row, which is the statement's until ``Statement/endLookup()``.
    case found(Row, Statement)
    case none
    /// Nothing: the record has to be found by a request.
    case needsRequest
  }

  /// Nil where each fetch has to be a request of its own.
  private let statement: Statement?
  /// The row that the statement shows.
  private let row: Row?
  private let tableName: String
  private let selection: [any SQLSelectable]
  /// The primary key, where the record type may store it in another form than its value has.
  private let keyColumn: String?
  /// The table as it was found.
  private let table: SchemaTable?

  private init(_ db: Database, like key: DatabaseValue) throws {
    tableName = Record.databaseTableName
    selection = Record.databaseSelection
    table = try db.schemaCache.object(named: tableName)
    let hasForms = Record.self is any EncodableRecord.Type
    keyColumn = hasForms ? try db.keyColumn(ofTable: tableName) : nil
    let request = try Record.all().filter(key: key).makePreparedRequest(db, forSingleResult: true)
    defer { request.statement.clearBindings() }
    guard selection.isSelection(Record.databaseSelection), request.adapter == nil,
      request.supplementaryFetch == nil, request.statement.parameterCount == 1,
      request.statement.isReadonly
    else {
      (statement, row) = (nil, nil)
      return
    }
    let statement = try db.makeStatement(sql: request.statement.sql)
    (self.statement, row) = (statement, Row(statement: statement))
  }

  /// A key in the form that the record type stores it.
  @usableFromInline
  static func storedKey(
    _ db: Database, _ key: _FormedValue, like value: DatabaseValue
  ) throws -> DatabaseValue {
    guard let column = try current(db, like: value).keyColumn else { return value }
    return Record._storedValue(key, inColumn: column)
  }

  private static func current(_ db: Database, like key: DatabaseValue) throws -> LookupPlan {
    let plan = try db.plan(self) { try LookupPlan(db, like: key) }
    if try plan.isCurrent(db) { return plan }
    db.forgetPlan(self)
    return try db.plan(self) { try LookupPlan(db, like: key) }
  }

  /// Looks a key up, which is not NULL.
  ///
  /// It takes a request where the statement is in use, since a record of the type is being made,
  /// where a region is recorded, which requests know better, and where the selection is one whose
  /// changes can't be noticed.
  @usableFromInline
  static func lookUp(_ db: Database, key: DatabaseValue) throws -> Result {
    guard !db.isRecordingRegion else { return .needsRequest }
    let plan = try current(db, like: key)
    guard let statement = plan.statement, let row = plan.row, !statement.isActive,
      // Without either, nobody would tell of another connection's change.
      statement.reprepareCount >= 0 || db.openTransaction != nil
    else { return .needsRequest }
    switch try statement.lookUp(key) {
    case .row: return .found(row, statement)
    case .none: return .none
    case .recompiled:
      db.forgetPlan(self)
      return .needsRequest
    }
  }

  /// Whether the type's table and selection are those that the plan was made for, and the schema
  /// too, where SQLite doesn't tell of that.
  private func isCurrent(_ db: Database) throws -> Bool {
    guard let statement else { return true }
    guard Record.databaseTableName == tableName, selection.isSelection(Record.databaseSelection)
    else { return false }
    return try statement.reprepareCount >= 0
      || db.schemaCache.object(named: tableName) === table
  }
}

/// A plan is its connection's.
@available(*, unavailable)
extension LookupPlan: Sendable {}
