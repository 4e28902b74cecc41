import CSQLCipher

/// Keeps other connections from committing while a checkpoint runs, on engines that lose commits
/// otherwise.
///
/// A checkpoint reads the log's length, and then how much of the log is in the file already. If
/// another connection's commit restarts the log in between, SQLite before 3.51.3 takes the old
/// length for the new log's: it moves frames of the old log over newer pages, and leaves out as
/// many of the new one for good.
///
/// Each checkpoint takes the lock for checkpoints first, whoever asks for it: a pool, SQLite's own
/// automatic one, a pragma, or a closing connection. So that is where the lock for writing is
/// taken, too, and it is kept until the lock for checkpoints is given back. If a writer has it, the
/// checkpoint is left out with `SQLITE_BUSY`, and the next commit tries again. The checkpoint at
/// the last connection's close takes neither lock, as it has the whole file to itself.
///
/// This works on the locks of a file's shared memory, which SQLite asks the `FileLayer` for, and
/// covers attached files as well. <https://sqlite.org/walformat.html#wal_locks>
package enum CheckpointGuard {
  package static let isNeeded = SQLiteFeatures.linked.losesCommitsAtCheckpoints

  /// The locks by number.
  static let writing: CInt = 0
  private static let checkpointing: CInt = 1

  /// Runs a checkpoint of `connection` while another connection of the caller's keeps all others
  /// from committing, by a write transaction.
  @safe package static func protectingOtherwise<Result, Failure>(
    _ connection: SQLiteConnection, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let file = unsafe FileLayer.File(of: connection)
    unsafe file?.state.pointee.isProtected = 1
    defer { unsafe file?.state.pointee.isProtected = 0 }
    return try body()
  }

  /// A method that takes or releases locks of a file's shared memory.
  typealias Lock =
    @convention(c) (UnsafeMutablePointer<sqlite3_file>?, CInt, CInt, CInt) -> CInt

  /// Takes or releases locks of a file's shared memory, and with the lock for checkpoints that for
  /// writing.
  static func change(
    _ file: FileLayer.File, _ offset: CInt, _ count: CInt, _ flags: CInt, by lock: Lock
  ) -> CInt {
    let state = unsafe file.state
    // A recovery takes a range of locks, among which that for checkpoints; it has the one for
    // writing. A reader of a snapshot shares that for checkpoints.
    guard isNeeded, count == 1, offset <= checkpointing, flags & SQLITE_SHM_EXCLUSIVE != 0 else {
      return unsafe lock(file.file, offset, count, flags)
    }
    if offset == writing {
      // A checkpoint that takes it itself has it, and keeps it until its end.
      return unsafe state.pointee.isCheckpointing != 0
        ? SQLITE_OK : lock(file.file, offset, count, flags)
    }
    let release = SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE
    guard flags & SQLITE_SHM_LOCK != 0 else {
      if unsafe state.pointee.isCheckpointing != 0 {
        unsafe state.pointee.isCheckpointing = 0
        _ = unsafe lock(file.file, writing, 1, release)
      }
      return unsafe lock(file.file, offset, count, flags)
    }
    let code = unsafe lock(file.file, offset, count, flags)
    guard code == SQLITE_OK, unsafe state.pointee.isProtected == 0 else { return code }
    let writingCode = unsafe lock(file.file, writing, 1, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE)
    guard writingCode == SQLITE_OK else {
      _ = unsafe lock(file.file, offset, count, release)
      return writingCode
    }
    unsafe state.pointee.isCheckpointing = 1
    return SQLITE_OK
  }
}
