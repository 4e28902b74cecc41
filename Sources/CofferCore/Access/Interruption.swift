import CofferVault
import Synchronization

/// Interrupts and cancels a connection's work, from any thread.
final class Interruption: Sendable {
  // SAFETY: the pointer is used only under the lock, and cleared before the connection closes.
  @safe private struct Connection: @unchecked Sendable { var pointer: SQLiteConnection? }

  private let connection: Mutex<Connection>
  /// Whether the current access has been cancelled, so that it can't start more statements.
  let isCancelled = Atomic<Bool>(false)

  private let interruptions = Atomic<Int>(0)

  /// The number of interruptions so far. A wait for a lock, which SQLite doesn't end when
  /// interrupted, compares it.
  var count: Int { interruptions.load(ordering: .relaxed) }

  @safe init(connection: SQLiteConnection) {
    self.connection = unsafe Mutex(Connection(pointer: connection))
  }

  /// Interrupts the running statements, which fail with `SQLITE_INTERRUPT`.
  func interrupt() {
    interruptions.add(1, ordering: .relaxed)
    connection.withLock { if let pointer = unsafe $0.pointer { SQLite.interrupt(pointer) } }
  }

  /// Interrupts the current access, and prevents it from starting more statements.
  func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    interrupt()
  }

  @safe func connect(to pointer: SQLiteConnection) {
    connection.withLock { unsafe $0.pointer = unsafe pointer }
  }

  func disconnect() { connection.withLock { unsafe $0.pointer = nil } }
}
