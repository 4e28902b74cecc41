import Synchronization

/// Stops what a connection is doing, from any thread.
final class Interruption: Sendable {
  // SAFETY: the pointer is used under the lock alone, and cleared before the
  // connection closes.
  private struct Connection: @unchecked Sendable { var pointer: SQLiteConnection? }

  private let connection: Mutex<Connection>
  /// Whether the current access has been cancelled, so that no statement of it starts.
  let isCancelled = Atomic<Bool>(false)

  private let interruptions = Atomic<Int>(0)

  /// How often the connection has been interrupted: a wait for a lock, which
  /// SQLite doesn't end, tells by it.
  var count: Int { interruptions.load(ordering: .relaxed) }

  init(connection: SQLiteConnection) {
    self.connection = Mutex(Connection(pointer: connection))
  }

  /// Makes the statements that run now fail with `SQLITE_INTERRUPT`.
  func interrupt() {
    interruptions.add(1, ordering: .relaxed)
    connection.withLock { if let pointer = $0.pointer { SQLite.interrupt(pointer) } }
  }

  /// Interrupts the current access, and keeps it from starting statements.
  func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    interrupt()
  }

  func connect(to pointer: SQLiteConnection) { connection.withLock { $0.pointer = pointer } }

  func disconnect() { connection.withLock { $0.pointer = nil } }
}
