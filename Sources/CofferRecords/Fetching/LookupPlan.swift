import CofferCore
import CofferQuery

/// The statement that finds records of a type by their primary key.
@usableFromInline
final class LookupPlan<Record: FetchableRecord & TableRecord> {
  /// Nil if records always have to be found by a request.
  private let lookup: PreparedLookup?
  /// Whether the statement tells when SQLite has compiled it again.
  private let reportsRecompilations: Bool
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
    lookup = isPlain ? try PreparedLookup(db, sql: request.statement.sql) : nil
    reportsRecompilations = request.statement.reportsRecompilations
  }

  /// Returns a key as the record type stores it.
  @usableFromInline
  static func storedKey(
    _ db: Database, _ key: _FormedValue, like value: DatabaseValue
  ) throws -> DatabaseValue {
    guard let column = try current(db, like: value).keyColumn else { return value }
    return Record._storedValue(key, inColumn: column)
  }

  @inline(__always)
  private static func current(_ db: Database, like key: DatabaseValue) throws -> LookupPlan {
    let plan = try db.plan(self) { try LookupPlan(db, like: key) }
    if try plan.isCurrent(db) { return plan }
    db.forgetPlan(self)
    return try db.plan(self) { try LookupPlan(db, like: key) }
  }

  /// Returns what looks up keys; nil if a request is needed.
  ///
  /// It is if regions are being recorded, since requests limit them to a row, or if changes of the
  /// selection can't be detected.
  @usableFromInline
  static func lookup(_ db: Database, like key: DatabaseValue) throws -> PreparedLookup? {
    guard !db.isRecordingRegion else { return nil }
    return try current(db, like: key).lookup
  }

  private func isCurrent(_ db: Database) throws -> Bool {
    if lookup == nil { return true }
    guard Record.databaseTableName == tableName, selection.isSelection(Record.databaseSelection)
    else { return false }
    return try reportsRecompilations
      || db.schemaCache.object(named: tableName) === table
  }
}
