import CSQLCipher
import Synchronization

/// Keeps other connections from committing while a checkpoint runs, on engines that lose commits
/// otherwise.
///
/// A checkpoint reads the log's length, and then how much of the log is in the file already. If another
/// connection's commit restarts the log in between, SQLite before 3.51.3 takes the old length for the new
/// log's: it moves frames of the old log over newer pages, and leaves out as many of the new one for good.
///
/// Each checkpoint takes the lock for checkpoints first, whoever asks for it: a pool, SQLite's own
/// automatic one, a pragma, or a closing connection. So that is where the lock for writing is taken, too,
/// and it is kept until the lock for checkpoints is given back. If a writer has it, the checkpoint is
/// left out with `SQLITE_BUSY`, and the next commit tries again. The checkpoint at the last connection's
/// close takes neither lock, as it has the whole file to itself.
///
/// This works on the locks of a file's shared memory, which SQLite asks the `FileLayer` for, and covers
/// attached files as well.
/// <https://sqlite.org/walformat.html#wal_locks>
enum CheckpointGuard {
  static let isNeeded = SQLiteFeatures.linked.losesCommitsAtCheckpoints

  /// The locks by number.
  static let writing: CInt = 0
  private static let checkpointing: CInt = 1

  /// How many run in the process, so that a commit without any takes no mutex.
  private static let count = Atomic(0)
  private static let files = Mutex<Set<UInt>>([])

  private static func begin(_ file: UnsafeMutablePointer<sqlite3_file>) {
    let address = UInt(bitPattern: file)
    files.withLock { _ = $0.insert(address) }
    count.add(1, ordering: .relaxed)
  }

  /// Connections whose checkpoints another one protects.
  private static let protected = Mutex<Set<UInt>>([])

  /// Runs a checkpoint of `connection` while another connection of the caller's keeps all others from
  /// committing, by a write transaction.
  @safe static func protectingOtherwise<Result, Failure>(
    _ connection: SQLiteConnection, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let (file, _) = unsafe SQLite.openFile(SQLITE_FCNTL_FILE_POINTER, in: connection) else {
      return try body()
    }
    let address = UInt(bitPattern: file)
    protected.withLock { _ = $0.insert(address) }
    defer { protected.withLock { _ = $0.remove(address) } }
    return try body()
  }

  private static func isProtected(_ file: UnsafeMutablePointer<sqlite3_file>) -> Bool {
    let address = UInt(bitPattern: file)
    return protected.withLock { $0.contains(address) }
  }

  /// Whether the file's connection runs a guarded checkpoint; its own thread asks.
  private static func runs(_ file: UnsafeMutablePointer<sqlite3_file>) -> Bool {
    guard count.load(ordering: .relaxed) > 0 else { return false }
    let address = UInt(bitPattern: file)
    return files.withLock { $0.contains(address) }
  }

  /// - Returns: Whether one has run.
  private static func end(_ file: UnsafeMutablePointer<sqlite3_file>) -> Bool {
    guard unsafe runs(file) else { return false }
    let address = UInt(bitPattern: file)
    files.withLock { _ = $0.remove(address) }
    count.subtract(1, ordering: .relaxed)
    return true
  }

  /// A method that takes or releases locks of a file's shared memory.
  typealias Lock =
    @convention(c) (UnsafeMutablePointer<sqlite3_file>?, CInt, CInt, CInt) -> CInt

  /// Takes or releases locks of a file's shared memory, and with the lock for checkpoints that for
  /// writing.
  static func change(
    _ file: UnsafeMutablePointer<sqlite3_file>, _ offset: CInt, _ count: CInt, _ flags: CInt,
    by lock: Lock
  ) -> CInt {
    // A recovery takes a range of locks, among which that for checkpoints; it has the one for writing. A
    // reader of a snapshot shares that for checkpoints.
    guard isNeeded, count == 1, offset <= checkpointing, flags & SQLITE_SHM_EXCLUSIVE != 0 else {
      return unsafe lock(file, offset, count, flags)
    }
    if offset == writing {
      // A checkpoint that takes it itself has it, and keeps it until its end.
      return unsafe runs(file) ? SQLITE_OK : lock(file, offset, count, flags)
    }
    let release = SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE
    guard flags & SQLITE_SHM_LOCK != 0 else {
      if unsafe end(file) { _ = unsafe lock(file, writing, 1, release) }
      return unsafe lock(file, offset, count, flags)
    }
    let code = unsafe lock(file, offset, count, flags)
    guard code == SQLITE_OK, unsafe !isProtected(file) else { return code }
    let writingCode = unsafe lock(file, writing, 1, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE)
    guard writingCode == SQLITE_OK else {
      _ = unsafe lock(file, offset, count, release)
      return writingCode
    }
    unsafe begin(file)
    return SQLITE_OK
  }
}
