import CofferVault
import Synchronization

/// The prepared statements of one connection, identified by their Swift objects.
///
/// It handles two cases. When the connection closes, every remaining statement is finalized and its
/// object notified, so that a forgotten cursor throws instead of reading freed memory. When a
/// statement or a cursor is deallocated on a thread that is not inside an access, its cleanup is
/// deferred to the next access, since SQLite must not be called by two threads.
final class StatementRegistry: Sendable {
  /// The handles of a deallocated statement, and the arrays that are bound to them.
  @safe struct Remains {
    var handles: [SQLiteStatement]
    var arrays: [ArrayArgumentStorage]
  }

  @safe private struct State {
    /// The living statements, unordered; each statement knows its index.
    var statements: [Unmanaged<Statement>] = unsafe []
    var orphans: [Remains] = []
    /// Statements whose cursors were deallocated outside of an access.
    var abandoned: [Statement] = []
  }

  // SAFETY: the state is only accessed under the lock.
  private let state = Mutex(UncheckedBox(State()))
  /// Whether cleanup is pending: orphans or abandoned statements exist.
  private let hasDebts = Atomic<Bool>(false)
  // SAFETY: only used inside an access, or when the connection closes.
  private let arrays: UncheckedBox<ArrayRegistry>
  let gate: AccessGate

  init(gate: AccessGate, arrays: ArrayRegistry) {
    self.gate = gate
    self.arrays = UncheckedBox(arrays)
  }

  func add(_ statement: Statement) {
    state.withLock { box in
      statement.registryIndex = unsafe box.value.statements.count
      unsafe box.value.statements.append(Unmanaged.passUnretained(statement))
    }
  }

  /// Removes a statement that is being deallocated, and finalizes its handles now or later.
  func remove(_ statement: Statement) {
    let remains = state.withLock { box -> UncheckedBox<Remains>? in
      let remains = statement.takeRemains()
      guard unsafe !remains.handles.isEmpty else { return nil }
      let index = statement.registryIndex
      let last = unsafe box.value.statements.removeLast()
      if unsafe index < box.value.statements.count {
        unsafe box.value.statements[index] = unsafe last
        unsafe last._withUnsafeGuaranteedRef { $0.registryIndex = index }
      }
      if gate.isHeldByCurrentThread { return UncheckedBox(remains) }
      box.value.orphans.append(remains)
      hasDebts.store(true, ordering: .relaxed)
      return nil
    }
    if let remains { clear(remains.value) }
  }

  /// Defers to the next access the reset of a statement whose cursor was deallocated outside of
  /// one.
  func abandonLater(_ statement: Statement) {
    state.withLock { box in
      guard unsafe statement.handle != nil else { return }
      box.value.abandoned.append(statement)
      hasDebts.store(true, ordering: .relaxed)
    }
  }

  /// Cleans up after objects that were deallocated on other threads.
  ///
  /// - Precondition: The current thread is inside an access.
  @inline(__always)
  func settleDebts() {
    if hasDebts.load(ordering: .relaxed) { settleKnownDebts() }
  }

  @inline(never)
  private func settleKnownDebts() {
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

  /// Ends all running statements; their cursors throw when used.
  ///
  /// - Precondition: The current thread is inside an access.
  func endExecutions() {
    let active = unsafe state.withLock { box in
      unsafe UncheckedBox(
        box.value.statements.filter { unsafe $0._withUnsafeGuaranteedRef { $0.isActive } })
    }
    // SAFETY: the executor of a statement retains it, and only this thread can execute one.
    for statement in unsafe active.value.map({ unsafe $0.takeUnretainedValue() }) {
      statement.abandon()
    }
  }

  /// Finalizes all statements; their objects remain, and throw when used.
  func finalizeAll() {
    let everything = state.withLock { box in
      var remains = box.value.orphans
      unsafe box.value.statements.forEach { statement in
        unsafe remains.append(statement._withUnsafeGuaranteedRef { $0.takeRemains() })
      }
      let abandoned = box.value.abandoned
      box.value = State()
      return UncheckedBox((remains, abandoned))
    }
    for remains in everything.value.0 { clear(remains) }
  }

  private func clear(_ remains: Remains) {
    unsafe remains.handles.forEach { SQLite.finalize($0) }
    for array in remains.arrays { arrays.value.unregister(array) }
  }
}

// SAFETY: only StatementRegistry creates boxes, and either guards their content with its lock or
// hands it to the one thread that is allowed to use it.
private struct UncheckedBox<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}
