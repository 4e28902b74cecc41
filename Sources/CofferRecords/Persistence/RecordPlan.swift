import CofferCore
import CofferQuery

/// What is known of how records of one type are stored by one connection: the columns in the
/// order in which they are set, and the statement, so that the values go straight into it.
///
/// - Invariant: The statement has no values bound but between `begin` and `execute`, or in a batch.
@usableFromInline
final class RecordPlan {
  @usableFromInline
  enum Kind: UInt8 {
    case insert, update, delete
    /// Statements of other targets: see ``MutablePersistableRecord/execute(_:_:_:sql:)``.
    case upsert, keyedUpdate
  }

  /// The record type, what is done, and what on conflicts.
  @usableFromInline
  struct Key: Hashable {
    let type: ObjectIdentifier
    let kind: Kind
    let conflict: Database.ConflictResolution

    @usableFromInline
    init(_ type: Any.Type, _ kind: Kind, _ conflict: Database.ConflictResolution = .abort) {
      self.type = ObjectIdentifier(type)
      self.kind = kind
      self.conflict = conflict
    }
  }

  let key: Key
  /// What encodes `Encodable` records.
  @exclusivity(unchecked) var encoder: AnyObject?
  let table: RecordTable
  let sql: String
  let target: UnsafeMutablePointer<BindingTarget>
  /// Released when the plan dies.
  @exclusivity(unchecked) private var statement: Unmanaged<Statement>?

  /// Whether what is bound is cleared later, by a batch.
  @exclusivity(unchecked) var keepsBindings = false
  /// How often records did otherwise than expected.
  var missCount = 0

  init(_ key: Key, _ table: RecordTable, sql: String, columns: [(name: String, parameter: Int)]) {
    self.key = key
    self.table = table
    self.sql = sql
    target = BindingTarget.take(columns)
    target.pointee.plan = .passUnretained(self)
  }

  deinit {
    BindingTarget.putBack(target)
    statement?.release()
  }

  var canBind: Bool {
    get { target.pointee.canBind }
    set { target.pointee.canBind = newValue }
  }

  /// Whether the statement is in use.
  var isBusy: Bool { target.pointee.isBusy }

  /// Readies the statement for a record's values.
  func begin(_ db: Database) throws -> UnsafeMutablePointer<BindingTarget> {
    let statement = try self.statement ?? .passRetained(db.makeStatement(sql: sql))
    self.statement = statement
    // SAFETY: here and below, the plan owns the statement.
    let handle = try statement._withUnsafeGuaranteedRef { try $0.beginBinding() }
    let target = target
    target.pointee.handle = handle
    target.pointee.next = target.pointee.slots
    target.pointee.code = SQLite.ok
    target.pointee.use &+= 1
    target.pointee.isBusy = true
    return target
  }

  /// Ends an encoding that has failed.
  func cancel() {
    endBinding()
    clearBindings()
  }

  private func endBinding() {
    // What is kept of the container counts no more.
    target.pointee.use &+= 1
    target.pointee.handle = nil
    target.pointee.isBusy = false
  }

  /// Forgets the values, secrets perhaps, that are bound.
  func clearBindings() { statement?._withUnsafeGuaranteedRef { $0.clearBindings() } }

  /// Executes the statement with what was bound.
  ///
  /// - Returns: Whether it was executed: not where the record has set other columns, or in
  ///   another order.
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
      throw statement._withUnsafeGuaranteedRef { $0.bindingFailure(code) }
    }
    do { try statement._withUnsafeGuaranteedRef { try $0.executeBound() } } catch {
      cancel()
      throw error
    }
    endBinding()
    if !keepsBindings { clearBindings() }
    return true
  }
}

/// The plans of one connection.
final class RecordPlans {
  private var plans: [RecordPlan.Key: RecordPlan] = [:]
  /// The ones used last, by kind; `plans` has them.
  @exclusivity(unchecked) private var recentInsertion: Unmanaged<RecordPlan>?
  @exclusivity(unchecked) private var recentUpdate: Unmanaged<RecordPlan>?
  /// Plans that others have replaced while they were in use.
  private var retired: [RecordPlan] = []
  /// How many batches are under way: what is bound is cleared at their end.
  @exclusivity(unchecked) var batchDepth = 0

  /// Readies the plan for a record of the type that is stored in that table, if there is one that
  /// is usable now.
  func begin(
    _ db: Database, _ key: RecordPlan.Key, _ tableName: String
  ) throws -> UnsafeMutablePointer<BindingTarget>? {
    guard let plan = recent(key) ?? find(key) else { return nil }
    // SAFETY: `plans` has it, and a plan in use that leaves `plans` is kept among the retired.
    return try plan._withUnsafeGuaranteedRef { plan in
      guard plan.canBind, !plan.isBusy else { return nil }
      guard plan.table.name == tableName, try plan.table.isCurrent(db) else {
        remove(plan)
        return nil
      }
      plan.keepsBindings = batchDepth > 0
      return try plan.begin(db)
    }
  }

  private func recent(_ key: RecordPlan.Key) -> Unmanaged<RecordPlan>? {
    guard let plan = key.kind == .insert ? recentInsertion : recentUpdate,
      plan._withUnsafeGuaranteedRef({ $0.key == key })
    else { return nil }
    return plan
  }

  private func find(_ key: RecordPlan.Key) -> Unmanaged<RecordPlan>? {
    guard let plan = plans[key].map(Unmanaged.passUnretained) else { return nil }
    if key.kind == .insert { recentInsertion = plan } else { recentUpdate = plan }
    return plan
  }

  private func remove(_ plan: RecordPlan) {
    (recentInsertion, recentUpdate) = (nil, nil)
    retired.removeAll { !$0.isBusy }
    if let old = plans.removeValue(forKey: plan.key), old.isBusy { retired.append(old) }
  }

  /// The plan that was made before, even where it can't be used, or a new one.
  func plan(
    _ key: RecordPlan.Key, sql: String, _ table: RecordTable,
    columns: () -> [(name: String, parameter: Int)]
  ) -> RecordPlan {
    // One that can't be used stays: it is what keeps others from being made.
    if let plan = plans[key], plan.table === table, !plan.canBind || plan.sql == sql { return plan }
    let plan = RecordPlan(key, table, sql: sql, columns: columns())
    plan.missCount = plans[key]?.missCount ?? 0
    remove(plan)
    plans[key] = plan
    return plan
  }

  /// Forgets the values that batches have left bound.
  func clearBindings() {
    for plan in plans.values where !plan.isBusy { plan.clearBindings() }
  }

  /// The tables that were asked for.
  private var tables: [SQLName: RecordTable] = [:]

  /// A table as it is in the schema now.
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
    // SAFETY: nothing else is ever stored there.
    if let recordStorage { return unsafeDowncast(recordStorage, to: RecordPlans.self) }
    let plans = RecordPlans()
    recordStorage = plans
    return plans
  }

  /// Readies the statement for a record's values, if there is a plan that can be used now.
  ///
  /// What is begun has to be executed or cancelled.
  @usableFromInline
  func beginRecord(
    _ key: RecordPlan.Key, _ tableName: String
  ) throws -> UnsafeMutablePointer<BindingTarget>? {
    // SAFETY: nothing else is ever stored there.
    guard let recordStorage else { return nil }
    return try unsafeDowncast(recordStorage, to: RecordPlans.self).begin(self, key, tableName)
  }

  /// Executes what was begun: see ``RecordPlan/execute()``.
  @usableFromInline
  func executeRecord(_ target: UnsafeMutablePointer<BindingTarget>) throws -> Bool {
    // SAFETY: a plan that is in use lives.
    try target.pointee.plan?._withUnsafeGuaranteedRef { try $0.execute() } ?? false
  }

  /// Ends what was begun, where the record can't be encoded.
  @usableFromInline
  func cancelRecord(_ target: UnsafeMutablePointer<BindingTarget>) {
    // SAFETY: as above.
    target.pointee.plan?._withUnsafeGuaranteedRef { $0.cancel() }
  }
}
