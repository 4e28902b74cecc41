import CofferCore
import CofferQuery

/// The statement that finds records of a type by their primary key.
@usableFromInline
final class LookupPlan<Record: FetchableRecord & TableRecord> {
  private let lookup: PreparedLookup
  private let tableName: String
  private let selection: [any SQLSelectable]
  /// The primary key, if the record type's strategies can store another value for it.
  private let keyColumn: String?
  /// The table for which the plan was made.
  private let table: SchemaTable?

  private init(_ db: Database, like key: DatabaseValue) throws {
    tableName = Record.databaseTableName
    selection = Record.databaseSelection
    table = try db.schemaCache.object(named: tableName)
    let hasForms = Record.self is any EncodableRecord.Type
    keyColumn = hasForms ? try db.keyColumn(ofTable: tableName) : nil
    let request = try Record.all().filter(key: key).makePreparedRequest(db, forSingleResult: true)
    defer { request.statement.clearBindings() }
    let isPlain =
      selection.isSelection(Record.databaseSelection) && request.adapter == nil
      && request.supplementaryFetch == nil && request.statement.parameterCount == 1
      && request.statement.isReadonly
    lookup = try PreparedLookup(db, sql: isPlain ? request.statement.sql : nil)
  }

  /// Returns a key as the record type stores it.
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

  /// Looks up a key, which is not NULL.
  ///
  /// A request is needed if an enclosing record of the type is using the statement, if regions are
  /// being recorded, since requests limit them to a row, or if changes of the selection can't be
  /// detected.
  @usableFromInline
  static func lookUp(_ db: Database, key: DatabaseValue) throws -> PreparedLookup.Result {
    guard !db.isRecordingRegion else { return .needsRequest }
    return try current(db, like: key).lookup.lookUp(db, key, for: self)
  }

  private func isCurrent(_ db: Database) throws -> Bool {
    guard let statement = lookup.statement else { return true }
    guard Record.databaseTableName == tableName, selection.isSelection(Record.databaseSelection)
    else { return false }
    return try statement.reportsRecompilations
      || db.schemaCache.object(named: tableName) === table
  }
}
