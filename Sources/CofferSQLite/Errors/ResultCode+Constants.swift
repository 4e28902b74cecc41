// The numbers are literals: the header of older SQLite versions lacks half of them, and a program
// built against it can still encounter them at run time.

extension ResultCode {
  // MARK: Primary codes

  /// Success.
  public static let SQLITE_OK = ResultCode(rawValue: 0)

  /// A generic error, mostly in the SQL.
  public static let SQLITE_ERROR = ResultCode(rawValue: 1)

  /// A fault inside SQLite.
  public static let SQLITE_INTERNAL = ResultCode(rawValue: 2)

  /// A new file could not be given the requested permissions.
  public static let SQLITE_PERM = ResultCode(rawValue: 3)

  /// A callback or a rollback stopped the statement.
  public static let SQLITE_ABORT = ResultCode(rawValue: 4)

  /// Another connection holds the lock.
  public static let SQLITE_BUSY = ResultCode(rawValue: 5)

  /// A conflict on the same connection or shared cache.
  public static let SQLITE_LOCKED = ResultCode(rawValue: 6)

  /// Out of memory.
  public static let SQLITE_NOMEM = ResultCode(rawValue: 7)

  /// A write to a read-only database.
  public static let SQLITE_READONLY = ResultCode(rawValue: 8)

  /// The statement was interrupted.
  public static let SQLITE_INTERRUPT = ResultCode(rawValue: 9)

  /// The operating system reported an error on the file.
  public static let SQLITE_IOERR = ResultCode(rawValue: 10)

  /// The file's content violates SQLite's format.
  public static let SQLITE_CORRUPT = ResultCode(rawValue: 11)

  /// A virtual file system or control code is unknown.
  public static let SQLITE_NOTFOUND = ResultCode(rawValue: 12)

  /// The disk is full, or the size limit is reached.
  public static let SQLITE_FULL = ResultCode(rawValue: 13)

  /// The file could not be opened.
  public static let SQLITE_CANTOPEN = ResultCode(rawValue: 14)

  /// The locking protocol of WAL mode kept failing.
  public static let SQLITE_PROTOCOL = ResultCode(rawValue: 15)

  /// Not used by SQLite today.
  public static let SQLITE_EMPTY = ResultCode(rawValue: 16)

  /// The schema changed under the statement.
  public static let SQLITE_SCHEMA = ResultCode(rawValue: 17)

  /// A text or blob exceeds the limit.
  public static let SQLITE_TOOBIG = ResultCode(rawValue: 18)

  /// A constraint was violated.
  public static let SQLITE_CONSTRAINT = ResultCode(rawValue: 19)

  /// A value has the wrong type for its place.
  public static let SQLITE_MISMATCH = ResultCode(rawValue: 20)

  /// The C API was misused.
  public static let SQLITE_MISUSE = ResultCode(rawValue: 21)

  /// The system can't handle a file that large.
  public static let SQLITE_NOLFS = ResultCode(rawValue: 22)

  /// The authorizer refused the statement.
  public static let SQLITE_AUTH = ResultCode(rawValue: 23)

  /// Not used by SQLite today.
  public static let SQLITE_FORMAT = ResultCode(rawValue: 24)

  /// A parameter or column index doesn't exist.
  public static let SQLITE_RANGE = ResultCode(rawValue: 25)

  /// The file is not a database, or is encrypted with another key.
  public static let SQLITE_NOTADB = ResultCode(rawValue: 26)

  /// A notice in SQLite's log.
  public static let SQLITE_NOTICE = ResultCode(rawValue: 27)

  /// A warning in SQLite's log.
  public static let SQLITE_WARNING = ResultCode(rawValue: 28)

  /// A step returned a row.
  public static let SQLITE_ROW = ResultCode(rawValue: 100)

  /// A step reached the end of the statement.
  public static let SQLITE_DONE = ResultCode(rawValue: 101)

  // MARK: Extended codes

  /// A collation is missing.
  public static let SQLITE_ERROR_MISSING_COLLSEQ = ResultCode(.SQLITE_ERROR, 1)

  /// Used inside SQLite to recompile a statement.
  public static let SQLITE_ERROR_RETRY = ResultCode(.SQLITE_ERROR, 2)

  /// The snapshot is no longer available.
  public static let SQLITE_ERROR_SNAPSHOT = ResultCode(.SQLITE_ERROR, 3)

  /// A read failed.
  public static let SQLITE_IOERR_READ = ResultCode(.SQLITE_IOERR, 1)

  /// A read returned fewer bytes than expected.
  public static let SQLITE_IOERR_SHORT_READ = ResultCode(.SQLITE_IOERR, 2)

  /// A write failed.
  public static let SQLITE_IOERR_WRITE = ResultCode(.SQLITE_IOERR, 3)

  /// Flushing the file to the disk failed.
  public static let SQLITE_IOERR_FSYNC = ResultCode(.SQLITE_IOERR, 4)

  /// Flushing the folder to the disk failed.
  public static let SQLITE_IOERR_DIR_FSYNC = ResultCode(.SQLITE_IOERR, 5)

  /// Truncating the file failed.
  public static let SQLITE_IOERR_TRUNCATE = ResultCode(.SQLITE_IOERR, 6)

  /// Reading the file's size or state failed.
  public static let SQLITE_IOERR_FSTAT = ResultCode(.SQLITE_IOERR, 7)

  /// Unlocking the file failed.
  public static let SQLITE_IOERR_UNLOCK = ResultCode(.SQLITE_IOERR, 8)

  /// Acquiring a read lock failed.
  public static let SQLITE_IOERR_RDLOCK = ResultCode(.SQLITE_IOERR, 9)

  /// Deleting the file failed.
  public static let SQLITE_IOERR_DELETE = ResultCode(.SQLITE_IOERR, 10)

  /// Not used by SQLite today.
  public static let SQLITE_IOERR_BLOCKED = ResultCode(.SQLITE_IOERR, 11)

  /// An operation on the file ran out of memory.
  public static let SQLITE_IOERR_NOMEM = ResultCode(.SQLITE_IOERR, 12)

  /// Reading access permissions failed.
  public static let SQLITE_IOERR_ACCESS = ResultCode(.SQLITE_IOERR, 13)

  /// Checking for a reserved lock failed.
  public static let SQLITE_IOERR_CHECKRESERVEDLOCK = ResultCode(.SQLITE_IOERR, 14)

  /// Locking the file failed.
  public static let SQLITE_IOERR_LOCK = ResultCode(.SQLITE_IOERR, 15)

  /// Closing the file failed.
  public static let SQLITE_IOERR_CLOSE = ResultCode(.SQLITE_IOERR, 16)

  /// Not used by SQLite today.
  public static let SQLITE_IOERR_DIR_CLOSE = ResultCode(.SQLITE_IOERR, 17)

  /// Opening the shared memory of WAL mode failed.
  public static let SQLITE_IOERR_SHMOPEN = ResultCode(.SQLITE_IOERR, 18)

  /// Growing the shared memory of WAL mode failed.
  public static let SQLITE_IOERR_SHMSIZE = ResultCode(.SQLITE_IOERR, 19)

  /// Locking the shared memory of WAL mode failed.
  public static let SQLITE_IOERR_SHMLOCK = ResultCode(.SQLITE_IOERR, 20)

  /// Mapping the shared memory of WAL mode failed.
  public static let SQLITE_IOERR_SHMMAP = ResultCode(.SQLITE_IOERR, 21)

  /// Seeking in the file failed.
  public static let SQLITE_IOERR_SEEK = ResultCode(.SQLITE_IOERR, 22)

  /// The file to delete doesn't exist.
  public static let SQLITE_IOERR_DELETE_NOENT = ResultCode(.SQLITE_IOERR, 23)

  /// Mapping the file into memory failed.
  public static let SQLITE_IOERR_MMAP = ResultCode(.SQLITE_IOERR, 24)

  /// No folder is available for temporary files.
  public static let SQLITE_IOERR_GETTEMPPATH = ResultCode(.SQLITE_IOERR, 25)

  /// Converting a path failed (Cygwin).
  public static let SQLITE_IOERR_CONVPATH = ResultCode(.SQLITE_IOERR, 26)

  /// Reserved for extensions.
  public static let SQLITE_IOERR_VNODE = ResultCode(.SQLITE_IOERR, 27)

  /// Reserved for extensions.
  public static let SQLITE_IOERR_AUTH = ResultCode(.SQLITE_IOERR, 28)

  /// Beginning an atomic write failed.
  public static let SQLITE_IOERR_BEGIN_ATOMIC = ResultCode(.SQLITE_IOERR, 29)

  /// Committing an atomic write failed.
  public static let SQLITE_IOERR_COMMIT_ATOMIC = ResultCode(.SQLITE_IOERR, 30)

  /// Rolling back an atomic write failed.
  public static let SQLITE_IOERR_ROLLBACK_ATOMIC = ResultCode(.SQLITE_IOERR, 31)

  /// A page's checksum is wrong.
  public static let SQLITE_IOERR_DATA = ResultCode(.SQLITE_IOERR, 32)

  /// The file system itself is damaged.
  public static let SQLITE_IOERR_CORRUPTFS = ResultCode(.SQLITE_IOERR, 33)

  /// Reading a mapped page failed.
  public static let SQLITE_IOERR_IN_PAGE = ResultCode(.SQLITE_IOERR, 34)

  /// Another connection to the shared cache holds the lock.
  public static let SQLITE_LOCKED_SHAREDCACHE = ResultCode(.SQLITE_LOCKED, 1)

  /// A virtual table holds the lock.
  public static let SQLITE_LOCKED_VTAB = ResultCode(.SQLITE_LOCKED, 2)

  /// Another process is recovering the WAL.
  public static let SQLITE_BUSY_RECOVERY = ResultCode(.SQLITE_BUSY, 1)

  /// The read snapshot is too old to be upgraded to a write.
  public static let SQLITE_BUSY_SNAPSHOT = ResultCode(.SQLITE_BUSY, 2)

  /// Waiting for a blocking lock timed out.
  public static let SQLITE_BUSY_TIMEOUT = ResultCode(.SQLITE_BUSY, 3)

  /// Not used by SQLite today.
  public static let SQLITE_CANTOPEN_NOTEMPDIR = ResultCode(.SQLITE_CANTOPEN, 1)

  /// The path is a folder.
  public static let SQLITE_CANTOPEN_ISDIR = ResultCode(.SQLITE_CANTOPEN, 2)

  /// The full path could not be determined.
  public static let SQLITE_CANTOPEN_FULLPATH = ResultCode(.SQLITE_CANTOPEN, 3)

  /// The path could not be converted (Cygwin).
  public static let SQLITE_CANTOPEN_CONVPATH = ResultCode(.SQLITE_CANTOPEN, 4)

  /// Not used by SQLite today.
  public static let SQLITE_CANTOPEN_DIRTYWAL = ResultCode(.SQLITE_CANTOPEN, 5)

  /// The path is a symbolic link, which was refused.
  public static let SQLITE_CANTOPEN_SYMLINK = ResultCode(.SQLITE_CANTOPEN, 6)

  /// The content of a virtual table is damaged.
  public static let SQLITE_CORRUPT_VTAB = ResultCode(.SQLITE_CORRUPT, 1)

  /// The table `sqlite_sequence` is damaged.
  public static let SQLITE_CORRUPT_SEQUENCE = ResultCode(.SQLITE_CORRUPT, 2)

  /// An entry is missing in an index.
  public static let SQLITE_CORRUPT_INDEX = ResultCode(.SQLITE_CORRUPT, 3)

  /// The WAL needs recovery, which requires write access.
  public static let SQLITE_READONLY_RECOVERY = ResultCode(.SQLITE_READONLY, 1)

  /// The shared memory of WAL mode can't be locked.
  public static let SQLITE_READONLY_CANTLOCK = ResultCode(.SQLITE_READONLY, 2)

  /// A hot journal must be rolled back, which requires write access.
  public static let SQLITE_READONLY_ROLLBACK = ResultCode(.SQLITE_READONLY, 3)

  /// The file was moved or deleted after it was opened.
  public static let SQLITE_READONLY_DBMOVED = ResultCode(.SQLITE_READONLY, 4)

  /// The shared memory of WAL mode can't be set up.
  public static let SQLITE_READONLY_CANTINIT = ResultCode(.SQLITE_READONLY, 5)

  /// The folder is read-only, so a journal can't be created.
  public static let SQLITE_READONLY_DIRECTORY = ResultCode(.SQLITE_READONLY, 6)

  /// The transaction was rolled back while the statement was running.
  public static let SQLITE_ABORT_ROLLBACK = ResultCode(.SQLITE_ABORT, 2)

  /// A `CHECK` constraint failed.
  public static let SQLITE_CONSTRAINT_CHECK = ResultCode(.SQLITE_CONSTRAINT, 1)

  /// A commit hook refused the commit.
  public static let SQLITE_CONSTRAINT_COMMITHOOK = ResultCode(.SQLITE_CONSTRAINT, 2)

  /// A foreign key was violated.
  public static let SQLITE_CONSTRAINT_FOREIGNKEY = ResultCode(.SQLITE_CONSTRAINT, 3)

  /// Reserved for functions in extensions.
  public static let SQLITE_CONSTRAINT_FUNCTION = ResultCode(.SQLITE_CONSTRAINT, 4)

  /// A `NOT NULL` column received NULL.
  public static let SQLITE_CONSTRAINT_NOTNULL = ResultCode(.SQLITE_CONSTRAINT, 5)

  /// A primary key is not unique.
  public static let SQLITE_CONSTRAINT_PRIMARYKEY = ResultCode(.SQLITE_CONSTRAINT, 6)

  /// A trigger raised an error.
  public static let SQLITE_CONSTRAINT_TRIGGER = ResultCode(.SQLITE_CONSTRAINT, 7)

  /// A `UNIQUE` column or index already contains the value.
  public static let SQLITE_CONSTRAINT_UNIQUE = ResultCode(.SQLITE_CONSTRAINT, 8)

  /// Reserved for virtual tables.
  public static let SQLITE_CONSTRAINT_VTAB = ResultCode(.SQLITE_CONSTRAINT, 9)

  /// A rowid is not unique.
  public static let SQLITE_CONSTRAINT_ROWID = ResultCode(.SQLITE_CONSTRAINT, 10)

  /// An update tried to move a pinned row.
  public static let SQLITE_CONSTRAINT_PINNED = ResultCode(.SQLITE_CONSTRAINT, 11)

  /// A value has the wrong type for a column of a `STRICT` table.
  public static let SQLITE_CONSTRAINT_DATATYPE = ResultCode(.SQLITE_CONSTRAINT, 12)

  /// The WAL was recovered.
  public static let SQLITE_NOTICE_RECOVER_WAL = ResultCode(.SQLITE_NOTICE, 1)

  /// A hot journal was rolled back.
  public static let SQLITE_NOTICE_RECOVER_ROLLBACK = ResultCode(.SQLITE_NOTICE, 2)

  /// A notice of the RBU extension.
  public static let SQLITE_NOTICE_RBU = ResultCode(.SQLITE_NOTICE, 3)

  /// SQLite created an automatic index for a query.
  public static let SQLITE_WARNING_AUTOINDEX = ResultCode(.SQLITE_WARNING, 1)

  /// Not used by SQLite today.
  public static let SQLITE_AUTH_USER = ResultCode(.SQLITE_AUTH, 1)

  /// The extension stays loaded.
  public static let SQLITE_OK_LOAD_PERMANENTLY = ResultCode(.SQLITE_OK, 1)

  /// Used inside SQLite.
  public static let SQLITE_OK_SYMLINK = ResultCode(.SQLITE_OK, 2)
}
