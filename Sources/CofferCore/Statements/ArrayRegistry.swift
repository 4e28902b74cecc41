/// The array arguments that are bound to a connection's statements, which the
/// virtual table `coffer_array` reads.
///
/// SQLite knows an array by its address. In SQLite 3.20 and later it is a
/// typed pointer that SQL text cannot forge; before, it is an integer, and the
/// virtual table reads it only if it is registered here.
package final class ArrayRegistry {
  private var bound: [UnsafeRawPointer: Int] = [:]
  private var hasModule = false
  // SAFETY: the database owns the registry, and clears this when it closes.
  var connection: SQLiteConnection?

  /// The connection is another one from now on, which doesn't know `coffer_array`.
  func reconnect(to other: SQLiteConnection) {
    connection = other
    hasModule = false
  }

  func register(_ array: ArrayArgumentStorage) {
    bound[UnsafeRawPointer(Unmanaged.passUnretained(array).toOpaque()), default: 0] += 1
  }

  func unregister(_ array: ArrayArgumentStorage) {
    let address = UnsafeRawPointer(Unmanaged.passUnretained(array).toOpaque())
    guard let count = bound[address] else { return }
    bound[address] = count == 1 ? nil : count - 1
  }

  /// The array at an address, if one is bound there.
  func array(at address: UnsafeRawPointer?) -> ArrayArgumentStorage? {
    guard let address, bound[address] != nil else { return nil }
    // SAFETY: it is bound, so that the statement that it is bound to retains it.
    return Unmanaged<ArrayArgumentStorage>.fromOpaque(address).takeUnretainedValue()
  }

  /// Makes `coffer_array` known to the connection, the first time.
  func prepareModule() throws {
    guard !hasModule else { return }
    guard let connection else { throw DatabaseError.connectionIsClosed }
    let code = ArrayModule.register(in: connection, registry: self)
    guard code == SQLite.ok else { throw DatabaseError(code: code, connection: connection) }
    hasModule = true
  }
}
