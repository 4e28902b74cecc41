import CofferSQLite
import Glibc
import Synchronization

/// The choice of SQLCipher's cryptographic provider for keys of this process.
///
/// SQLCipher has one registered provider for a process, which each key takes. The first keyed
/// connection registers ``KeptProvider``, if the layout of this SQLCipher's table is known, or
/// proven in another process, and the provider's results equal those of SQLCipher's. Otherwise
/// SQLCipher's stays registered.
package enum CipherProvider {
  private enum Choice {
    case undecided
    /// SQLCipher's, and why.
    case stock(String)
    case kept(ProviderSwitch)
  }

  private static let choice = Mutex(Choice.undecided)

  /// The environment variable that leaves SQLCipher's provider registered.
  private static let variable = "COFFER_STOCK_CIPHER"

  /// Sets a connection's key, see ``SQLite/key(_:_:)``.
  ///
  /// - Parameters:
  ///   - usesStock: Whether the connection uses SQLCipher's provider in any case.
  ///   - readsAhead: Whether pages are decrypted ahead of scans.
  /// - Returns: SQLite's code, and how the connection's provider works.
  @safe static func setKey(
    _ bytes: UnsafeRawBufferPointer, usesStock: Bool, readsAhead: Bool,
    in connection: SQLiteConnection
  ) -> (code: CInt, provision: CipherProvision) {
    guard readsAhead else {
      let (code, keepsContexts) = setKey(bytes, usesStock: usesStock, in: connection)
      return (code, CipherProvision(keepsContexts: keepsContexts))
    }
    let ((code, keepsContexts), context) = unsafe KeptProvider.contextMade {
      setKey(bytes, usesStock: usesStock, in: connection)
    }
    let readAhead = unsafe ReadAhead.begin("main", of: connection, context)
    return (code, CipherProvision(keepsContexts: keepsContexts, readAhead: readAhead))
  }

  @safe private static func setKey(
    _ bytes: UnsafeRawBufferPointer, usesStock: Bool, in connection: SQLiteConnection
  ) -> (code: CInt, keepsContexts: Bool) {
    // Another connection must not change the provider meanwhile. Nothing is derived here.
    choice.withLock { choice in
      decide(&choice)
      switch choice {
      case .undecided: return (SQLite.noMemory, false)
      case .stock: return (SQLite.key(connection, bytes), false)
      case .kept(let providers):
        guard usesStock else { return (SQLite.key(connection, bytes), true) }
        guard providers.turn(toStock: true) else { return (SQLite.noMemory, false) }
        defer {
          if !providers.turn(toStock: false) {
            choice = .stock("Coffer's can't be registered again")
          }
        }
        return (SQLite.key(connection, bytes), false)
      }
    }
  }

  /// Describes the provider of the process's keys.
  package static var description: String {
    choice.withLock { choice in
      decide(&choice)
      return switch choice {
      case .undecided: description(keepsContexts: false, "memory is exhausted")
      case .stock(let reason): description(keepsContexts: false, reason)
      case .kept: description(keepsContexts: true)
      }
    }
  }

  /// Describes the provider of a keyed connection.
  package static func description(keepsContexts: Bool) -> String {
    if keepsContexts { return description(keepsContexts: true, nil) }
    let reason: String? = choice.withLock { choice in
      if case .stock(let reason) = choice { reason } else { nil }
    }
    return description(keepsContexts: false, reason ?? "as the connection asks for")
  }

  private static func description(keepsContexts: Bool, _ reason: String?) -> String {
    let library = LibCrypto.version ?? "libcrypto"
    return keepsContexts
      ? "coffer: contexts kept, \(library)"
      : "stock: SQLCipher's own, \(library)" + (reason.map { " (\($0))" } ?? "")
  }

  /// Decides with the first key. If memory is exhausted, the next key decides.
  private static func decide(_ choice: inout Choice) {
    guard case .undecided = choice else {
      if case .kept(let providers) = choice, !providers.isIntact {
        choice = .stock("another one was registered")
      }
      return
    }
    // SQLCipher allocates its provider with the first of the open keys, and crashes if there is no
    // memory for it. While the anchor is open, that can't happen again, whatever the choice.
    do {
      choice = unsafe choose(beside: try makeAnchor())
    } catch let error as DatabaseError where error.resultCode == .SQLITE_NOMEM {
      return
    } catch {
      choice = .stock("\(error)")
    }
  }

  /// Registers ``KeptProvider``, if it works with this SQLCipher.
  private static func choose(beside anchor: SQLiteConnection) -> Choice {
    guard SQLCipherGeneration.linked != .three else {
      return .stock("SQLCipher 3 has another table of functions")
    }
    guard !isTurnedOff else { return .stock("\(variable) is set") }
    guard let version = try? SQLite.scalar(anchor, "PRAGMA cipher_version"),
      let knowledge = SQLCipherLibrary.knowledge(ofVersion: version)
    else { return .stock("SQLCipher doesn't say its version") }
    let name = "SQLCipher \(version.prefix { $0 != " " })"
    guard let (stock, layout, _) = unsafe SQLCipherLibrary.stock,
      knowledge == .newer ? layout == .listed : knowledge == .known(layout)
    else { return .stock("\(name) has another table of functions than Coffer knows") }
    guard SQLCipherLibrary.usesStockProvider() else {
      return .stock("another one was registered")
    }
    guard let kept = unsafe KeptProvider.provider else {
      return .stock("libcrypto's functions can't be found")
    }
    // What isn't known can crash, and does so in another process.
    if knowledge == .newer, unsafe !ProviderProof.holdsInChild(for: kept, beside: stock) {
      return .stock("\(name) is newer than Coffer, whose provider doesn't fit it")
    }
    guard unsafe ProviderProof.holds(for: kept, beside: stock) else {
      return .stock("Coffer's has other results")
    }
    guard let providers = unsafe ProviderSwitch(from: stock, to: kept, layout: layout) else {
      return .stock("Coffer's can't be registered")
    }
    return .kept(providers)
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
}

/// How a connection's provider works.
package struct CipherProvision {
  /// Whether it is ``KeptProvider``.
  package var keepsContexts = false
  /// What decrypts pages ahead of scans; nil for nothing.
  package var readAhead: ReadAhead?

  package init(keepsContexts: Bool = false, readAhead: ReadAhead? = nil) {
    (self.keepsContexts, self.readAhead) = (keepsContexts, readAhead)
  }
}
