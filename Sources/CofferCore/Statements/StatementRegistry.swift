import Synchronization

/// The prepared statements of one connection, known by their Swift objects.
///
/// It settles two deaths. When the connection closes, every statement that is
/// left is finalized and its object told, so that a forgotten cursor throws
/// instead of reading freed memory. When a statement or a cursor dies on a
/// thread that is not inside an access, what it leaves is kept until the next
/// access clears it away, since SQLite must not be called by two threads.
package final class StatementRegistry: Sendable {
  /// What a statement leaves: its handles, and the arrays that are bound to them.
  struct Remains {
    var handles: [SQLiteStatement]
    var arrays: [ArrayArgumentStorage]
  }

  private struct State {
    /// Statements alive, in no order; a statement knows its index.
    var statements: [Unmanaged<Statement>] = []
    var orphans: [Remains] = []
    /// Statements whose cursors have died elsewhere.
    var abandoned: [Statement] = []
  }

  // SAFETY: what is in the state is touched under the lock alone.
  private let state = Mutex(UncheckedBox(State()))
  /// Whether there are orphans or abandoned statements.
  private let hasDebts = Atomic<Bool>(false)
  // SAFETY: used inside an access, or when the connection closes.
  private let arrays: UncheckedBox<ArrayRegistry>
  package let gate: AccessGate

  package init(gate: AccessGate, arrays: ArrayRegistry) {
    self.gate = gate
    self.arrays = UncheckedBox(arrays)
  }

  func add(_ statement: Statement) {
    state.withLock { box in
      statement.registryIndex = box.value.statements.count
      box.value.statements.append(Unmanaged.passUnretained(statement))
    }
  }

  /// Takes a dying statement out, and what it leaves over.
  func remove(_ statement: Statement) {
    let remains = state.withLock { box -> UncheckedBox<Remains>? in
      let remains = statement.takeRemains()
      guard !remains.handles.isEmpty else { return nil }
      let index = statement.registryIndex
      let last = box.value.statements.removeLast()
      if index < box.value.statements.count {
        box.value.statements[index] = last
        last._withUnsafeGuaranteedRef { $0.registryIndex = index }
      }
      if gate.isHeldByCurrentThread { return UncheckedBox(remains) }
      box.value.orphans.append(remains)
      hasDebts.store(true, ordering: .relaxed)
      return nil
    }
    if let remains { clear(remains.value) }
  }

  /// Has the next access end what a cursor has left, which died outside of one.
  func abandonLater(_ statement: Statement) {
    state.withLock { box in
      guard statement.handle != nil else { return }
      box.value.abandoned.append(statement)
      hasDebts.store(true, ordering: .relaxed)
    }
  }

  /// Clears away what has died on other threads.
  ///
  /// - Precondition: The current thread is inside an access.
  package func settleDebts() {
    guard hasDebts.load(ordering: .relaxed) else { return }
    let debts = state.withLock { box in
      hasDebts.store(false, ordering: .relaxed)
      let debts = UncheckedBox((box.value.orphans, box.value.abandoned))
      box.value.orphans = []
      box.value.abandoned = []
      return debts
    }
    let (orphans, abandoned) = debts.value
    for statement in abandoned where !statement.isExecuted { statement.abandon() }
    for remains in orphans { clear(remains) }
  }

  /// Ends the statements that are under way; cursors of them throw when used.
  ///
  /// - Precondition: The current thread is inside an access.
  func endExecutions() {
    let active = state.withLock { box in
      UncheckedBox(
        box.value.statements.filter { $0._withUnsafeGuaranteedRef { $0.isActive } })
    }
    // SAFETY: whoever executes a statement retains it, and this thread alone may.
    for statement in active.value.map({ $0.takeUnretainedValue() }) { statement.abandon() }
  }

  /// Finalizes all statements; their objects stay, and throw when used.
  package func finalizeAll() {
    let everything = state.withLock { box in
      var remains = box.value.orphans
      for statement in box.value.statements {
        remains.append(statement._withUnsafeGuaranteedRef { $0.takeRemains() })
      }
      let abandoned = box.value.abandoned
      box.value = State()
      return UncheckedBox((remains, abandoned))
    }
    for remains in everything.value.0 { clear(remains) }
  }

  private func clear(_ remains: Remains) {
    for handle in remains.handles { SQLite.finalize(handle) }
    for array in remains.arrays { arrays.value.unregister(array) }
  }
}

// SAFETY: only StatementRegistry makes these, and guards what is inside with
// its lock, or hands it to the one thread that may use it.
private struct UncheckedBox<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}
