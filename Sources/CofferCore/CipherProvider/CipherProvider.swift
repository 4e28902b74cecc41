import Glibc
import Synchronization

/// The choice of SQLCipher's cryptographic provider for keys of this process.
///
/// SQLCipher has one registered provider for a process, whose functions each key copies. The first
/// keyed connection registers ``KeptProvider``, if this version of SQLCipher is known and the
/// provider's results equal those of SQLCipher's. Otherwise SQLCipher's stays registered.
enum CipherProvider {
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
      if choice == .undecided, !usesStock { choice = register() }
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
  static var keepsContexts: Bool {
    choice.withLock { choice in
      if choice == .undecided { choice = register() }
      return choice == .kept
    }
  }

  /// Registers the provider that keeps its contexts, if it works.
  private static func register() -> Choice {
    guard !isTurnedOff, let anchor = unsafe makeAnchor() else { return .stock }
    guard let version = try? SQLite.scalar(anchor, "PRAGMA cipher_version"),
      SQLCipherLibrary.isKnown(version: version),
      SQLCipherLibrary.usesStockProvider(),
      let stock = unsafe SQLCipherLibrary.stockProvider,
      let kept = unsafe KeptProvider.provider,
      unsafe ProviderProof.holds(for: kept, beside: stock), unsafe SQLCipherLibrary.register(kept)
    else {
      SQLite.closeWhenIdle(anchor)
      return .stock
    }
    return .kept
  }

  private static var isTurnedOff: Bool {
    guard let value = unsafe getenv(variable) else { return false }
    return unsafe !["", "0"].contains(String(cString: value))
  }

  /// Opens a connection in memory that stays open: as the last keyed connection closes, SQLCipher
  /// forgets the registered provider.
  private static func makeAnchor() -> SQLiteConnection? {
    guard let anchor = try? Database.connect(to: ":memory:", flags: [.readWrite, .create])
    else { return nil }
    let key = SecureBytes(count: 32) { unsafe fillWithRandomBytes($0) }
    guard key.withUnsafeBytes({ SQLite.key(anchor, $0) }) == SQLite.ok,
      (try? Database.silenceLog(of: anchor)) != nil
    else {
      SQLite.closeWhenIdle(anchor)
      return nil
    }
    return unsafe anchor
  }

  /// Describes a provider.
  static func description(keepsContexts: Bool) -> String {
    let library = LibCrypto.version ?? "libcrypto"
    return keepsContexts
      ? "coffer: contexts kept, \(library)" : "stock: SQLCipher's own, \(library)"
  }
}
