import CofferSQLite
import Glibc
import Synchronization

/// The choice of SQLCipher's cryptographic provider for keys of this process.
///
/// SQLCipher has one registered provider for a process, whose functions each key copies. The first
/// keyed connection registers ``KeptProvider``, if this version of SQLCipher is known and the
/// provider's results equal those of SQLCipher's. Otherwise SQLCipher's stays registered.
package enum CipherProvider {
  private enum Choice { case undecided, stock, kept }

  private static let choice = Mutex(Choice.undecided)

  /// The environment variable that leaves SQLCipher's provider registered.
  private static let variable = "COFFER_STOCK_CIPHER"

  /// Sets a connection's key, see ``SQLite/key(_:_:)``.
  ///
  /// - Parameter usesStock: Whether the connection uses SQLCipher's provider in any case.
  /// - Returns: SQLite's code, and whether the connection keeps its contexts.
  @safe static func setKey(
    _ bytes: UnsafeRawBufferPointer, usesStock: Bool, in connection: SQLiteConnection
  ) -> (code: CInt, keepsContexts: Bool) {
    // Another connection must not change the provider meanwhile. Nothing is derived here.
    choice.withLock { choice in
      if choice == .undecided { choice = register() }
      guard choice != .undecided else { return (SQLite.noMemory, false) }
      guard choice == .kept else { return (SQLite.key(connection, bytes), false) }
      guard usesStock, let stock = unsafe SQLCipherLibrary.stockProvider,
        let kept = unsafe KeptProvider.provider
      else { return (SQLite.key(connection, bytes), true) }
      guard unsafe SQLCipherLibrary.register(stock) else { return (SQLite.noMemory, false) }
      defer {
        if unsafe !SQLCipherLibrary.register(kept) { choice = .stock }
      }
      return (SQLite.key(connection, bytes), false)
    }
  }

  /// Whether keys use the provider that keeps its contexts.
  package static var keepsContexts: Bool {
    choice.withLock { choice in
      if choice == .undecided { choice = register() }
      return choice == .kept
    }
  }

  /// Registers the provider that keeps its contexts, if it works.
  ///
  /// - Returns: The choice; none yet, if memory is exhausted.
  private static func register() -> Choice {
    // SQLCipher allocates its provider with the first of the open keys, and crashes if there is no
    // memory for it. While the anchor is open, that can't happen again, whatever the choice.
    do {
      return unsafe registerKept(beside: try makeAnchor()) ? .kept : .stock
    } catch let error as DatabaseError where error.resultCode == .SQLITE_NOMEM {
      return .undecided
    } catch {
      return .stock
    }
  }

  /// Registers ``KeptProvider``, if this version of SQLCipher is known and its results are the
  /// same.
  private static func registerKept(beside anchor: SQLiteConnection) -> Bool {
    guard SQLCipherGeneration.linked != .three, !isTurnedOff,
      let version = try? SQLite.scalar(anchor, "PRAGMA cipher_version"),
      SQLCipherLibrary.isKnown(version: version),
      SQLCipherLibrary.usesStockProvider(),
      let stock = unsafe SQLCipherLibrary.stockProvider,
      let kept = unsafe KeptProvider.provider
    else { return false }
    return unsafe ProviderProof.holds(for: kept, beside: stock) && SQLCipherLibrary.register(kept)
  }

  private static var isTurnedOff: Bool {
    guard let value = unsafe getenv(variable) else { return false }
    return unsafe !["", "0"].contains(String(cString: value))
  }

  /// Opens a connection in memory that stays open: as the last keyed connection closes, SQLCipher
  /// forgets the registered provider.
  private static func makeAnchor() throws -> SQLiteConnection {
    let anchor = try SQLite.connect(to: ":memory:", flags: [.readWrite, .create])
    do {
      let key = SecureBytes(count: 32) { unsafe fillWithRandomBytes($0) }
      let code = key.withUnsafeBytes { SQLite.key(anchor, $0) }
      guard code == SQLite.ok else {
        throw DatabaseError(resultCode: ResultCode(rawValue: code), message: nil)
      }
      try CipherLog.setLevel(of: anchor)
      return unsafe anchor
    } catch {
      SQLite.closeWhenIdle(anchor)
      throw error
    }
  }

  /// Describes a provider.
  package static func description(keepsContexts: Bool) -> String {
    let library = LibCrypto.version ?? "libcrypto"
    return keepsContexts
      ? "coffer: contexts kept, \(library)" : "stock: SQLCipher's own, \(library)"
  }
}
