import CofferVault

/// The array arguments that are bound to a connection's statements, and that the virtual table
/// `coffer_array` reads.
///
/// SQLite receives the address of an array. In SQLite 3.20 and later it is a typed pointer that SQL
/// text cannot forge; before, it is an integer, and the virtual table reads the array only if it is
/// registered here.
@safe final class ArrayRegistry {
  @safe private var bound: [UnsafeRawPointer: Int] = unsafe [:]
  private var hasModule = false
  // SAFETY: the database owns the registry, and clears this property when it closes.
  @safe var connection: SQLiteConnection?

  /// Switches to another connection, in which `coffer_array` is not registered yet.
  @safe func reconnect(to other: SQLiteConnection) {
    connection = unsafe other
    hasModule = false
  }

  func register(_ array: ArrayArgumentStorage) {
    unsafe bound[UnsafeRawPointer(Unmanaged.passUnretained(array).toOpaque()), default: 0] += 1
  }

  func unregister(_ array: ArrayArgumentStorage) {
    let address = unsafe UnsafeRawPointer(Unmanaged.passUnretained(array).toOpaque())
    guard let count = unsafe bound[address] else { return }
    unsafe bound[address] = count == 1 ? nil : count - 1
  }

  /// Returns the array at an address, if one is bound there.
  @safe func array(at address: UnsafeRawPointer?) -> ArrayArgumentStorage? {
    guard let address = unsafe address, unsafe bound[address] != nil else { return nil }
    // SAFETY: the array is bound, so the statement that it is bound to retains it.
    return unsafe Unmanaged<ArrayArgumentStorage>.fromOpaque(address).takeUnretainedValue()
  }

  /// Registers `coffer_array` in the connection on first use.
  func prepareModule() throws {
    guard !hasModule else { return }
    guard let connection else { throw DatabaseError.connectionIsClosed }
    let code = ArrayModule.register(in: connection, registry: self)
    guard code == SQLite.ok else { throw DatabaseError(code: code, connection: connection) }
    hasModule = true
  }
}
