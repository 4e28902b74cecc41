import CofferSQLite
import Glibc

/// The functions of SQLCipher for providers, which it exports but declares in no installed header.
package enum SQLCipherLibrary {
  private typealias Register = @convention(c) @Sendable (UnsafeMutableRawPointer?) -> CInt
  private typealias Current = @convention(c) @Sendable () -> UnsafeMutableRawPointer?
  private typealias Allocate = @convention(c) @Sendable (UInt64) -> UnsafeMutableRawPointer?
  private typealias SetUp = @convention(c) @Sendable (UnsafeMutableRawPointer?) -> CInt

  /// What is known of a version's table.
  enum Knowledge: Hashable {
    /// The layout of its table, with which the tests have run, or its neighbors' on both sides.
    case known(SQLCipherProvider.Layout)
    /// It is newer than all that is known: its table may be that of the last one.
    case newer
    /// It is older, with another table.
    case older
  }

  /// Says what is known of a version, as `PRAGMA cipher_version` returns it.
  static func knowledge(ofVersion version: String) -> Knowledge? {
    guard let numbers = numbers(of: version) else { return nil }
    switch numbers {
    case (4, 3): return .known(.tailed)
    case (4, 4...6): return .known(.copied)
    case (4, 7...19): return .known(.listed)
    case (...3, _), (4, ..<3): return .older
    default: return .newer
    }
  }

  /// Whether a version, as `PRAGMA cipher_version` returns it, comes before another one.
  package static func isVersion(_ version: String, before other: (Int, Int)) -> Bool {
    numbers(of: version).map { $0 < other } ?? false
  }

  private static func numbers(of version: String) -> (major: Int, minor: Int)? {
    let numbers = version.prefix { $0 != " " }.split(separator: ".").map { Int($0) }
    guard numbers.count == 3, let major = numbers[0], let minor = numbers[1], numbers[2] != nil
    else { return nil }
    return (major, minor)
  }

  /// A provider, its layout, and the functions that this has at the end.
  typealias Table = (provider: SQLCipherProvider, layout: SQLCipherProvider.Layout, tail: [UInt])

  /// SQLCipher's table; nil if it isn't like any known one.
  static let stock: Table? = {
    guard let setUp = unsafe LibCrypto.find("sqlcipher_openssl_setup", as: SetUp.self) else {
      return nil
    }
    // Room for more functions than are known, to find out how many SQLCipher sets.
    let unset = UInt.max
    let words = unsafe MemoryLayout<SQLCipherProvider>.size / MemoryLayout<UInt>.size
    var table = [UInt](repeating: unset, count: words + 32)
    let code = unsafe table.withUnsafeMutableBytes { unsafe setUp($0.baseAddress) }
    guard code == SQLite.ok, let end = table.firstIndex(of: unset), [0, 2].contains(end - words),
      table[end...].allSatisfy({ $0 == unset })
    else { return nil }
    guard let key = unsafe dlsym(nil, "sqlite3_key") else { return nil }
    let isListed = table[..<2].allSatisfy { $0 == 0 }
    guard let home = LibCrypto.library(of: UInt(bitPattern: key)),
      table[(isListed ? 2 : 0)..<end].allSatisfy({ LibCrypto.library(of: $0) == home }),
      !isListed || end == words
    else { return nil }
    // SAFETY: the words are addresses in SQLCipher, or null where the type allows it. That they are
    // the functions of these names follows from its version; ``CipherProvider`` checks it before.
    let provider = unsafe table.withUnsafeBytes { unsafe $0.load(as: SQLCipherProvider.self) }
    let layout: SQLCipherProvider.Layout = isListed ? .listed : end == words ? .copied : .tailed
    return unsafe (provider, layout, Array(table[words..<end]))
  }()

  /// SQLCipher's provider; nil if its table isn't like any known one.
  static var stockProvider: SQLCipherProvider? { unsafe stock?.provider }

  /// The registered table.
  ///
  /// - Precondition: A connection has a key, so that a provider is registered.
  static var current: UnsafeMutableRawPointer? {
    unsafe LibCrypto.find("sqlcipher_get_provider", as: Current.self)?()
  }

  /// Whether the registered provider is SQLCipher's.
  ///
  /// - Precondition: A connection has a key, so that a provider is registered.
  static func usesStockProvider() -> Bool {
    guard let stock = unsafe stockProvider, let current = unsafe current else { return false }
    // SAFETY: the registered table isn't freed while a connection has a key.
    return unsafe withUnsafeBytes(of: stock) { stock in
      unsafe stock.elementsEqual(UnsafeRawBufferPointer(start: current, count: stock.count))
    }
  }

  /// Registers a table for keys that are set from now on.
  static func register(_ table: UnsafeMutableRawPointer) -> Bool {
    let register = unsafe LibCrypto.find("sqlcipher_register_provider", as: Register.self)
    return unsafe register?(table) == SQLite.ok
  }

  /// Returns a table that SQLCipher owns as soon as it is registered; nil if there is no memory.
  static func makeTable(of provider: SQLCipherProvider) -> UnsafeMutableRawPointer? {
    guard let (_, layout, tail) = unsafe stock else { return nil }
    let size = unsafe MemoryLayout<SQLCipherProvider>.size
    let word = MemoryLayout<UInt>.size
    let memory: UnsafeMutableRawPointer?
    switch layout {
    case .copied, .tailed:
      // It frees the last table with SQLite's allocator.
      unsafe memory = SQLite.allocate(size + tail.count * word)
    case .listed:
      // It frees all tables as the process ends, with its own allocator.
      let allocate = unsafe LibCrypto.find("sqlcipher_malloc", as: Allocate.self)
      unsafe memory = allocate?(UInt64(size + word))
    }
    // SAFETY: the memory has room for the functions and for what follows them.
    guard let memory = unsafe memory else { return nil }
    unsafe memory.initializeMemory(as: SQLCipherProvider.self, to: provider)
    for (index, function) in tail.enumerated() {
      unsafe memory.storeBytes(of: function, toByteOffset: size + index * word, as: UInt.self)
    }
    return unsafe memory
  }
}
