import CofferVault

extension TransactionObservation {
  /// Returns the observers to notify of the changes of a statement; computed once per compiled
  /// statement.
  func interest(of statement: Statement) throws -> StatementInterest {
    let recompilations = database.hooks.authorizer.recompilations
    if let interest = statement.interest, interest.recompilations == recompilations,
      registry.isCurrent(&interest.stamp)
    {
      return interest
    }
    // The schema has changed, and possibly its triggers.
    if statement.recompilations != recompilations { try statement.refreshFacts() }
    let changes = statement.facts.changes
    let connected = registry.hasSelective ? try changes.flatMap(connectedTables) : []
    let (registrations, stamp) = registry.interested(
      inTables: changes.map(\.kind.tableName) + connected)
    let quietTables =
      statement.facts.quietChanges.map(\.text) + connected.filter(registry.isObserved)
    var entries: [StatementInterest.Entry] = []
    var rowTables: [StatementInterest.RowTable] = []
    let hasRowTables = changes.contains { registry.rowTable($0.kind.tableName) != nil }
    if !registrations.isEmpty || hasRowTables {
      let moving = try changes.filter(movesRows).map(\.kind)
      let unreported =
        try moving + changes.filter { try !movesRows($0) && !reportsRows($0) }.map(\.kind)
        + replacements(in: statement)
      if hasRowTables { rowTables = self.rowTables(of: changes, unreported) }
      entries = registrations.compactMap { registration -> StatementInterest.Entry? in
        guard let observer = registration.observer else { return nil }
        // Observers of individual rows are handled per table.
        func isInterested(in kind: DatabaseEventKind) -> Bool {
          registration.rows[SQLName(kind.tableName)] == nil
            && registration.isInterested(observer, in: kind)
        }
        let observed = changes.filter { isInterested(in: $0.kind) }
        let hasUnreportedRows =
          unreported.contains(where: isInterested)
          || registration.followsRows && moving.contains { isInterested(in: $0.namingRowID) }
        guard !observed.isEmpty || hasUnreportedRows else { return nil }
        return StatementInterest.Entry(
          registration: registration, changes: observed.count == changes.count ? nil : observed,
          hasUnreportedRows: hasUnreportedRows)
      }
    }
    // Reads the counter again: querying SQLite can have compiled statements.
    let interest = StatementInterest(
      stamp: stamp, recompilations: database.hooks.authorizer.recompilations, entries: entries,
      rowTables: rowTables, quietTables: quietTables)
    statement.interest = interest
    return interest
  }

  /// Returns the tables of which individual rows are observed, with a statement's changes to them.
  private func rowTables(
    of changes: [TableChange], _ unreported: [DatabaseEventKind]
  ) -> [StatementInterest.RowTable] {
    var result: [StatementInterest.RowTable] = []
    for change in changes {
      guard let table = registry.rowTable(change.kind.tableName),
        !result.contains(where: { $0.table === table })
      else { continue }
      func isOfTable(_ kind: DatabaseEventKind) -> Bool {
        kind.tableName.isSameName(as: change.kind.tableName)
      }
      result.append(
        StatementInterest.RowTable(
          table: table, changes: changes.filter { isOfTable($0.kind) },
          unreported: unreported.filter(isOfTable)))
    }
    return result
  }

  /// Handles a change that SQLite announces while it recompiles a running statement, and which can
  /// be new.
  ///
  /// SQLite can't be asked here whether it reports all rows, so observers of individual rows are
  /// notified as if their rows had changed.
  func recompiled(_ change: TableChange) {
    guard let last = executions.indices.last else { return }
    let registrations = registry.allInterested(inTables: [change.kind.tableName])
    for registration in registrations where !registration.isStopped {
      guard let observer = registration.observer,
        registration.isInterested(observer, in: change.kind)
      else { continue }
      if registration.rows[SQLName(change.kind.tableName)] != nil {
        executions[last].unreported.append(
          ObservationTarget(registration: registration, observer: observer))
      } else if let index = executions[last].targets.firstIndex(where: {
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

extension DatabaseEventKind {
  /// The same change, with the rowid among its columns.
  fileprivate var namingRowID: DatabaseEventKind {
    guard case .update(let table, let columns) = self else { return self }
    return .update(tableName: table, columnNames: columns.union(["rowid"]))
  }
}
