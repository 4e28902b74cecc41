extension TransactionObservation {
  /// Who is to be told of what a statement changes; asked once per compiled statement.
  func interest(of statement: Statement) -> StatementInterest {
    let recompilations = database.hooks.authorizer.recompilations
    if let interest = statement.interest, interest.generation == generation,
      interest.recompilations == recompilations
    {
      return interest
    }
    // The schema has changed, and triggers with it.
    if statement.recompilations != recompilations { statement.refreshFacts() }
    let changes = statement.facts.changes
    let unreported = changes.filter { !reportsRows($0) }
    let entries = registrations.compactMap { registration -> StatementInterest.Entry? in
      guard let observer = registration.observer else { return nil }
      let observed = changes.filter { observer.observes(eventsOfKind: $0.kind) }
      guard !observed.isEmpty else { return nil }
      return StatementInterest.Entry(
        registration: registration, changes: observed.count == changes.count ? nil : observed,
        hasUnreportedRows: unreported.contains { observer.observes(eventsOfKind: $0.kind) })
    }
    // The counters again: asking SQLite may have compiled statements.
    let interest = StatementInterest(
      generation: generation, recompilations: database.hooks.authorizer.recompilations,
      entries: entries)
    statement.interest = interest
    return interest
  }

  /// Whether SQLite tells which rows of a table change.
  private func reportsRows(_ change: TableChange) -> Bool {
    guard let connection = database.sqliteConnection else { return true }
    if rowReportsGeneration != database.hooks.schemaGeneration {
      rowReportsGeneration = database.hooks.schemaGeneration
      rowReports = [:]
    }
    let key = change.schema + "." + change.kind.tableName
    if let reportsRows = rowReports[key] { return reportsRows }
    let table = change.kind.tableName
    let reportsRows =
      SQLite.hasRowIDs(connection, table, schema: change.schema)
      && !database.isVirtual(table, schema: change.schema)
    rowReports[key] = reportsRows
    return reportsRows
  }

  /// SQLite compiles a statement that is under way anew, and it makes a change
  /// that may be new to us.
  func recompiled(_ change: TableChange) {
    guard let last = executions.indices.last else { return }
    for registration in registrations where !registration.isStopped {
      guard let observer = registration.observer, observer.observes(eventsOfKind: change.kind)
      else { continue }
      if let index = executions[last].targets.firstIndex(where: {
        $0.registration === registration
      }) {
        executions[last].targets[index].changes?.append(change)
      } else {
        executions[last].targets.append(
          ObservationTarget(registration: registration, observer: observer, changes: [change]))
      }
    }
    for index in executions[last].targets.indices
    where executions[last].targets[index].changes == nil
      && !executions[last].targets[index].observer.observes(eventsOfKind: change.kind)
    {
      executions[last].targets[index].changes = executions[last].changes
    }
    executions[last].changes.append(change)
  }
}
