import CofferVault

extension TransactionObservation {
  func note(_ effect: TransactionEffect) {
    switch effect {
    case .begin, .commit, .rollback: break  // The state after the statement shows these.
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

  func tellHeld() {
    let changes = held
    held = []
    for index in savepoints.indices { savepoints[index].heldCount = 0 }
    for change in changes { deliver(change.target, change.event) }
  }
}
