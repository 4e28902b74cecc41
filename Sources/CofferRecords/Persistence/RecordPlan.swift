import CofferCore
import CofferQuery

/// A connection's prepared change for records of one type.
///
/// It holds the statement, and the columns in the order in which records set them, so that values
/// can be bound directly.
///
/// - Invariant: The statement has bound values only from `begin` to the end of the access.
@usableFromInline
@safe final class RecordPlan {
  @usableFromInline
  enum Kind: UInt8 {
    case insert, update, delete
    /// Other statements: see ``MutablePersistableRecord/execute(_:_:_:sql:)``.
    case upsert, keyedUpdate
  }

  /// The record type, the kind of change, and the conflict resolution.
  @usableFromInline
  struct Key: Hashable {
    let type: ObjectIdentifier
    @usableFromInline let kind: Kind
    let conflict: Database.ConflictResolution

    @usableFromInline
    init(_ type: Any.Type, _ kind: Kind, _ conflict: Database.ConflictResolution = .abort) {
      self.type = ObjectIdentifier(type)
      self.kind = kind
      self.conflict = conflict
    }
  }

  let key: Key
  /// The encoder of `Encodable` records.
  @safe @exclusivity(unchecked) var encoder: RecordEncoder?
  let table: RecordTable
  let sql: String
  @safe let target: UnsafeMutablePointer<BindingTarget>
  /// Released with the plan.
  @safe @exclusivity(unchecked) private var statement: Unmanaged<Statement>?

  /// The number of records that have deviated from the plan.
  var missCount = 0

  init(_ key: Key, _ table: RecordTable, sql: String, columns: [(name: String, parameter: Int)]) {
    self.key = key
    self.table = table
    self.sql = sql
    target = BindingTarget.take(columns)
    target.pointee.plan = unsafe .passUnretained(self)
  }

  deinit {
    BindingTarget.putBack(target)
    unsafe statement?.release()
  }

  var canBind: Bool {
    get { target.pointee.canBind }
    set { target.pointee.canBind = newValue }
  }

  /// Whether the statement is in use.
  var isBusy: Bool { target.pointee.isBusy }

  /// Prepares the statement for a record's values.
  @inline(__always)
  @safe func begin(_ db: Database) throws -> UnsafeMutablePointer<BindingTarget> {
    let statement = try unsafe self.statement ?? .passRetained(db.makeStatement(sql: sql))
    self.statement = unsafe statement
    // SAFETY: here and below, the plan owns the statement.
    let handle = try unsafe statement._withUnsafeGuaranteedRef { try $0.beginBinding() }
    target.pointee.begin(handle)
    return target
  }

  /// Ends an encoding that has failed.
  func cancel() {
    target.pointee.end()
    unsafe statement?._withUnsafeGuaranteedRef { $0.clearBindings() }
  }

  /// Executes the statement with the bound values.
  ///
  /// - Returns: Whether it was executed. It isn't if the record has set other columns, or set them
  ///   in another order.
  @inline(__always)
  func execute() throws -> Bool {
    guard let statement, target.pointee.isComplete else {
      cancel()
      missCount += 1
      if missCount > 8 { canBind = false }
      return false
    }
    guard target.pointee.code == SQLite.ok else {
      let code = target.pointee.code
      cancel()
      throw unsafe statement._withUnsafeGuaranteedRef { $0.bindingFailure(code) }
    }
    target.pointee.endBinding()
    do { try unsafe statement._withUnsafeGuaranteedRef { try $0.executeBound() } } catch {
      cancel()
      throw error
    }
    target.pointee.isBusy = false
    unsafe statement._withUnsafeGuaranteedRef { $0.clearBindingsAtEnd() }
    return true
  }
}

/// The plans of one connection.
@safe final class RecordPlans {
  private var plans: [RecordPlan.Key: RecordPlan] = [:]
  /// The most recently used plans for insertions and for other changes, owned by `plans`.
  @safe @exclusivity(unchecked) private var recentInsertion: Unmanaged<RecordPlan>?
  @safe @exclusivity(unchecked) private var recentUpdate: Unmanaged<RecordPlan>?
  /// Replaced plans that were in use at the time.
  private var retired: [RecordPlan] = []

  /// Prepares the plan for a record of the type in the table.
  ///
  /// Returns nil if no usable plan exists.
  @inline(__always)
  @safe func begin(
    _ db: Database, _ key: RecordPlan.Key, _ tableName: String
  ) throws -> UnsafeMutablePointer<BindingTarget>? {
    guard let plan = unsafe recent(key) ?? find(key) else { return nil }
    // SAFETY: `plans` owns the plan; if it is removed while in use, `retired` owns it.
    return try unsafe plan._withUnsafeGuaranteedRef { plan in
      guard plan.canBind, !plan.isBusy else { return nil }
      guard plan.table.name == tableName, try plan.table.isCurrent(db) else {
        remove(plan)
        return nil
      }
      return try plan.begin(db)
    }
  }

  @safe private func recent(_ key: RecordPlan.Key) -> Unmanaged<RecordPlan>? {
    guard let plan = key.kind == .insert ? recentInsertion : recentUpdate,
      unsafe plan._withUnsafeGuaranteedRef({ $0.key == key })
    else { return nil }
    return unsafe plan
  }

  @safe private func find(_ key: RecordPlan.Key) -> Unmanaged<RecordPlan>? {
    guard let plan = unsafe plans[key].map(Unmanaged.passUnretained) else { return nil }
    if key.kind == .insert { recentInsertion = unsafe plan } else { recentUpdate = unsafe plan }
    return unsafe plan
  }

  func hasPlan(_ key: RecordPlan.Key) -> Bool { plans[key] != nil }

  func forgetInsertions(of type: Any.Type) {
    for plan in plans.values
    where plan.key.type == ObjectIdentifier(type) && plan.key.kind == .insert {
      remove(plan)
    }
  }

  private func remove(_ plan: RecordPlan) {
    (recentInsertion, recentUpdate) = (nil, nil)
    retired.removeAll { !$0.isBusy }
    if let old = plans.removeValue(forKey: plan.key), old.isBusy { retired.append(old) }
  }

  /// Returns the existing plan, even if it can't be used, or a new one.
  func plan(
    _ key: RecordPlan.Key, sql: String, _ table: RecordTable, _ container: PersistenceContainer,
    parameters: () -> [Int]
  ) -> RecordPlan {
    // A plan that can't be used is kept, so that no new one is made for each record.
    let known = plans[key].flatMap { plan in
      plan.table === table && (!plan.canBind || plan.sql == sql) ? plan : nil
    }
    let plan =
      known
      ?? RecordPlan(key, table, sql: sql, columns: Array(zip(container.columns, parameters())))
    if !container.isPlain { plan.canBind = false }
    guard known == nil else { return plan }
    plan.missCount = plans[key]?.missCount ?? 0
    remove(plan)
    plans[key] = plan
    return plan
  }

  /// The requested tables.
  private var tables: [SQLName: RecordTable] = [:]

  /// Returns a table as it is in the current schema.
  func table(_ db: Database, _ name: String) throws -> RecordTable {
    let key = SQLName(name)
    if let table = tables[key], table.name == name, try table.isCurrent(db) { return table }
    let table = try RecordTable(db, name)
    tables[key] = table
    return table
  }
}

extension Database {
  var recordPlans: RecordPlans {
    if let recordStorage, let plans = exactly(RecordPlans.self, recordStorage) { return plans }
    let plans = RecordPlans()
    recordStorage = plans
    return plans
  }

  /// Prepares the statement for a record's values; returns nil if no usable plan exists.
  ///
  /// It must be followed by ``executeRecord(_:)`` or ``cancelRecord(_:)``.
  @usableFromInline
  @safe func beginRecord(
    _ key: RecordPlan.Key, _ tableName: String
  ) throws -> UnsafeMutablePointer<BindingTarget>? {
    guard let recordStorage else { return nil }
    return try exactly(RecordPlans.self, recordStorage)?.begin(self, key, tableName)
  }

  /// Executes the prepared statement: see ``RecordPlan/execute()``.
  @usableFromInline
  @safe func executeRecord(_ target: UnsafeMutablePointer<BindingTarget>) throws -> Bool {
    // SAFETY: a plan isn't released while it is in use.
    try unsafe target.pointee.plan?._withUnsafeGuaranteedRef { try $0.execute() } ?? false
  }

  /// Cancels the prepared statement, if the record can't be encoded.
  @usableFromInline
  @safe func cancelRecord(_ target: UnsafeMutablePointer<BindingTarget>) {
    // SAFETY: a plan isn't released while it is in use.
    unsafe target.pointee.plan?._withUnsafeGuaranteedRef { $0.cancel() }
  }
}
