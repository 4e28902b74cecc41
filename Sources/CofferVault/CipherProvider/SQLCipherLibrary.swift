import CofferSQLite
import Glibc

/// The functions of SQLCipher for providers, which it exports but declares in no installed header.
enum SQLCipherLibrary {
  /// The versions whose table of functions is known to be ``SQLCipherProvider``, with which the
  /// whole test suite has run.
  private static let knownVersions: Set<String> = ["4.6.1"]

  private typealias Register = @convention(c) @Sendable (UnsafeMutableRawPointer?) -> CInt
  private typealias Current = @convention(c) @Sendable () -> UnsafeMutableRawPointer?
  private typealias Locate =
    @convention(c) @Sendable (UnsafeRawPointer?, UnsafeMutableRawPointer?) -> CInt
  private typealias SetUp = @convention(c) @Sendable (UnsafeMutableRawPointer?) -> CInt

  /// Whether the table is known for a version, as `PRAGMA cipher_version` returns it.
  static func isKnown(version: String) -> Bool {
    knownVersions.contains(String(version.prefix { $0 != " " }))
  }

  /// SQLCipher's provider; nil if its table isn't the known one.
  static let stockProvider: SQLCipherProvider? = {
    guard let setUp = unsafe LibCrypto.find("sqlcipher_openssl_setup", as: SetUp.self) else {
      return nil
    }
    // Room for more functions than are known, to find out how many SQLCipher sets.
    let unset = UInt.max
    let words = unsafe MemoryLayout<SQLCipherProvider>.size / MemoryLayout<UInt>.size
    var table = [UInt](repeating: unset, count: words + 32)
    let code = unsafe table.withUnsafeMutableBytes { unsafe setUp($0.baseAddress) }
    guard code == SQLite.ok, table[words...].allSatisfy({ $0 == unset }) else { return nil }
    guard let locate = unsafe LibCrypto.find("dladdr", as: Locate.self),
      let key = unsafe dlsym(nil, "sqlite3_key")
    else { return nil }
    func library(_ address: UInt) -> UInt? {
      // SAFETY: `dladdr` takes any address, and fills a structure of four words, the second of
      // which is where the library begins: <https://man7.org/linux/man-pages/man3/dladdr.3.html>.
      var info = [UInt](repeating: 0, count: 4)
      let code = unsafe info.withUnsafeMutableBytes { info in
        unsafe locate(UnsafeRawPointer(bitPattern: address), info.baseAddress)
      }
      return code == 0 ? nil : info[1]
    }
    guard let home = library(UInt(bitPattern: key)),
      table[..<words].allSatisfy({ library($0) == home })
    else { return nil }
    // SAFETY: all words are addresses in SQLCipher. That they are the functions of these names
    // follows from its version; ``CipherProvider`` checks it before.
    return unsafe table.withUnsafeBytes { unsafe $0.load(as: SQLCipherProvider.self) }
  }()

  /// Whether the registered provider is SQLCipher's.
  ///
  /// - Precondition: A connection has a key, so that a provider is registered.
  static func usesStockProvider() -> Bool {
    guard let stock = unsafe stockProvider,
      let current = unsafe LibCrypto.find("sqlcipher_get_provider", as: Current.self)?()
    else { return false }
    // SAFETY: the registered table isn't freed while a connection has a key.
    return unsafe withUnsafeBytes(of: stock) { stock in
      unsafe stock.elementsEqual(UnsafeRawBufferPointer(start: current, count: stock.count))
    }
  }

  /// Registers a provider for keys that are set from now on.
  ///
  /// SQLCipher copies its table for each key.
  static func register(_ provider: SQLCipherProvider) -> Bool {
    guard let register = unsafe LibCrypto.find("sqlcipher_register_provider", as: Register.self),
      let memory = unsafe SQLite.allocate(MemoryLayout<SQLCipherProvider>.size)
    else { return false }
    // SAFETY: SQLCipher owns the memory now, and frees it with SQLite's allocator.
    unsafe memory.initializeMemory(as: SQLCipherProvider.self, to: provider)
    return unsafe register(memory) == SQLite.ok
  }
}
