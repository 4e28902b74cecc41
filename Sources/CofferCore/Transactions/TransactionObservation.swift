import CofferVault

/// Notifies the observers of one connection of its changes and transactions.
///
/// SQLite's hooks record events while a statement runs; notifications in which observers can
/// execute statements are delivered when the statement has ended. Transactions are begun and ended
/// by methods, by SQL and by SQLite itself: the hooks and the state after the statement show it in
/// each case.
package final class TransactionObservation {
  typealias Recipient = (
    registration: ObserverRegistration, observer: any TransactionObserver
  )

  /// The end of the transaction, once the hooks have reported it, until observers are notified.
  enum Outcome {
    case none, committing, rolledBack
    /// A statement has failed outside of a transaction.
    case undone
    case refused(any Error)
  }

  /// A running statement that writes.
  struct Execution {
    let statement: ObjectIdentifier
    let droppedTable: String?
    var changes: [TableChange]
    var targets: [ObservationTarget]
    var unreported: [ObservationTarget]
    /// The tables of which individual rows are observed.
    var rowTables: [StatementInterest.RowTable]
    /// The tables of whose change only selective observers are to be told.
    var quietTables: [String]
  }

  /// A change that is held back until the end of a savepoint.
  struct HeldChange {
    /// The event; nil if the changed rows are unknown.
    let event: DatabaseEvent?
    let target: ObservationTarget
  }

  struct Savepoint {
    let name: SQLName
    /// The number of held changes when the savepoint began.
    var heldCount: Int
  }

  // SAFETY: the database owns the observation, and removes its hooks before it is deallocated.
  @safe unowned(unsafe) let database: Database
  // Checked: a removal can release an observer, whose end can remove others.
  var registry = ObserverRegistry()
  @safe @exclusivity(unchecked) var executions: [Execution] = []
  @safe @exclusivity(unchecked) var savepoints: [Savepoint] = []
  var held: [HeldChange] = []
  /// The number of rollbacks to savepoints while the connection had observers.
  var savepointRollbackCount = 0
  /// The observers that were notified of a change in the transaction.
  @safe @exclusivity(unchecked) var touched: [ObserverRegistration] = []
  /// The observers that have stopped observing until the next transaction.
  @safe @exclusivity(unchecked) var stopped: [ObserverRegistration] = []
  @safe @exclusivity(unchecked) var outcome = Outcome.none
  /// The observers that were asked whether to commit, until they are notified of the end.
  @safe @exclusivity(unchecked) var asked: [Recipient] = []
  /// The number of observers that had been added by then.
  @safe @exclusivity(unchecked) var askedCount = 0
  /// The number of observers that had been touched by then.
  @safe @exclusivity(unchecked) var askedTouchedCount = 0
  /// The number of running blocks that postpone notifications of commits.
  @safe @exclusivity(unchecked) var postponementCount = 0
  /// The observers that have yet to be notified of a commit.
  var postponed = RegistrationList()
  /// The error of the observer that has refused the commit.
  @safe @exclusivity(unchecked) var refusal: (any Error)?
  /// Whether the transaction has executed a statement that writes.
  @safe @exclusivity(unchecked) var hasWritten = false
  /// Whether the transaction has changed the schema.
  @safe @exclusivity(unchecked) var hasChangedSchema = false
  private var lastNames: LastNames?
  var schemaKnowledge = ChangeKnowledge()

  init(database: Database) { self.database = database }

  /// Installs the hooks when the connection has been set up.
  func install() {
    database.hooks.authorizer.onRecompiledChange = { [unowned self] in recompiled($0) }
    // A reopened connection has no hooks yet.
    database.accessState.remove(.observed)
    updateHooks()
  }

  // MARK: Observers

  func add(_ observer: any TransactionObserver, extent: Database.TransactionObservationExtent) {
    registry.add(observer, extent: extent)
    letGo(of: registry.nextDead())
    updateHooks()
  }

  func remove(_ observer: any TransactionObserver) {
    let registrations = registry.registrations(of: observer)
    for registration in registrations { registration.remove() }
    letGo(of: registrations)
  }

  /// Invalidates the cached interests of all observers, some of which have changed.
  ///
  /// - Complexity: O(*n*) in the number of observers: prefer ``interestsDidChange(of:)``.
  package func interestsDidChange() { registry.interestsDidChange() }

  /// Invalidates the cached interests of an observer. Its new interests apply from the next
  /// statement on.
  ///
  /// - Complexity: O(*t*) in the number of its tables.
  package func interestsDidChange(of observer: some TransactionObserver) {
    registry.interestsDidChange(of: observer)
  }

  /// Removes observers that have been deallocated or no longer observe.
  func letGo(of registrations: [ObserverRegistration]) {
    guard !registrations.isEmpty else { return }
    for registration in registrations {
      registration.end()
      registry.remove(registration)
    }
    updateHooks()
  }

  /// Installs or removes the hooks: a connection without observers has none, and pays nothing.
  func updateHooks() {
    guard let connection = database.sqliteConnection else { return }
    let isObserved = !registry.isEmpty
    database.externalChanges?.setObserved(isObserved)
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
    guard !statement.facts.changes.isEmpty || !statement.facts.quietChanges.isEmpty else { return }
    let interest = try interest(of: statement)
    lastNames = nil
    var execution = Execution(
      statement: ObjectIdentifier(statement), droppedTable: statement.facts.droppedTable,
      changes: [], targets: [], unreported: [], rowTables: interest.rowTables,
      quietTables: interest.quietTables)
    if !interest.entries.isEmpty || !interest.rowTables.isEmpty {
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
    if let table = statement.facts.restructuredTable { tellQuietly(ofTables: [table]) }
    if let effect = statement.facts.transactionEffect { note(effect) }
    settle(endsExplicitly: statement.facts.transactionEffect != nil)
    if let refusal = takeRefusal() { throw refusal }
  }

  /// - Parameter keepsChanges: Whether changes before the failure remain, as with `OR FAIL`.
  /// - Returns: The error with which an observer has refused the commit.
  func didFail(_ statement: Statement, keepsChanges: Bool) -> (any Error)? {
    if keepsChanges { tellUnreported(of: statement) }
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

  /// Called after a commit that was not executed by a `Statement`.
  ///
  /// - Throws: The error with which an observer has refused the commit of an empty transaction.
  func didCommit() throws {
    settle(endsExplicitly: true)
    if let refusal = takeRefusal() { throw refusal }
  }

  /// Called after a rollback that SQLite has reported, and that was not executed by a `Statement`.
  func didRollBack() { settle(endsExplicitly: false) }

  /// - Returns: The error with which an observer has refused the commit.
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

  private func takeRefusal() -> (any Error)? {
    defer { refusal = nil }
    return refusal
  }

  // MARK: Changes

  /// The names of the last event, which SQLite keeps at one address while a statement runs: most
  /// events need no new string.
  @safe private struct LastNames {
    // SAFETY: the addresses are compared, and never dereferenced.
    let schemaAddress: UnsafePointer<CChar>
    let tableAddress: UnsafePointer<CChar>
    let schema: String
    let table: String
  }

  @safe func sqliteDidChange(
    _ kind: DatabaseEvent.Kind, schema: UnsafePointer<CChar>, table: UnsafePointer<CChar>,
    rowID: Int64
  ) {
    guard let execution = executions.last,
      !execution.targets.isEmpty || !execution.rowTables.isEmpty
    else { return }
    let names: LastNames
    if let last = lastNames, unsafe last.schemaAddress == schema, unsafe last.tableAddress == table
    {
      names = last
    } else {
      names = unsafe LastNames(
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
    for table in execution.rowTables { tellRowObservers(of: table, event) }
  }

  /// Notifies the observers of the row of an event.
  private func tellRowObservers(
    of rowTable: StatementInterest.RowTable, _ event: DatabaseEvent
  ) {
    guard let change = rowTable.changes.first(where: { $0.announces(event) }) else { return }
    for registration in rowTable.table.observers(ofRow: event.rowID) where !registration.isStopped {
      guard let observer = registration.observer,
        registration.isInterested(observer, in: change.kind)
      else { continue }
      tell(ObservationTarget(registration: registration, observer: observer), event)
    }
  }

  /// Notifies observers of the changes that SQLite doesn't report row by row.
  private func tellUnreported(of statement: Statement) {
    let identifier = ObjectIdentifier(statement)
    guard let index = executions.lastIndex(where: { $0.statement == identifier }) else { return }
    tellUnreported(ofExecutionAt: index)
  }

  func tellUnreported(ofExecutionAt index: Int) {
    let targets = executions[index].unreported
    let quietTables = executions[index].quietTables
    executions[index].unreported = []
    executions[index].quietTables = []
    for target in targets { tell(target, nil) }
    if !quietTables.isEmpty { tellQuietly(ofTables: quietTables) }
    for table in executions[index].rowTables.indices {
      let rowTable = executions[index].rowTables[table]
      guard !rowTable.unreported.isEmpty else { continue }
      executions[index].rowTables[table].unreported = []
      tell(rowTable.table.rowObservers.items, kinds: rowTable.unreported)
    }
  }

  /// Notifies the observers that are interested in one of the kinds of a change of unknown rows.
  private func tell(_ registrations: [ObserverRegistration], kinds: [DatabaseEventKind]) {
    for registration in registrations {
      guard let observer = registration.observer,
        kinds.contains(where: { registration.isInterested(observer, in: $0) })
      else { continue }
      tell(ObservationTarget(registration: registration, observer: observer), nil)
    }
  }

  /// Notifies an observer of a change at once, or holds it back until the savepoint ends.
  func tell(_ target: ObservationTarget, _ event: DatabaseEvent?) {
    if savepoints.isEmpty {
      deliver(target, event)
    } else if !target.registration.isStopped {
      held.append(HeldChange(event: event, target: target))
    }
  }

  func deliver(_ target: ObservationTarget, _ event: DatabaseEvent?) {
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

  /// Notifies the observers of a region that something in it has changed.
  func notifyChanges(kinds: [DatabaseEventKind]) {
    tell(registry.allInterested(inTables: kinds.map(\.tableName)), kinds: kinds)
  }

  /// Notifies selective observers of changes that others don't hear of: that of a definition, and
  /// those of internal tables.
  private func tellQuietly(ofTables tables: [String]) {
    for registration in registry.allInterested(inTables: tables) where registration.isSelective {
      guard let observer = registration.observer,
        tables.contains(where: {
          registration.isInterested(observer, in: .delete(tableName: $0))
        })
      else { continue }
      tell(ObservationTarget(registration: registration, observer: observer), nil)
    }
  }

  func stop(_ observer: any TransactionObserver) {
    for registration in registry.registrations(of: observer) where !registration.isStopped {
      registration.isStopped = true
      stopped.append(registration)
    }
  }
}
