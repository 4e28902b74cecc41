import CofferVault

extension TransactionObservation {
  /// Whether there are no observers, and there were none during the transaction.
  private var isUnobserved: Bool {
    !database.accessState.contains(.observed) && touched.isEmpty && stopped.isEmpty
      && asked.isEmpty
  }

  func sqliteWillCommit() -> Bool {
    if isUnobserved {
      outcome = .committing
      (askedCount, askedTouchedCount) = (registry.addedCount, 0)
      database.commitLog?.willCommit()
      return true
    }
    // A statement that commits by itself has made all of its changes; only the commit is left.
    for index in executions.indices { tellUnreported(ofExecutionAt: index) }
    tellHeld()
    let recipients = recipients()
    askedCount = registry.addedCount
    askedTouchedCount = touched.count
    do {
      for (registration, observer) in recipients where !registration.isRemoved {
        try observer.databaseWillCommit()
      }
      outcome = .committing
      asked = recipients
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
    if case .none = outcome, isUndoingStatement {
      outcome = .undone
    } else {
      outcome = .rolledBack
    }
  }

  /// Whether SQLite rolls back a statement that has failed outside of a transaction.
  private var isUndoingStatement: Bool {
    guard !executions.isEmpty, let connection = database.sqliteConnection else { return false }
    return SQLite.isAutocommit(connection)
  }

  /// Returns the observers to notify of the end of the transaction: all except the selective ones
  /// that no change has touched.
  private func recipients() -> [Recipient] {
    var recipients: [Recipient] = []
    recipients.reserveCapacity(registry.unselective.items.count)
    for registration in registry.unselective.items {
      if let observer = registration.observer { recipients.append((registration, observer)) }
    }
    for registration in touched where registration.isSelective && !registration.isRemoved {
      if let observer = registration.observer { recipients.append((registration, observer)) }
    }
    return recipients
  }

  /// Notifies observers of the end of the transaction, if the completed statement ended it.
  ///
  /// - Parameter endsExplicitly: Whether a commit has ended: a transaction for which no hook was
  ///   called was empty then.
  func settle(endsExplicitly: Bool) {
    guard let connection = database.sqliteConnection else { return }
    guard SQLite.isAutocommit(connection) else {
      // A commit that failed because the database was busy can be retried.
      outcome = .none
      asked = []
      return
    }
    if hasChangedSchema {
      hasChangedSchema = false
      database.schemaDidChange()
    }
    if !savepoints.isEmpty { savepoints = [] }
    database.currentTransactionDate = nil
    let (outcome, asked) = (outcome, asked)
    self.outcome = .none
    self.asked = []
    switch outcome {
    case .committing where asked.isEmpty && isUnobserved: hasWritten = false
    case .committing:
      // Also notifies observers that were added while others were asked, and observers of a table
      // that the statement has dropped.
      let isComplete =
        askedCount == registry.addedCount && askedTouchedCount == touched.count
      let recipients = isComplete ? asked : recipients()
      tellEnd(to: postponementCount == 0 ? recipients : postponing(recipients)) {
        $0.databaseDidCommit(database)
      }
    case .rolledBack:
      guard hasWritten || !database.accessState.contains(.readOnly) else { return reset() }
      // Those that have yet to be notified of an earlier commit must not forget it.
      tellEnd(to: recipients().filter { !$0.registration.isPostponed }) {
        $0.databaseDidRollback(database)
      }
    case .undone: tellUndone()
    case .refused(let error):
      refusal = error
      tellEnd(to: recipients()) { $0.databaseDidRollback(database) }
    case .none:
      if executions.isEmpty { hasWritten = false }
      guard endsExplicitly, !database.accessState.contains(.readOnly),
        !database.configuration.readonly, !registry.isEmpty
      else { return }
      tellEmptyCommit()
    }
  }

  private func tellEnd(to recipients: [Recipient], _ tell: (any TransactionObserver) -> Void) {
    reset()
    forgetAfterTransaction(toldCount: recipients.count { !$0.registration.isSelective })
    // Observers can execute statements, end further transactions, add and remove observers; this
    // also holds where a statement has ended the transaction that later statements still belong to.
    database.outsideTransactionBlock {
      for (registration, observer) in recipients where !registration.isRemoved { tell(observer) }
    }
  }

  /// Notifies the observers that were told of changes by a statement that was undone: for others,
  /// there was no transaction.
  private func tellUndone() {
    let recipients = touched.compactMap { registration in
      registration.observer.map { (registration: registration, observer: $0) }
    }
    reset()
    guard !recipients.isEmpty else { return }
    database.outsideTransactionBlock {
      for (registration, observer) in recipients where !registration.isRemoved {
        observer.databaseDidRollback(database)
      }
    }
  }

  /// Releases observers of a single transaction, and deallocated ones.
  private func forgetAfterTransaction(toldCount: Int) {
    if toldCount < registry.unselective.items.count {
      letGo(of: registry.unselective.items.filter { $0.observer == nil })
    }
    letGo(of: registry.nextTransaction.items)
    letGo(of: registry.nextDead())
  }

  /// Notifies observers of the commit of a deferred transaction that has not written: SQLite calls
  /// no hook for it, but what depends on the end of a transaction must not depend on its content.
  private func tellEmptyCommit() {
    let recipients = recipients()
    do {
      for (registration, observer) in recipients where !registration.isRemoved {
        try observer.databaseWillCommit()
      }
      tellEnd(to: recipients) { $0.databaseDidCommit(database) }
    } catch {
      refusal = error
      tellEnd(to: recipients) { $0.databaseDidRollback(database) }
    }
  }

  private func reset() {
    hasWritten = false
    held = []
    for registration in touched { registration.isTouched = false }
    touched = []
    goOnTelling()
  }

  // MARK: Postponing

  /// Executes `body`, and notifies selective observers of its commits only at its end.
  func postponingCommits<T>(_ body: () throws -> T) rethrows -> T {
    postponementCount += 1
    defer {
      postponementCount -= 1
      if postponementCount == 0 { tellPostponed() }
    }
    return try body()
  }

  /// - Returns: The observers to notify at once.
  private func postponing(_ recipients: [Recipient]) -> [Recipient] {
    recipients.filter { registration, _ in
      guard registration.isSelective else { return true }
      registration.isPostponed = true
      postponed.insert(registration)
      return false
    }
  }

  private func tellPostponed() {
    let registrations = postponed.items
    postponed = RegistrationList()
    for registration in registrations { registration.isPostponed = false }
    database.outsideTransactionBlock {
      for registration in registrations where !registration.isRemoved {
        registration.observer?.databaseDidCommit(database)
      }
    }
  }

  /// Resumes notifying observers that had stopped until the next transaction.
  func goOnTelling() {
    for registration in stopped { registration.isStopped = registration.isRemoved }
    stopped = []
  }
}
