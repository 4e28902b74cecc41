extension TransactionObservation {
  /// Who is to be told of what a statement changes; asked once per compiled statement.
  func interest(of statement: Statement) -> StatementInterest {
    let recompilations = database.hooks.authorizer.recompilations
    if let interest = statement.interest, interest.recompilations == recompilations,
      registry.isCurrent(&interest.stamp)
    {
      return interest
    }
    // The schema has changed, and triggers with it.
    if statement.recompilations != recompilations { statement.refreshFacts() }
    let changes = statement.facts.changes
    let (registrations, stamp) = registry.interested(inTables: changes.map(\.kind.tableName))
    var entries: [StatementInterest.Entry] = []
    if !registrations.isEmpty {
      let unreported =
        changes.filter { !reportsRows($0) }.map(\.kind) + replacements(in: statement)
      entries = registrations.compactMap { registration -> StatementInterest.Entry? in
        guard let observer = registration.observer else { return nil }
        let observed = changes.filter { registration.isInterested(observer, in: $0.kind) }
        let hasUnreportedRows = unreported.contains { registration.isInterested(observer, in: $0) }
        guard !observed.isEmpty || hasUnreportedRows else { return nil }
        return StatementInterest.Entry(
          registration: registration, changes: observed.count == changes.count ? nil : observed,
          hasUnreportedRows: hasUnreportedRows)
      }
    }
    // The counters again: asking SQLite may have compiled statements.
    let interest = StatementInterest(
      stamp: stamp, recompilations: database.hooks.authorizer.recompilations, entries: entries)
    statement.interest = interest
    return interest
  }

  /// SQLite compiles a statement that is under way anew, and it makes a change
  /// that may be new to us.
  func recompiled(_ change: TableChange) {
    guard let last = executions.indices.last else { return }
    let (registrations, _) = registry.interested(inTables: [change.kind.tableName])
    for registration in registrations where !registration.isStopped {
      guard let observer = registration.observer,
        registration.isInterested(observer, in: change.kind)
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
      && !executions[last].targets[index].isInterested(in: change.kind)
    {
      executions[last].targets[index].changes = executions[last].changes
    }
    executions[last].changes.append(change)
  }
}
