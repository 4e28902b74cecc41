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
  @usableFromInline let target: UnsafeMutablePointer<BindingTarget>
  @exclusivity(unchecked) private var statement: Statement?

  /// Whether records of the type can be bound as they are encoded: not where one reads what it
  /// has set, or is asked for what it has stored.
  @exclusivity(unchecked) var canBind = true
  /// Whether the statement is in use: its execution may call back, and insert another record.
  @exclusivity(unchecked) var isBusy = false
  /// Whether what is bound is cleared later, by a batch.
  @exclusivity(unchecked) var keepsBindings = false
  /// How often records did otherwise than expected.
  var missCount = 0
  /// What successes hold, to be used again.
  @exclusivity(unchecked) @usableFromInline var spare: StoredValues?

  init(_ key: Key, _ table: RecordTable, sql: String, columns: [(name: String, parameter: Int)]) {
    self.key = key
    self.table = table
    self.sql = sql
    target = .allocate(capacity: 1)
    target.initialize(to: BindingTarget(columns))
  }

  deinit {
    target.pointee.deallocate()
    target.deinitialize(count: 1)
    target.deallocate()
  }

  @usableFromInline var isInsertion: Bool { key.kind == .insert }

  /// A container that binds what is set in it.
  @usableFromInline
  func begin(_ db: Database) throws -> PersistenceContainer {
    let statement = try readyStatement(db)
    target.pointee.handle = try statement.beginBinding()
    target.pointee.position = 0
    target.pointee.code = SQLite.ok
    target.pointee.use &+= 1
    isBusy = true
    return PersistenceContainer(binding: self)
  }

  private func readyStatement(_ db: Database) throws -> Statement {
    if let statement { return statement }
    let statement = try db.makeStatement(sql: sql)
    self.statement = statement
    return statement
  }

  /// Ends an encoding that has failed.
  @usableFromInline
  func cancel() {
    endBinding()
    clearBindings()
  }

  private func endBinding() {
    // What is kept of the container counts no more.
    target.pointee.use &+= 1
    target.pointee.handle = nil
    isBusy = false
  }

  /// Forgets the values, secrets perhaps, that are bound.
  func clearBindings() { statement?.clearBindings() }

  /// Executes the statement with what was bound.
  ///
  /// - Returns: Whether it was executed: not where the record has set other columns, or in
  ///   another order.
  @usableFromInline
  func execute() throws -> Bool {
    let (position, code) = (target.pointee.position, target.pointee.code)
    guard let statement, position == target.pointee.count else {
      cancel()
      missCount += 1
      if missCount > 8 { canBind = false }
      return false
    }
    guard code == SQLite.ok else {
      cancel()
      throw statement.bindingFailure(code)
    }
    defer { endBinding() }
    do { try statement.executeBound() } catch {
      clearBindings()
      throw error
    }
    if !keepsBindings { clearBindings() }
    return true
  }
}

/// The plans of one connection.
final class RecordPlans {
  private var plans: [RecordPlan.Key: RecordPlan] = [:]
  /// The ones used last, by kind.
  @exclusivity(unchecked) private var recentInsertion: RecordPlan?
  @exclusivity(unchecked) private var recentUpdate: RecordPlan?
  /// How many batches are under way: what is bound is cleared at their end.
  @exclusivity(unchecked) var batchDepth = 0

  /// The plan for a record of the type that is stored in that table, if it is usable now.
  func plan(_ db: Database, _ key: RecordPlan.Key, _ tableName: String) throws -> RecordPlan? {
    guard let plan = recent(key) ?? find(key) else { return nil }
    guard plan.canBind, !plan.isBusy else { return nil }
    guard plan.table.name == tableName, try plan.table.isCurrent(db) else {
      remove(plan)
      return nil
    }
    plan.keepsBindings = batchDepth > 0
    return plan
  }

  private func recent(_ key: RecordPlan.Key) -> RecordPlan? {
    guard let plan = key.kind == .insert ? recentInsertion : recentUpdate, plan.key == key else {
      return nil
    }
    return plan
  }

  private func find(_ key: RecordPlan.Key) -> RecordPlan? {
    guard let plan = plans[key] else { return nil }
    if key.kind == .insert { recentInsertion = plan } else { recentUpdate = plan }
    return plan
  }

  private func remove(_ plan: RecordPlan) {
    plans[plan.key] = nil
    (recentInsertion, recentUpdate) = (nil, nil)
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

  /// The plan for a record, if there is one that can be used now.
  @usableFromInline
  func recordPlan(_ key: RecordPlan.Key, _ tableName: String) throws -> RecordPlan? {
    try recordPlans.plan(self, key, tableName)
  }
}
