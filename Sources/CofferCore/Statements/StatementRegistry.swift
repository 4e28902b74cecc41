import Synchronization

/// The prepared statements of one connection, known by their Swift objects.
///
/// It settles two deaths. When the connection closes, every statement that is
/// left is finalized and its object told, so that a forgotten cursor throws
/// instead of reading freed memory. When an object dies on a thread that is
/// not inside an access, its handle is kept until the next access finalizes
/// it, since SQLite's handle must not be touched from two threads.
package final class StatementRegistry: Sendable {
  private struct State {
    /// Statements alive, in no order; a statement knows its index.
    var statements: [Unmanaged<Statement>] = []
    var orphans: [SQLiteStatement] = []
  }

  // SAFETY: the pointers in the state are touched under the lock alone.
  private let state = Mutex(UncheckedBox(State()))
  private let hasOrphans = Atomic<Bool>(false)
  package let gate: AccessGate

  package init(gate: AccessGate) { self.gate = gate }

  func add(_ statement: Statement) {
    state.withLock { box in
      statement.registryIndex = box.value.statements.count
      box.value.statements.append(Unmanaged.passUnretained(statement))
    }
  }

  /// Takes a dying statement out, and its handles over.
  func remove(_ statement: Statement) {
    let handles = state.withLock { box -> [SendablePointer] in
      let handles = statement.takeHandles()
      guard !handles.isEmpty else { return [] }
      let index = statement.registryIndex
      let last = box.value.statements.removeLast()
      if index < box.value.statements.count {
        box.value.statements[index] = last
        last._withUnsafeGuaranteedRef { $0.registryIndex = index }
      }
      if gate.isHeldByCurrentThread { return handles.map(SendablePointer.init) }
      box.value.orphans.append(contentsOf: handles)
      hasOrphans.store(true, ordering: .relaxed)
      return []
    }
    for handle in handles { SQLite.finalize(handle.pointer) }
  }

  /// Finalizes the statements whose objects died on other threads.
  ///
  /// - Precondition: The current thread is inside an access.
  package func finalizeOrphans() {
    guard hasOrphans.load(ordering: .relaxed) else { return }
    let orphans = state.withLock { box in
      hasOrphans.store(false, ordering: .relaxed)
      let orphans = box.value.orphans.map(SendablePointer.init)
      box.value.orphans = []
      return orphans
    }
    for orphan in orphans { SQLite.finalize(orphan.pointer) }
  }

  /// Finalizes all statements; their objects stay, and throw when used.
  package func finalizeAll() {
    finalizeOrphans()
    let handles = state.withLock { box in
      let handles = box.value.statements.flatMap { statement in
        statement._withUnsafeGuaranteedRef { $0.takeHandles().map(SendablePointer.init) }
      }
      box.value.statements = []
      return handles
    }
    for handle in handles { SQLite.finalize(handle.pointer) }
  }
}

// SAFETY: only StatementRegistry makes these, and guards what is inside with
// its lock, or hands it to the one thread that finalizes it.
private struct UncheckedBox<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}

// SAFETY: as above.
private struct SendablePointer: @unchecked Sendable {
  let pointer: OpaquePointer
  init(_ pointer: OpaquePointer) { self.pointer = pointer }
}
