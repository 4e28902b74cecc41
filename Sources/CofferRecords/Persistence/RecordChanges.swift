import CofferCore
import CofferQuery

// Executes the statements that change a record's row, without callbacks: with a plan, or with
// values that are collected first.

extension MutablePersistableRecord {
  // MARK: Plans

  /// Executes a plan's statement with the values that the record encodes.
  ///
  /// It must follow ``Database/beginRecord(_:_:)``.
  ///
  /// - Returns: Whether it was executed. It isn't if the record deviates from the plan.
  @inlinable @inline(__always)
  @safe func execute(
    _ target: UnsafeMutablePointer<BindingTarget>, _ kind: RecordPlan.Kind, _ db: Database
  ) throws -> Bool {
    do {
      let isBound = try kind == .insert && bindColumns(target)
      if !isBound {
        var container = PersistenceContainer(binding: target)
        try encode(to: &container)
      }
    } catch {
      db.cancelRecord(target)
      throw error
    }
    do {
      return try db.executeRecord(target)
    } catch let error as DatabaseError {
      throw kind == .insert ? describe(error, db) : error
    }
  }

  /// Executes the statement of the plan with this key.
  ///
  /// - Returns: The plan's target; nil if there is no usable plan, or if the record deviates.
  @inlinable @inline(__always)
  @safe func executePlan(
    _ key: RecordPlan.Key, _ db: Database
  ) throws -> UnsafeMutablePointer<BindingTarget>? {
    guard let target = try db.beginRecord(key, type(of: self).databaseTableName),
      try execute(target, key.kind, db)
    else { return nil }
    return unsafe target
  }

  /// Binds the columns by ``EncodableRecord/_bindColumns(to:)``; returns false if the type doesn't.
  @inlinable @inline(__always)
  @safe func bindColumns(_ target: UnsafeMutablePointer<BindingTarget>) throws -> Bool {
    guard let handle = unsafe target.pointee.handle else { return false }
    var binder = StatementBinder(handle, unsafe target.pointee.layout)
    guard try _bindColumns(to: &binder) else { return false }
    unsafe target.pointee.code = binder.code
    unsafe target.pointee.next =
      unsafe target.pointee.slots + min(Int(binder.count), target.pointee.count + 1)
    return true
  }

  /// Returns the error with the statement's values.
  @usableFromInline
  func describe(_ error: DatabaseError, _ db: Database) -> DatabaseError {
    // A value that couldn't be bound can't be shown either.
    guard error.resultCode != .SQLITE_MISMATCH,
      let container = try? PersistenceContainer(self)
    else { return error }
    return error.withArguments(
      container.arguments, areShown: db.configuration.publicStatementArguments)
  }

  // MARK: Insertion

  @inlinable @inline(__always)
  func insertRow(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution?
  ) throws -> InsertionSuccess {
    let type = type(of: self)
    let conflict =
      conflictResolution ?? type.persistenceConflictPolicy.conflictResolutionForInsert
    let key = RecordPlan.Key(type, .insert, conflict)
    if let target = try executePlan(key, db) {
      return InsertionSuccess(
        rowID: db.lastInsertedRowID, stored: StoredRecord.make(self, boundBy: target),
        isIgnored: conflict == .ignore && db.changesCount == 0)
    }
    return try insertCollectedRow(db, key)
  }

  /// Inserts the row of a record whose type has no callbacks.
  ///
  /// - Parameter conflict: What happens if a constraint fails.
  @inlinable @inline(__always)
  package func insertWithoutCallbacks(
    _ db: Database, onConflict conflict: Database.ConflictResolution = .abort
  ) throws {
    let key = RecordPlan.Key(type(of: self), .insert, conflict)
    if try unsafe executePlan(key, db) == nil { _ = try insertCollectedRow(db, key) }
  }

  @usableFromInline
  func insertCollectedRow(_ db: Database, _ key: RecordPlan.Key) throws -> InsertionSuccess {
    let isFirst = !db.recordPlans.hasPlan(key)
    let stored = try executeCollected(db, key, isInsertion: true) { $0.insertSQL($1, key.conflict) }
    return InsertionSuccess(
      rowID: db.lastInsertedRowID, stored: stored,
      isIgnored: key.conflict == .ignore && db.changesCount == 0, isFirst: isFirst)
  }

  // MARK: Other statements

  /// Executes a statement that binds each encoded column once, without callbacks.
  ///
  /// - Parameters:
  ///   - kind: With `conflict`, identifies the statement among those for the type.
  ///   - sql: Returns the statement for the columns, with their values as the parameters `?1`,
  ///     `?2`, …; always the same for a type.
  @inlinable @inline(__always)
  package func execute(
    _ db: Database, _ kind: RecordStatement, _ conflict: Database.ConflictResolution = .abort,
    sql: ([String]) -> String
  ) throws {
    let key = RecordPlan.Key(type(of: self), kind == .upsert ? .upsert : .keyedUpdate, conflict)
    if try unsafe executePlan(key, db) == nil { try executeCollected(db, key) { sql($1) } }
  }

  /// Executes a statement with collected values, one for each column, and makes its plan.
  @usableFromInline
  @discardableResult
  func executeCollected(
    _ db: Database, _ key: RecordPlan.Key, isInsertion: Bool = false,
    _ sql: (RecordTable, [String]) -> String
  ) throws -> StoredValues {
    let table = try recordTable(db, isInsertion: isInsertion)
    let container = try PersistenceContainer(self)
    let sql = sql(table, container.columns)
    try db.execute(sql: sql, arguments: container.arguments)
    let plan = db.recordPlans.plan(key, sql: sql, table, container) {
      container.columns.indices.map { $0 + 1 }
    }
    if isInsertion, let record = self as? any MappedRecord, try !record.bindsColumns(of: container)
    {
      plan.canBind = false
    }
    return StoredValues(container, table, plan: plan)
  }

  // MARK: Update

  @inlinable @inline(__always)
  func updateRow(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution?
  ) throws -> PersistenceSuccess {
    let type = type(of: self)
    let conflict =
      conflictResolution ?? type.persistenceConflictPolicy.conflictResolutionForUpdate
    let key = RecordPlan.Key(type, .update, conflict)
    if let target = try executePlan(key, db) {
      if db.changesCount == 0 { throw recordNotFound(db) }
      return PersistenceSuccess(StoredRecord.make(self, boundBy: target))
    }
    return try updateCollectedRow(db, key, columns: nil)
  }

  /// - Parameter columns: The columns to update; nil for all.
  @usableFromInline
  func updateCollectedRow(
    _ db: Database, _ key: RecordPlan.Key, columns: Set<String>?
  ) throws -> PersistenceSuccess {
    let table = try recordTable(db)
    let container = try PersistenceContainer(self)
    let update = try RecordUpdate(container, table, columns: columns, onConflict: key.conflict)
    let changes = db.totalChangesCount
    try db.execute(sql: update.sql, arguments: update.arguments)
    try update.checkRow(db, since: changes)
    var plan: RecordPlan?
    if columns == nil, !table.isView, let parameters = update.parameters(of: container.columns) {
      plan = db.recordPlans.plan(key, sql: update.sql, table, container) { parameters }
    }
    return PersistenceSuccess(StoredValues(container, table, plan: plan))
  }

  // MARK: Deletion

  @inlinable @inline(__always)
  func deleteRow(_ db: Database) throws -> Bool {
    let key = RecordPlan.Key(type(of: self), .delete)
    if try unsafe executePlan(key, db) != nil { return db.changesCount > 0 }
    return try deleteCollectedRow(db, key)
  }

  @usableFromInline
  func deleteCollectedRow(_ db: Database, _ planKey: RecordPlan.Key) throws -> Bool {
    let table = try recordTable(db)
    let key = try table.requirePrimaryKey()
    let container = try PersistenceContainer(self)
    guard let values = container.values(of: key) else { return false }
    let sql = table.deleteSQL(key)
    let changes = db.totalChangesCount
    try db.execute(sql: sql, arguments: key.arguments(values))
    if !table.isView {
      let isComplete = key.columns.allSatisfy { container.storedValue($0) != nil }
      let plan = db.recordPlans.plan(planKey, sql: sql, table, container) {
        container.columns.map { key.position(of: $0) ?? 0 }
      }
      if !isComplete { plan.canBind = false }
    }
    return table.isView ? db.totalChangesCount > changes : db.changesCount > 0
  }

  /// Returns whether a row with the record's primary key exists.
  @usableFromInline
  func existsRow(_ db: Database) throws -> Bool {
    let table = try recordTable(db)
    let key = try table.requirePrimaryKey()
    guard let values = try PersistenceContainer(self).values(of: key) else { return false }
    return try table.exists(db, key, values)
  }
}

/// The statements that other modules execute with the values of records.
@usableFromInline
package enum RecordStatement {
  case upsert, keyedUpdate
}

extension PersistenceContainer {
  /// Returns the values of a primary key by column name, including NULL.
  func allValues(of key: PrimaryKeyInfo) -> [String: DatabaseValue] {
    let values = key.columns.map { ($0, storedValue($0) ?? .null) }
    return Dictionary(values, uniquingKeysWith: { first, _ in first })
  }
}

extension PrimaryKeyInfo {
  /// Returns the values as arguments, in the order of the key.
  func arguments(_ values: [String: DatabaseValue]) -> StatementArguments {
    StatementArguments(columns.map { values[$0] ?? .null })
  }

  /// Returns the 1-based position of a column in the key; nil if it isn't in the key.
  func position(of column: String) -> Int? {
    columns.firstIndex { $0.isSameName(as: column) }.map { $0 + 1 }
  }
}

extension RecordUpdate {
  /// Throws if the update that was just executed found no row.
  func checkRow(_ db: Database, since changes: Int) throws {
    // Changes by the triggers of a view don't count as changes of the statement. A row that an
    // ignored conflict has left unchanged counts as missing: `save` then inserts.
    let isFound =
      table.isView
      ? try db.totalChangesCount > changes || table.exists(db, key, keyValues)
      : db.changesCount > 0
    guard isFound else {
      throw RecordError.recordNotFound(databaseTableName: table.name, key: keyValues)
    }
  }
}

extension RecordTable {
  /// Returns whether a row with the key exists.
  func exists(
    _ db: Database, _ key: PrimaryKeyInfo, _ values: [String: DatabaseValue]
  ) throws -> Bool {
    let request = SQLRequest<Bool>(sql: existsSQL(key), arguments: key.arguments(values))
    return try Bool.fetchOne(db, request) ?? false
  }
}

/// The update of a record's row.
struct RecordUpdate {
  let sql: String
  let arguments: StatementArguments
  let keyValues: [String: DatabaseValue]
  private let table: RecordTable
  let key: PrimaryKeyInfo
  private let columns: [String]
  /// Whether there is nothing to update, so the key is set to itself.
  private let isEmpty: Bool

  /// - Parameter columns: The columns to update, in any letter case; nil for all that the record
  ///   has.
  /// - Throws: ``RecordError`` if the record's primary key is NULL.
  init(
    _ container: PersistenceContainer, _ table: RecordTable, columns: Set<String>?,
    onConflict resolution: Database.ConflictResolution
  ) throws {
    let key = try table.requirePrimaryKey()
    let names = columns.map { Set($0.map { SQLName($0) }) }
    let updated = table.columns.filter { column in
      container.index(of: column) != nil && key.position(of: column) == nil
        && names?.contains(SQLName(column)) ?? true
    }
    self.table = table
    self.key = key
    isEmpty = updated.isEmpty
    // At least one column is updated, to find out whether the row exists.
    self.columns = isEmpty ? key.columns : updated
    guard let keyValues = container.values(of: key) else {
      throw RecordError.recordNotFound(
        databaseTableName: table.name, key: container.allValues(of: key))
    }
    self.keyValues = keyValues
    sql = table.updateSQL(self.columns, key, resolution)
    let values = (self.columns + key.columns).map { container.storedValue($0) ?? .null }
    arguments = StatementArguments(values)
  }

  /// Returns the parameter of each column that the record sets, or 0 if it has none.
  ///
  /// Returns nil if a column needs two parameters, or a parameter has no column.
  func parameters(of recordColumns: [String]) -> [Int]? {
    guard !isEmpty else { return nil }
    let parameters = recordColumns.map { name in
      key.position(of: name).map { columns.count + $0 }
        ?? columns.firstIndex { $0.isSameName(as: name) }.map { $0 + 1 } ?? 0
    }
    let used = Set(parameters).subtracting([0])
    return used.count == columns.count + key.columns.count ? parameters : nil
  }
}
