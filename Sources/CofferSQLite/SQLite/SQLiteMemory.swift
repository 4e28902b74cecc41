import CSQLCipher
import Glibc

/// SQLite's memory, in a ``SecretArena``.
///
/// SQLite's caches, statements and sorters, and SQLCipher's buffers, hold decrypted rows. All of
/// their memory comes from here, and is wiped when it is freed, unless other code of the process
/// has initialized SQLite before, or `COFFER_STOCK_MEMORY=1` is in the environment.
enum SQLiteMemory {
  /// Whether SQLite uses the arena.
  ///
  /// The first access installs it, and has to come before SQLite is initialized.
  static let isInstalled: Bool = {
    if let stock = unsafe getenv("COFFER_STOCK_MEMORY"), unsafe stock.pointee != 0 { return false }
    guard let arena = SecretArena() else { return false }
    unsafe SQLiteMemory.arena = arena
    var methods = unsafe sqlite3_mem_methods()
    unsafe methods.xMalloc = { unsafe SQLiteMemory.allocate($0) }
    unsafe methods.xFree = { unsafe SQLiteMemory.free($0) }
    unsafe methods.xRealloc = { unsafe SQLiteMemory.reallocate($0, $1) }
    unsafe methods.xSize = { unsafe SQLiteMemory.byteCount($0) }
    unsafe methods.xRoundup = { CInt(clamping: SecretArena.roundUp(Int($0))) }
    unsafe methods.xInit = { _ in unsafe SQLiteMemory.system.xInit(SQLiteMemory.system.pAppData) }
    unsafe methods.xShutdown = { _ in
      unsafe SQLiteMemory.system.xShutdown(SQLiteMemory.system.pAppData)
    }
    return unsafe coffer_config_memory(&system, &methods) == SQLITE_OK
  }()

  // SAFETY: both are set before SQLite gets the functions below, which alone use them. SQLite calls
  // these inside of its mutex for memory, since its statistics are on, except `xSize` and
  // `xRoundup`, which read what doesn't change while a block is in use.
  @exclusivity(unchecked) nonisolated(unsafe) private static var arena: SecretArena?
  // SQLite's own memory, for what the arena has no room for. SAFETY: as above.
  @exclusivity(unchecked) nonisolated(unsafe) private static var system =
    unsafe sqlite3_mem_methods()

  private static func allocate(_ count: CInt) -> UnsafeMutableRawPointer? {
    let block = unsafe arena!.allocate(Int(count))
    if block != 0 { return unsafe UnsafeMutableRawPointer(bitPattern: block) }
    return unsafe system.xMalloc(count)
  }

  private static func free(_ block: UnsafeMutableRawPointer?) {
    guard let block = unsafe block else { return }
    let address = UInt(bitPattern: block)
    // SAFETY: a block has the bytes that it was rounded up to.
    unsafe explicit_bzero(block, Int(byteCount(block)))
    if unsafe arena!.contains(address) {
      unsafe arena!.free(address)
    } else {
      unsafe system.xFree(block)
    }
  }

  private static func byteCount(_ block: UnsafeMutableRawPointer?) -> CInt {
    guard let block = unsafe block else { return 0 }
    let address = UInt(bitPattern: block)
    return unsafe arena!.contains(address)
      ? CInt(clamping: arena!.byteCount(of: address)) : system.xSize(block)
  }

  private static func reallocate(
    _ block: UnsafeMutableRawPointer?, _ count: CInt
  ) -> UnsafeMutableRawPointer? {
    let old = unsafe Int(byteCount(block))
    if let block = unsafe block, unsafe arena!.contains(UInt(bitPattern: block)),
      SecretArena.roundUp(Int(count)) == old
    {
      return unsafe block
    }
    guard let new = unsafe allocate(count) else { return nil }
    if let block = unsafe block {
      // SAFETY: both blocks have at least so many bytes.
      unsafe new.copyMemory(from: block, byteCount: min(old, Int(count)))
      unsafe free(block)
    }
    return unsafe new
  }
}
