/// Tells the observers of one connection what SQLite tells of its transactions.
///
/// SQLite's hooks note what happens inside a statement; what observers may
/// answer with statements of their own is told when the statement has ended.
/// Transactions are begun and ended by methods, by SQL and by SQLite itself:
/// whoever did, the hooks and the state after the statement tell.
package final class TransactionObservation {
  /// What the hooks have told and the observers haven't been.
  private enum Outcome {
    case none, committing, rolledBack
    case refused(any Error)
  }

  /// A statement under way that writes.
  struct Execution {
    let statement: ObjectIdentifier
    let droppedTable: String?
    var changes: [TableChange]
    var targets: [ObservationTarget]
    var unreported: [ObservationTarget]
  }

  /// A change that waits for the end of a savepoint; nil for an unknown one.
  private struct HeldChange {
    let event: DatabaseEvent?
    let target: ObservationTarget
  }

  private struct Savepoint {
    let name: SQLName
    /// The changes that were held when it began.
    var heldCount: Int
  }

  // SAFETY: the database owns the observation, and removes its hooks before it dies.
  unowned let database: Database
  var registrations: [ObserverRegistration] = []
  /// Counts up whenever an observer comes, goes, or changes its mind.
  var generation = 0
  var executions: [Execution] = []
  private var savepoints: [Savepoint] = []
  private var held: [HeldChange] = []
  /// Counts the rollbacks to savepoints, as long as somebody observes.
  private(set) var savepointRollbackCount = 0
  private var touched: [ObserverRegistration] = []
  private var outcome = Outcome.none
  /// Whether a statement that writes was begun in the transaction.
  private var hasWritten = false
  /// Whether the schema was changed in the transaction.
  private var hasChangedSchema = false
  private var hasStopped = false
  private var lastNames: LastNames?
  var rowReports: [String: Bool] = [:]
  var rowReportsGeneration = 0

  init(database: Database) { self.database = database }

  /// Called when the connection has been set up.
  func install() {
    database.hooks.authorizer.onRecompiledChange = { [unowned self] in recompiled($0) }
    // A connection that was opened anew has no hooks yet.
    database.accessState.remove(.observed)
    updateHooks()
  }

  // MARK: Observers

  func add(_ observer: any TransactionObserver, extent: Database.TransactionObservationExtent) {
    registrations.append(ObserverRegistration(observer, extent: extent))
    updateHooks()
  }

  func remove(_ observer: any TransactionObserver) {
    for registration in registrations where registration.observer === observer {
      registration.isStopped = true
      registration.end()
    }
    prune()
  }

  /// Forgets what observers have answered; one of them would answer otherwise now.
  package func interestsDidChange() { generation &+= 1 }

  /// Forgets observers that have died, or are none any more.
  private func prune() {
    guard registrations.contains(where: { $0.observer == nil }) else { return }
    registrations.removeAll { $0.observer == nil }
    updateHooks()
  }

  /// Lets go of those who were to be told of one transaction.
  private func endRegistrations(where isOver: (ObserverRegistration) -> Bool) {
    for registration in registrations where isOver(registration) { registration.end() }
    prune()
  }

  /// A connection that nobody observes has no hooks, and pays nothing.
  func updateHooks() {
    generation &+= 1
    guard let connection = database.sqliteConnection else { return }
    let isObserved = !registrations.isEmpty
    if !isObserved, database.commitLog != nil { SQLite.installCommitHooks(self, in: connection) }
    guard isObserved != database.accessState.contains(.observed) else { return }
    if isObserved {
      database.accessState.insert(.observed)
      SQLite.installHooks(self, in: connection)
    } else {
      database.accessState.remove(.observed)
      SQLite.removeHooks(from: connection)
      if database.commitLog != nil { SQLite.installCommitHooks(self, in: connection) }
      executions = []
      held = []
    }
  }

  // MARK: Statements

  func willExecute(_ statement: Statement) throws {
    guard !statement.isReadonly else { return }
    hasWritten = true
    guard !statement.facts.changes.isEmpty else { return }
    let interest = interest(of: statement)
    lastNames = nil
    var execution = Execution(
      statement: ObjectIdentifier(statement), droppedTable: statement.facts.droppedTable,
      changes: [], targets: [], unreported: [])
    if !interest.entries.isEmpty {
      execution.changes = statement.facts.changes
      for entry in interest.entries where !entry.registration.isStopped {
        guard let observer = entry.registration.observer else { continue }
        let target = ObservationTarget(
          registration: entry.registration, observer: observer, changes: entry.changes)
        execution.targets.append(target)
        if entry.hasUnreportedRows { execution.unreported.append(target) }
      }
    }
    executions.append(execution)
  }

  func didExecute(_ statement: Statement) throws {
    tellUnreported(of: statement)
    end(statement)
    if let table = statement.facts.restructuredTable { tellRestructured(table) }
    if let effect = statement.facts.transactionEffect { note(effect) }
    settle(endsExplicitly: statement.facts.transactionEffect != nil)
  }

  /// - Returns: What an observer has thrown to refuse the commit.
  func didFail(_ statement: Statement) -> (any Error)? {
    end(statement)
    settle(endsExplicitly: false)
    return takeRefusal()
  }

  /// Called when a statement was reset before its end.
  func didAbandon(_ statement: Statement) {
    tellUnreported(of: statement)
    end(statement)
    settle(endsExplicitly: false)
  }

  /// Called after a commit or a rollback that no `Statement` has made.
  func didEndTransaction() { settle(endsExplicitly: true) }

  /// - Returns: What an observer has thrown to refuse the commit.
  func commitDidFail() -> (any Error)? {
    settle(endsExplicitly: false)
    return takeRefusal()
  }

  func didChangeSchema() {
    if let connection = database.sqliteConnection, !SQLite.isAutocommit(connection) {
      hasChangedSchema = true
    }
  }

  private func end(_ statement: Statement) {
    let identifier = ObjectIdentifier(statement)
    guard let index = executions.lastIndex(where: { $0.statement == identifier }) else { return }
    executions.remove(at: index)
  }

  /// What was thrown by the observer that has refused the commit.
  private var refusal: (any Error)?

  private func takeRefusal() -> (any Error)? {
    defer { refusal = nil }
    return refusal
  }

  // MARK: Changes

  /// The names of the last event, which SQLite keeps at one place while a
  /// statement runs: most events need no new string.
  private struct LastNames {
    // SAFETY: compared, never read.
    let schemaAddress: UnsafePointer<CChar>
    let tableAddress: UnsafePointer<CChar>
    let schema: String
    let table: String
  }

  func sqliteDidChange(
    _ kind: DatabaseEvent.Kind, schema: UnsafePointer<CChar>, table: UnsafePointer<CChar>,
    rowID: Int64
  ) {
    guard let execution = executions.last, !execution.targets.isEmpty else { return }
    let names: LastNames
    if let last = lastNames, last.schemaAddress == schema, last.tableAddress == table {
      names = last
    } else {
      names = LastNames(
        schemaAddress: schema, tableAddress: table, schema: String(cString: schema),
        table: String(cString: table))
      lastNames = names
    }
    if let dropped = execution.droppedTable, dropped == names.table { return }
    let event = DatabaseEvent(
      kind: kind, databaseName: names.schema, tableName: names.table, rowID: rowID)
    for target in execution.targets where target.accepts(event, among: execution.changes) {
      tell(target, event)
    }
  }

  /// Tells of the changes that SQLite doesn't tell of row by row.
  private func tellUnreported(of statement: Statement) {
    let identifier = ObjectIdentifier(statement)
    guard let index = executions.lastIndex(where: { $0.statement == identifier }) else { return }
    tellUnreported(ofExecutionAt: index)
  }

  private func tellUnreported(ofExecutionAt index: Int) {
    let targets = executions[index].unreported
    executions[index].unreported = []
    for target in targets { tell(target, nil) }
  }

  /// Tells of a change now, or holds it back until the savepoint ends.
  private func tell(_ target: ObservationTarget, _ event: DatabaseEvent?) {
    if savepoints.isEmpty {
      deliver(target, event)
    } else if !target.registration.isStopped {
      held.append(HeldChange(event: event, target: target))
    }
  }

  private func deliver(_ target: ObservationTarget, _ event: DatabaseEvent?) {
    let registration = target.registration
    guard !registration.isStopped else { return }
    if !registration.isTouched {
      registration.isTouched = true
      touched.append(registration)
    }
    let previous = TransactionObservation.enter(self)
    defer { TransactionObservation.leave(to: previous) }
    if let event {
      target.observer.databaseDidChange(with: event)
    } else {
      target.observer.databaseDidChange()
    }
  }

  /// Tells those who observe a region that something in it has changed.
  func notifyChanges(in region: DatabaseRegion, kinds: [DatabaseEventKind]) {
    for registration in registrations {
      guard let observer = registration.observer,
        kinds.contains(where: { observer.observes(eventsOfKind: $0) })
      else { continue }
      tell(ObservationTarget(registration: registration, observer: observer), nil)
    }
  }

  /// Tells those who keep up with a region that a table was dropped or altered.
  private func tellRestructured(_ table: String) {
    for registration in registrations where registration.isSelective {
      guard let observer = registration.observer,
        observer.observes(eventsOfKind: .delete(tableName: table))
      else { continue }
      tell(ObservationTarget(registration: registration, observer: observer), nil)
    }
  }

  func stop(_ observer: any TransactionObserver) {
    for registration in registrations where registration.observer === observer {
      registration.isStopped = true
      hasStopped = true
    }
  }

  // MARK: Savepoints

  private func note(_ effect: TransactionEffect) {
    switch effect {
    case .begin, .commit, .rollback: break  // The state after the statement tells.
    case .beginSavepoint(let name):
      savepoints.append(Savepoint(name: SQLName(name), heldCount: held.count))
    case .releaseSavepoint(let name):
      guard let index = savepoints.lastIndex(where: { $0.name == SQLName(name) }) else { return }
      savepoints.removeSubrange(index...)
      if savepoints.isEmpty { tellHeld() }
    case .rollbackToSavepoint(let name):
      savepointRollbackCount &+= 1
      if hasChangedSchema { database.schemaDidChange() }
      guard let index = savepoints.lastIndex(where: { $0.name == SQLName(name) }) else { return }
      savepoints.removeSubrange((index + 1)...)
      held.removeSubrange(min(savepoints[index].heldCount, held.count)...)
    }
  }

  private func tellHeld() {
    let changes = held
    held = []
    for index in savepoints.indices { savepoints[index].heldCount = 0 }
    for change in changes { deliver(change.target, change.event) }
  }

  // MARK: Ends of transactions

  func sqliteWillCommit() -> Bool {
    // A statement that commits by itself has ended all but for this.
    for index in executions.indices { tellUnreported(ofExecutionAt: index) }
    tellHeld()
    do {
      for observer in recipients() { try observer.databaseWillCommit() }
      outcome = .committing
      database.commitLog?.willCommit()
      return true
    } catch {
      outcome = .refused(error)
      return false
    }
  }

  func sqliteDidRollback() {
    database.commitLog?.didRollback()
    held = []
    if case .refused = outcome { return }
    outcome = .rolledBack
  }

  /// Those who are told of the end of the transaction: all but the selective
  /// ones that no change has touched.
  private func recipients() -> [any TransactionObserver] {
    registrations.compactMap { registration in
      guard !registration.isSelective else { return nil }
      return registration.observer
    } + touched.compactMap { $0.isSelective ? $0.observer : nil }
  }

  /// Tells of the end of the transaction, if the statement that has ended was it.
  ///
  /// - Parameter endsExplicitly: Whether a commit or a rollback has ended: a
  ///   transaction without a hook was empty, then.
  private func settle(endsExplicitly: Bool) {
    guard let connection = database.sqliteConnection else { return }
    guard SQLite.isAutocommit(connection) else {
      // A commit that found the database busy can be tried again.
      outcome = .none
      return
    }
    if hasChangedSchema {
      hasChangedSchema = false
      database.schemaDidChange()
    }
    if !savepoints.isEmpty { savepoints = [] }
    database.currentTransactionDate = nil
    let outcome = outcome
    self.outcome = .none
    switch outcome {
    case .committing: tellEnd { $0.databaseDidCommit(database) }
    case .rolledBack:
      guard hasWritten || !database.accessState.contains(.readOnly) else { return reset() }
      tellEnd { $0.databaseDidRollback(database) }
    case .refused(let error):
      refusal = error
      tellEnd { $0.databaseDidRollback(database) }
    case .none:
      if executions.isEmpty { hasWritten = false }
      guard endsExplicitly, !registrations.isEmpty,
        !database.accessState.contains(.readOnly)
      else { return }
      tellEmptyCommit()
    }
  }

  private func tellEnd(_ tell: (any TransactionObserver) -> Void) {
    let recipients = recipients()
    reset()
    endRegistrations { $0.extent == .nextTransaction }
    // They may execute statements, end further transactions, add observers.
    for observer in recipients { tell(observer) }
  }

  /// SQLite tells nobody of the commit of a transaction that has not written,
  /// but whoever waits for the end of the transaction has waited long enough.
  private func tellEmptyCommit() {
    var ends = registrations.compactMap { registration -> (any TransactionObserver)? in
      guard registration.extent == .nextTransaction else { return nil }
      return registration.observer as? TransactionEnd
    }
    ends += touched.compactMap(\.observer)
    reset()
    guard !ends.isEmpty else { return }
    endRegistrations { $0.observer is TransactionEnd }
    for observer in ends { observer.databaseDidCommit(database) }
  }

  private func reset() {
    hasWritten = false
    held = []
    for registration in touched { registration.isTouched = false }
    touched = []
    if hasStopped {
      hasStopped = false
      for registration in registrations { registration.isStopped = false }
    }
  }
}
