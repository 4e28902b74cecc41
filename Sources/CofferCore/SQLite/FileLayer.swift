import CSQLCipher
import Glibc
import Synchronization

/// The file layer of all connections: the usual one, but for two methods of database files.
///
/// Where SQLite takes a lock for writing, it is asked whether the file still has its name: in the log of
/// a file that was deleted or replaced, commits would be lost without a word. And a checkpoint is kept
/// from running while others commit, where `CheckpointGuard` says so.
/// <https://sqlite.org/vfs.html>
enum FileLayer {
  /// The name of the layer for new connections; nil for the usual one.
  static func name() -> UnsafePointer<CChar>? {
    guard let usual = unsafe sqlite3_vfs_find(nil) else { return nil }
    // Another layer can become the usual one, whose files may be larger.
    let address = layers.withLock { layers in
      let known = layers[UInt(bitPattern: usual)]
      let address = unsafe known ?? registered(usual, number: layers.count)
      if known == nil, address != 0 { layers[UInt(bitPattern: usual)] = address }
      return address
    }
    // SAFETY: a registered layer is never freed, and never changed.
    return unsafe UnsafePointer<coffer_file_layer>(bitPattern: address)?.pointee.layer.zName
  }

  /// The layers' addresses, by those of the usual ones.
  private static let layers = Mutex<[UInt: UInt]>([:])

  /// Registers a layer.
  ///
  /// - Returns: Its address; 0 if SQLite refuses it.
  private static func registered(
    _ usual: UnsafeMutablePointer<sqlite3_vfs>, number: Int
  ) -> UInt {
    let new = UnsafeMutablePointer<coffer_file_layer>.allocate(capacity: 1)
    unsafe new.initialize(to: coffer_file_layer(layer: usual.pointee, usual: usual))
    unsafe new.pointee.layer.zName = unsafe UnsafePointer(strdup("coffer-\(number)"))
    unsafe new.pointee.layer.pNext = nil
    unsafe new.pointee.layer.xOpen = unsafe openFile
    // SAFETY: the layer is the first member of the C struct.
    let layer = unsafe UnsafeMutableRawPointer(new).assumingMemoryBound(to: sqlite3_vfs.self)
    return unsafe sqlite3_vfs_register(layer, 0) == SQLITE_OK ? UInt(bitPattern: new) : 0
  }

  /// The methods of a file, by those that it has without the layer.
  fileprivate static func methods(
    for usual: UnsafePointer<sqlite3_io_methods>
  ) -> UnsafePointer<sqlite3_io_methods>? {
    let address = tables.withLock { tables in
      if let known = tables[UInt(bitPattern: usual)] { return known }
      let new = UnsafeMutablePointer<coffer_file_methods>.allocate(capacity: 1)
      unsafe new.initialize(to: coffer_file_methods(methods: usual.pointee, usual: usual))
      unsafe new.pointee.methods.xLock = unsafe lockFile
      if unsafe usual.pointee.iVersion >= 2, unsafe usual.pointee.xShmLock != nil {
        unsafe new.pointee.methods.xShmLock = unsafe lockSharedMemory
      }
      let address = UInt(bitPattern: new)
      tables[UInt(bitPattern: usual)] = address
      return address
    }
    // SAFETY: tables are never freed, the usual ones are constants of their layers, and the methods are
    // the first member of the C struct.
    return unsafe UnsafePointer(bitPattern: address)
  }

  /// The tables' addresses, by those of the usual ones.
  private static let tables = Mutex<[UInt: UInt]>([:])

  /// Returns the usual methods of a file of the layer.
  fileprivate static func usualMethods(
    of file: UnsafeMutablePointer<sqlite3_file>
  ) -> UnsafePointer<sqlite3_io_methods>? {
    // SAFETY: a file of the layer has the methods that `openFile` has given it, the first member of the
    // struct.
    unsafe file.pointee.pMethods.flatMap { methods in
      unsafe UnsafeRawPointer(methods).assumingMemoryBound(to: coffer_file_methods.self)
        .pointee.usual
    }
  }

  /// Whether another file, or none, has the name that the file was opened by.
  fileprivate static func hasMoved(
    _ file: UnsafeMutablePointer<sqlite3_file>, _ methods: UnsafePointer<sqlite3_io_methods>
  ) -> Bool {
    var hasMoved: CInt = 0
    let code = unsafe methods.pointee.xFileControl?(file, SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    return code == SQLITE_OK && hasMoved != 0
  }
}

/// Opens a file of a layer, as the usual one does.
private func openFile(
  layer: UnsafeMutablePointer<sqlite3_vfs>?, name: UnsafePointer<CChar>?,
  file: UnsafeMutablePointer<sqlite3_file>?, flags: CInt, outFlags: UnsafeMutablePointer<CInt>?
) -> CInt {
  guard let layer = unsafe layer, let file = unsafe file else { return SQLITE_CANTOPEN }
  // SAFETY: SQLite hands over the layer that was registered, the first member of the struct.
  let usual = unsafe UnsafeRawPointer(layer).assumingMemoryBound(to: coffer_file_layer.self)
    .pointee.usual
  guard let usual = unsafe usual, let open = unsafe usual.pointee.xOpen else {
    return SQLITE_CANTOPEN
  }
  let code = unsafe open(usual, name, file, flags, outFlags)
  if code == SQLITE_OK, flags & SQLITE_OPEN_MAIN_DB != 0, let methods = unsafe file.pointee.pMethods
  {
    unsafe file.pointee.pMethods = unsafe FileLayer.methods(for: methods)
  }
  return code
}

/// Takes a lock of a file with a rollback journal.
private func lockFile(file: UnsafeMutablePointer<sqlite3_file>?, level: CInt) -> CInt {
  guard let file = unsafe file, let methods = unsafe FileLayer.usualMethods(of: file),
    let lock = unsafe methods.pointee.xLock
  else { return SQLITE_IOERR }
  if level == SQLITE_LOCK_RESERVED, unsafe FileLayer.hasMoved(file, methods) {
    return ResultCode.SQLITE_READONLY_DBMOVED.rawValue
  }
  return unsafe lock(file, level)
}

/// Takes or releases locks of a file's shared memory.
private func lockSharedMemory(
  file: UnsafeMutablePointer<sqlite3_file>?, offset: CInt, count: CInt, flags: CInt
) -> CInt {
  guard let file = unsafe file, let methods = unsafe FileLayer.usualMethods(of: file),
    let lock = unsafe methods.pointee.xShmLock
  else { return SQLITE_IOERR }
  let takesLock = SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE
  if offset == CheckpointGuard.writing, count == 1, flags == takesLock,
    unsafe FileLayer.hasMoved(file, methods)
  {
    return ResultCode.SQLITE_READONLY_DBMOVED.rawValue
  }
  return unsafe CheckpointGuard.change(file, offset, count, flags, by: lock)
}
