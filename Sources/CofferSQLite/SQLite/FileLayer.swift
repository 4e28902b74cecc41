import CSQLCipher
import Glibc
import Synchronization

/// The file layer of all connections: the usual one, but for the locks of database files.
///
/// Where SQLite takes a lock for writing, it is asked whether the file still has its name: in the
/// log of a file that was deleted or replaced, commits would be lost without a word. And a
/// checkpoint is kept from running while others commit, where `CheckpointGuard` says so.
/// <https://sqlite.org/vfs.html>
package enum FileLayer {
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
    unsafe new.pointee.layer.szOsFile =
      unsafe stateOffset(usual) + CInt(MemoryLayout<coffer_file_state>.size)
    unsafe new.pointee.layer.xOpen = unsafe openFile
    // SAFETY: the layer is the first member of the C struct.
    let layer = unsafe UnsafeMutableRawPointer(new).assumingMemoryBound(to: sqlite3_vfs.self)
    return unsafe sqlite3_vfs_register(layer, 0) == SQLITE_OK ? UInt(bitPattern: new) : 0
  }

  /// Where a file's state begins, behind what the usual layer keeps for it.
  fileprivate static func stateOffset(_ usual: UnsafeMutablePointer<sqlite3_vfs>) -> CInt {
    unsafe (usual.pointee.szOsFile + 15) / 16 * 16
  }

  /// The methods of a file, by those that it has without the layer, and by where its state begins.
  fileprivate static func methods(
    for usual: UnsafePointer<sqlite3_io_methods>, stateOffset: CInt
  ) -> UnsafePointer<sqlite3_io_methods>? {
    let key = Table(usual: UInt(bitPattern: usual), stateOffset: stateOffset)
    let address = tables.withLock { tables in
      if let known = tables[key] { return known }
      let new = UnsafeMutablePointer<coffer_file_methods>.allocate(capacity: 1)
      unsafe new.initialize(
        to: coffer_file_methods(methods: usual.pointee, usual: usual, stateOffset: stateOffset))
      unsafe new.pointee.methods.xClose = unsafe closeFile
      unsafe new.pointee.methods.xLock = unsafe lockFile
      unsafe new.pointee.methods.xUnlock = unsafe unlockFile
      if unsafe usual.pointee.iVersion >= 2, unsafe usual.pointee.xShmLock != nil {
        unsafe new.pointee.methods.xShmMap = unsafe mapSharedMemory
        unsafe new.pointee.methods.xShmLock = unsafe lockSharedMemory
        unsafe new.pointee.methods.xShmUnmap = unsafe unmapSharedMemory
      }
      let address = UInt(bitPattern: new)
      tables[key] = address
      return address
    }
    // SAFETY: tables are never freed, the usual ones are constants of their layers, and the methods
    // are the first member of the C struct.
    return unsafe UnsafePointer(bitPattern: address)
  }

  /// What a table of methods is made from.
  private struct Table: Hashable {
    let usual: UInt
    let stateOffset: CInt
  }

  /// The tables' addresses.
  private static let tables = Mutex<[Table: UInt]>([:])

  /// A file of the layer.
  @safe struct File {
    let file: UnsafeMutablePointer<sqlite3_file>
    /// The methods that it has without the layer.
    let usual: UnsafePointer<sqlite3_io_methods>
    /// What the layer keeps for it; only the file's connection uses it, in one thread at a time.
    let state: UnsafeMutablePointer<coffer_file_state>

    /// - Precondition: The file is one of a layer.
    init?(_ file: UnsafeMutablePointer<sqlite3_file>?) {
      guard let file = unsafe file, let methods = unsafe file.pointee.pMethods else { return nil }
      // SAFETY: each file of a layer has methods from `methods(for:stateOffset:)`, the first member
      // of the struct, and was given memory for its state, which `openFile` has initialized.
      let table = unsafe UnsafeRawPointer(methods).assumingMemoryBound(
        to: coffer_file_methods.self)
      guard let usual = unsafe table.pointee.usual else { return nil }
      let state = unsafe UnsafeMutableRawPointer(file) + Int(table.pointee.stateOffset)
      unsafe (self.file, self.usual) = unsafe (file, usual)
      unsafe self.state = unsafe state.assumingMemoryBound(to: coffer_file_state.self)
    }

    /// The file of a connection's database; nil if it has none, or one of another layer.
    init?(of connection: SQLiteConnection, schema: String = "main") {
      guard
        let (file, methods) = unsafe SQLite.openFile(
          SQLITE_FCNTL_FILE_POINTER, of: schema, in: connection)
      else { return nil }
      let address = UInt(bitPattern: methods)
      guard tables.withLock({ $0.values.contains(address) }) else { return nil }
      unsafe self.init(file)
    }

    /// Whether another file, or none, has the name that the file was opened by.
    ///
    /// Not where that can't be seen, as in a folder that may not be searched any more: SQLite's
    /// file layer asks `stat`, and leaves its error.
    fileprivate var hasMoved: Bool {
      let seen = unsafe NameWatch.Moment(news: state.pointee.news, second: state.pointee.second)
      if unsafe state.pointee.watches > 0, NameWatch.isQuiet(since: seen) { return false }
      if unsafe state.pointee.watches == 0, let path = unsafe state.pointee.path {
        unsafe state.pointee.watches = unsafe NameWatch.begin(path)
      }
      let moment = NameWatch.now()
      var hasMoved: CInt = 0
      errno = 0
      let code = unsafe usual.pointee.xFileControl?(file, SQLITE_FCNTL_HAS_MOVED, &hasMoved)
      if code == SQLITE_OK, hasMoved == 0 {
        unsafe (state.pointee.news, state.pointee.second) = (moment.news, moment.second)
        return false
      }
      // What was watched may be another file.
      endWatches()
      return code == SQLITE_OK && [0, ENOENT, ENOTDIR].contains(errno)
    }

    /// Notes what the log's index says as the connection begins to read.
    ///
    /// SQLite compares the index with its own copy once more after it has the lock, and tries again
    /// if they differ. So this is what the transaction goes on with.
    /// - Parameter lock: The number of the lock in the shared memory.
    fileprivate func note(readLock lock: CInt) {
      guard lock >= Self.firstReadLock, let index = unsafe state.pointee.index else { return }
      unsafe state.pointee.readLock = lock - Self.firstReadLock
      unsafe withUnsafeMutableBytes(of: &state.pointee.header) { header in
        // SAFETY: the region is larger than the copy.
        unsafe header.copyMemory(
          from: UnsafeRawBufferPointer(start: index, count: FileLayer.indexSize))
      }
    }

    private static let firstReadLock: CInt = 3

    /// Whoever reads the file beside its connection, see ``FileReader``.
    ///
    /// The former one is told that the file is closed.
    func setReader(_ reader: FileReaderLink?) {
      if let former = unsafe state.pointee.reader {
        // SAFETY: only this method sets it, to a retained object.
        let former = unsafe Unmanaged<FileReaderLink>.fromOpaque(former).takeRetainedValue()
        former.reader.fileWillClose()
      }
      unsafe state.pointee.reader = reader.map { unsafe Unmanaged.passRetained($0).toOpaque() }
    }

    @inline(__always)
    fileprivate func tellReader() {
      guard let reader = unsafe state.pointee.reader else { return }
      // SAFETY: as above; the reader can't be replaced meanwhile.
      unsafe Unmanaged<FileReaderLink>.fromOpaque(reader)._withUnsafeGuaranteedRef {
        $0.reader.transactionDidEnd()
      }
    }

    /// The file's descriptor, which stays open until SQLite closes the file; nil if it isn't known.
    ///
    /// SQLite doesn't tell it. It is where its files have had it since 2010, behind the methods,
    /// the layer and the inode, and has to be that of the file with this name.
    var descriptor: CInt? {
      guard let path = unsafe state.pointee.path,
        unsafe UnsafeRawPointer(state) - UnsafeRawPointer(file) >= 32
      else { return nil }
      // SAFETY: the usual layer has so many bytes for each of its files.
      let words = unsafe UnsafeRawPointer(file)
      let layer = unsafe words.load(fromByteOffset: 8, as: UInt.self)
      guard layers.withLock({ $0[layer] != nil }),
        let name = unsafe UnsafePointer<sqlite3_vfs>(bitPattern: layer)?.pointee.zName,
        unsafe String(cString: name).hasPrefix("unix")
      else { return nil }
      let descriptor = unsafe words.load(fromByteOffset: 24, as: CInt.self)
      var (named, opened) = (stat(), stat())
      guard unsafe stat(path, &named) == 0, unsafe fstat(descriptor, &opened) == 0,
        named.st_dev == opened.st_dev, named.st_ino == opened.st_ino
      else { return nil }
      return descriptor
    }

    fileprivate func endWatches() {
      NameWatch.end(unsafe state.pointee.watches)
      unsafe state.pointee.watches = 0
    }
  }

  /// The beginning of the log's index as the last transaction of a connection that read its main
  /// database has seen it; nil if it hasn't looked at one.
  ///
  /// - Returns: Also whether the transaction reads the file alone, since all frames were moved.
  @safe package static func seenIndex(
    of connection: SQLiteConnection
  ) -> (bytes: [UInt8], readsFile: Bool)? {
    guard let file = unsafe File(of: connection), unsafe file.state.pointee.index != nil else {
      return nil
    }
    let bytes = unsafe withUnsafeBytes(of: file.state.pointee.header) { unsafe Array($0) }
    return unsafe (bytes, file.state.pointee.readLock == 0)
  }

  /// Lets a reader use the descriptor of a connection's file.
  ///
  /// - Returns: What `makeReader` makes of the descriptor; nil if there is none.
  @safe package static func addReader<Reader: FileReader>(
    to schema: String, of connection: SQLiteConnection, _ makeReader: (CInt) -> Reader
  ) -> Reader? {
    guard let file = unsafe File(of: connection, schema: schema),
      let descriptor = file.descriptor
    else { return nil }
    let reader = makeReader(descriptor)
    file.setReader(FileReaderLink(reader))
    return reader
  }

  /// The bytes of the index that are kept: two copies of its header, and a number of frames.
  package static let indexSize = 100

  /// Leaves the log of a connection's database as it is when the connection closes, where SQLite
  /// has no setting for that.
  ///
  /// SQLite before 3.16 moves the log's frames to the file when it gets the file's exclusive lock,
  /// as the last connection does: so this one gets none. With a log, nothing else asks for this
  /// lock but a change of the journal mode.
  @safe static func keepLogAtClose(_ connection: SQLiteConnection) {
    unsafe File(of: connection)?.state.pointee.keepsLog = 1
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
  guard code == SQLITE_OK, flags & SQLITE_OPEN_MAIN_DB != 0,
    let methods = unsafe file.pointee.pMethods
  else { return code }
  let offset = unsafe FileLayer.stateOffset(usual)
  // SAFETY: SQLite gives each file as much memory as the layer's size of files says.
  let state = unsafe (UnsafeMutableRawPointer(file) + Int(offset))
    .initializeMemory(as: coffer_file_state.self, repeating: coffer_file_state(), count: 1)
  unsafe state.pointee.path = unsafe name
  unsafe file.pointee.pMethods = unsafe FileLayer.methods(for: methods, stateOffset: offset)
  return code
}

/// Closes a file.
private func closeFile(file: UnsafeMutablePointer<sqlite3_file>?) -> CInt {
  guard let file = unsafe FileLayer.File(file), let close = unsafe file.usual.pointee.xClose else {
    return SQLITE_IOERR
  }
  file.endWatches()
  file.setReader(nil)
  return unsafe close(file.file)
}

/// Takes a lock of a file with a rollback journal.
private func lockFile(file: UnsafeMutablePointer<sqlite3_file>?, level: CInt) -> CInt {
  guard let file = unsafe FileLayer.File(file), let lock = unsafe file.usual.pointee.xLock else {
    return SQLITE_IOERR
  }
  if level == SQLITE_LOCK_RESERVED, file.hasMoved {
    return ResultCode.SQLITE_READONLY_DBMOVED.rawValue
  }
  if level == SQLITE_LOCK_EXCLUSIVE, unsafe file.state.pointee.keepsLog != 0 { return SQLITE_BUSY }
  return unsafe lock(file.file, level)
}

/// Releases a lock of a file with a rollback journal.
private func unlockFile(file: UnsafeMutablePointer<sqlite3_file>?, level: CInt) -> CInt {
  guard let file = unsafe FileLayer.File(file), let unlock = unsafe file.usual.pointee.xUnlock
  else { return SQLITE_IOERR }
  if level == SQLITE_LOCK_NONE { file.tellReader() }
  return unsafe unlock(file.file, level)
}

/// Maps a region of a file's shared memory.
private func mapSharedMemory(
  file: UnsafeMutablePointer<sqlite3_file>?, region: CInt, size: CInt, extends: CInt,
  memory: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> CInt {
  guard let file = unsafe FileLayer.File(file), let map = unsafe file.usual.pointee.xShmMap else {
    return SQLITE_IOERR
  }
  let code = unsafe map(file.file, region, size, extends, memory)
  // A region never moves. A call that fails gives none, and SQLite goes on with what it has.
  if region == 0, let memory = unsafe memory?.pointee {
    unsafe file.state.pointee.index = UnsafeRawPointer(memory)
  }
  return code
}

/// Ends a file's use of its shared memory.
private func unmapSharedMemory(
  file: UnsafeMutablePointer<sqlite3_file>?, deletes: CInt
) -> CInt {
  guard let file = unsafe FileLayer.File(file), let unmap = unsafe file.usual.pointee.xShmUnmap
  else { return SQLITE_IOERR }
  unsafe file.state.pointee.index = nil
  return unsafe unmap(file.file, deletes)
}

/// Takes or releases locks of a file's shared memory.
private func lockSharedMemory(
  file: UnsafeMutablePointer<sqlite3_file>?, offset: CInt, count: CInt, flags: CInt
) -> CInt {
  guard let file = unsafe FileLayer.File(file), let lock = unsafe file.usual.pointee.xShmLock else {
    return SQLITE_IOERR
  }
  if flags == SQLITE_SHM_LOCK | SQLITE_SHM_SHARED {
    let code = unsafe lock(file.file, offset, count, flags)
    if code == SQLITE_OK { file.note(readLock: offset) }
    return code
  }
  if flags == SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED {
    file.tellReader()
    return unsafe lock(file.file, offset, count, flags)
  }
  if offset == CheckpointGuard.writing, count == 1,
    flags == SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE, file.hasMoved
  {
    return ResultCode.SQLITE_READONLY_DBMOVED.rawValue
  }
  return unsafe CheckpointGuard.change(file, offset, count, flags, by: lock)
}

/// What reads the file of a connection beside it, by the connection's own descriptor: closing any
/// other one of the file would end the locks that the process has on it.
///
/// Both methods are called in the connection's thread.
package protocol FileReader: AnyObject {
  /// Called as a transaction of the connection ends.
  func transactionDidEnd()
  /// Called as the file is closed. Afterwards, the descriptor may be that of another file.
  func fileWillClose()
}

/// A reader, for C.
final class FileReaderLink {
  let reader: any FileReader
  init(_ reader: any FileReader) { self.reader = reader }
}
