// Aliases of the codes, so that an error can be matched as `catch DatabaseError.SQLITE_CONSTRAINT`.

extension DatabaseError {
  /// ``ResultCode/SQLITE_OK``
  public static var SQLITE_OK: ResultCode { .SQLITE_OK }
  /// ``ResultCode/SQLITE_ERROR``
  public static var SQLITE_ERROR: ResultCode { .SQLITE_ERROR }
  /// ``ResultCode/SQLITE_INTERNAL``
  public static var SQLITE_INTERNAL: ResultCode { .SQLITE_INTERNAL }
  /// ``ResultCode/SQLITE_PERM``
  public static var SQLITE_PERM: ResultCode { .SQLITE_PERM }
  /// ``ResultCode/SQLITE_ABORT``
  public static var SQLITE_ABORT: ResultCode { .SQLITE_ABORT }
  /// ``ResultCode/SQLITE_BUSY``
  public static var SQLITE_BUSY: ResultCode { .SQLITE_BUSY }
  /// ``ResultCode/SQLITE_LOCKED``
  public static var SQLITE_LOCKED: ResultCode { .SQLITE_LOCKED }
  /// ``ResultCode/SQLITE_NOMEM``
  public static var SQLITE_NOMEM: ResultCode { .SQLITE_NOMEM }
  /// ``ResultCode/SQLITE_READONLY``
  public static var SQLITE_READONLY: ResultCode { .SQLITE_READONLY }
  /// ``ResultCode/SQLITE_INTERRUPT``
  public static var SQLITE_INTERRUPT: ResultCode { .SQLITE_INTERRUPT }
  /// ``ResultCode/SQLITE_IOERR``
  public static var SQLITE_IOERR: ResultCode { .SQLITE_IOERR }
  /// ``ResultCode/SQLITE_CORRUPT``
  public static var SQLITE_CORRUPT: ResultCode { .SQLITE_CORRUPT }
  /// ``ResultCode/SQLITE_NOTFOUND``
  public static var SQLITE_NOTFOUND: ResultCode { .SQLITE_NOTFOUND }
  /// ``ResultCode/SQLITE_FULL``
  public static var SQLITE_FULL: ResultCode { .SQLITE_FULL }
  /// ``ResultCode/SQLITE_CANTOPEN``
  public static var SQLITE_CANTOPEN: ResultCode { .SQLITE_CANTOPEN }
  /// ``ResultCode/SQLITE_PROTOCOL``
  public static var SQLITE_PROTOCOL: ResultCode { .SQLITE_PROTOCOL }
  /// ``ResultCode/SQLITE_EMPTY``
  public static var SQLITE_EMPTY: ResultCode { .SQLITE_EMPTY }
  /// ``ResultCode/SQLITE_SCHEMA``
  public static var SQLITE_SCHEMA: ResultCode { .SQLITE_SCHEMA }
  /// ``ResultCode/SQLITE_TOOBIG``
  public static var SQLITE_TOOBIG: ResultCode { .SQLITE_TOOBIG }
  /// ``ResultCode/SQLITE_CONSTRAINT``
  public static var SQLITE_CONSTRAINT: ResultCode { .SQLITE_CONSTRAINT }
  /// ``ResultCode/SQLITE_MISMATCH``
  public static var SQLITE_MISMATCH: ResultCode { .SQLITE_MISMATCH }
  /// ``ResultCode/SQLITE_MISUSE``
  public static var SQLITE_MISUSE: ResultCode { .SQLITE_MISUSE }
  /// ``ResultCode/SQLITE_NOLFS``
  public static var SQLITE_NOLFS: ResultCode { .SQLITE_NOLFS }
  /// ``ResultCode/SQLITE_AUTH``
  public static var SQLITE_AUTH: ResultCode { .SQLITE_AUTH }
  /// ``ResultCode/SQLITE_FORMAT``
  public static var SQLITE_FORMAT: ResultCode { .SQLITE_FORMAT }
  /// ``ResultCode/SQLITE_RANGE``
  public static var SQLITE_RANGE: ResultCode { .SQLITE_RANGE }
  /// ``ResultCode/SQLITE_NOTADB``
  public static var SQLITE_NOTADB: ResultCode { .SQLITE_NOTADB }
  /// ``ResultCode/SQLITE_NOTICE``
  public static var SQLITE_NOTICE: ResultCode { .SQLITE_NOTICE }
  /// ``ResultCode/SQLITE_WARNING``
  public static var SQLITE_WARNING: ResultCode { .SQLITE_WARNING }
  /// ``ResultCode/SQLITE_ROW``
  public static var SQLITE_ROW: ResultCode { .SQLITE_ROW }
  /// ``ResultCode/SQLITE_DONE``
  public static var SQLITE_DONE: ResultCode { .SQLITE_DONE }
  /// ``ResultCode/SQLITE_ERROR_MISSING_COLLSEQ``
  public static var SQLITE_ERROR_MISSING_COLLSEQ: ResultCode { .SQLITE_ERROR_MISSING_COLLSEQ }
  /// ``ResultCode/SQLITE_ERROR_RETRY``
  public static var SQLITE_ERROR_RETRY: ResultCode { .SQLITE_ERROR_RETRY }
  /// ``ResultCode/SQLITE_ERROR_SNAPSHOT``
  public static var SQLITE_ERROR_SNAPSHOT: ResultCode { .SQLITE_ERROR_SNAPSHOT }
  /// ``ResultCode/SQLITE_IOERR_READ``
  public static var SQLITE_IOERR_READ: ResultCode { .SQLITE_IOERR_READ }
  /// ``ResultCode/SQLITE_IOERR_SHORT_READ``
  public static var SQLITE_IOERR_SHORT_READ: ResultCode { .SQLITE_IOERR_SHORT_READ }
  /// ``ResultCode/SQLITE_IOERR_WRITE``
  public static var SQLITE_IOERR_WRITE: ResultCode { .SQLITE_IOERR_WRITE }
  /// ``ResultCode/SQLITE_IOERR_FSYNC``
  public static var SQLITE_IOERR_FSYNC: ResultCode { .SQLITE_IOERR_FSYNC }
  /// ``ResultCode/SQLITE_IOERR_DIR_FSYNC``
  public static var SQLITE_IOERR_DIR_FSYNC: ResultCode { .SQLITE_IOERR_DIR_FSYNC }
  /// ``ResultCode/SQLITE_IOERR_TRUNCATE``
  public static var SQLITE_IOERR_TRUNCATE: ResultCode { .SQLITE_IOERR_TRUNCATE }
  /// ``ResultCode/SQLITE_IOERR_FSTAT``
  public static var SQLITE_IOERR_FSTAT: ResultCode { .SQLITE_IOERR_FSTAT }
  /// ``ResultCode/SQLITE_IOERR_UNLOCK``
  public static var SQLITE_IOERR_UNLOCK: ResultCode { .SQLITE_IOERR_UNLOCK }
  /// ``ResultCode/SQLITE_IOERR_RDLOCK``
  public static var SQLITE_IOERR_RDLOCK: ResultCode { .SQLITE_IOERR_RDLOCK }
  /// ``ResultCode/SQLITE_IOERR_DELETE``
  public static var SQLITE_IOERR_DELETE: ResultCode { .SQLITE_IOERR_DELETE }
  /// ``ResultCode/SQLITE_IOERR_BLOCKED``
  public static var SQLITE_IOERR_BLOCKED: ResultCode { .SQLITE_IOERR_BLOCKED }
  /// ``ResultCode/SQLITE_IOERR_NOMEM``
  public static var SQLITE_IOERR_NOMEM: ResultCode { .SQLITE_IOERR_NOMEM }
  /// ``ResultCode/SQLITE_IOERR_ACCESS``
  public static var SQLITE_IOERR_ACCESS: ResultCode { .SQLITE_IOERR_ACCESS }
  /// ``ResultCode/SQLITE_IOERR_CHECKRESERVEDLOCK``
  public static var SQLITE_IOERR_CHECKRESERVEDLOCK: ResultCode { .SQLITE_IOERR_CHECKRESERVEDLOCK }
  /// ``ResultCode/SQLITE_IOERR_LOCK``
  public static var SQLITE_IOERR_LOCK: ResultCode { .SQLITE_IOERR_LOCK }
  /// ``ResultCode/SQLITE_IOERR_CLOSE``
  public static var SQLITE_IOERR_CLOSE: ResultCode { .SQLITE_IOERR_CLOSE }
  /// ``ResultCode/SQLITE_IOERR_DIR_CLOSE``
  public static var SQLITE_IOERR_DIR_CLOSE: ResultCode { .SQLITE_IOERR_DIR_CLOSE }
  /// ``ResultCode/SQLITE_IOERR_SHMOPEN``
  public static var SQLITE_IOERR_SHMOPEN: ResultCode { .SQLITE_IOERR_SHMOPEN }
  /// ``ResultCode/SQLITE_IOERR_SHMSIZE``
  public static var SQLITE_IOERR_SHMSIZE: ResultCode { .SQLITE_IOERR_SHMSIZE }
  /// ``ResultCode/SQLITE_IOERR_SHMLOCK``
  public static var SQLITE_IOERR_SHMLOCK: ResultCode { .SQLITE_IOERR_SHMLOCK }
  /// ``ResultCode/SQLITE_IOERR_SHMMAP``
  public static var SQLITE_IOERR_SHMMAP: ResultCode { .SQLITE_IOERR_SHMMAP }
  /// ``ResultCode/SQLITE_IOERR_SEEK``
  public static var SQLITE_IOERR_SEEK: ResultCode { .SQLITE_IOERR_SEEK }
  /// ``ResultCode/SQLITE_IOERR_DELETE_NOENT``
  public static var SQLITE_IOERR_DELETE_NOENT: ResultCode { .SQLITE_IOERR_DELETE_NOENT }
  /// ``ResultCode/SQLITE_IOERR_MMAP``
  public static var SQLITE_IOERR_MMAP: ResultCode { .SQLITE_IOERR_MMAP }
  /// ``ResultCode/SQLITE_IOERR_GETTEMPPATH``
  public static var SQLITE_IOERR_GETTEMPPATH: ResultCode { .SQLITE_IOERR_GETTEMPPATH }
  /// ``ResultCode/SQLITE_IOERR_CONVPATH``
  public static var SQLITE_IOERR_CONVPATH: ResultCode { .SQLITE_IOERR_CONVPATH }
  /// ``ResultCode/SQLITE_IOERR_VNODE``
  public static var SQLITE_IOERR_VNODE: ResultCode { .SQLITE_IOERR_VNODE }
  /// ``ResultCode/SQLITE_IOERR_AUTH``
  public static var SQLITE_IOERR_AUTH: ResultCode { .SQLITE_IOERR_AUTH }
  /// ``ResultCode/SQLITE_IOERR_BEGIN_ATOMIC``
  public static var SQLITE_IOERR_BEGIN_ATOMIC: ResultCode { .SQLITE_IOERR_BEGIN_ATOMIC }
  /// ``ResultCode/SQLITE_IOERR_COMMIT_ATOMIC``
  public static var SQLITE_IOERR_COMMIT_ATOMIC: ResultCode { .SQLITE_IOERR_COMMIT_ATOMIC }
  /// ``ResultCode/SQLITE_IOERR_ROLLBACK_ATOMIC``
  public static var SQLITE_IOERR_ROLLBACK_ATOMIC: ResultCode { .SQLITE_IOERR_ROLLBACK_ATOMIC }
  /// ``ResultCode/SQLITE_IOERR_DATA``
  public static var SQLITE_IOERR_DATA: ResultCode { .SQLITE_IOERR_DATA }
  /// ``ResultCode/SQLITE_IOERR_CORRUPTFS``
  public static var SQLITE_IOERR_CORRUPTFS: ResultCode { .SQLITE_IOERR_CORRUPTFS }
  /// ``ResultCode/SQLITE_IOERR_IN_PAGE``
  public static var SQLITE_IOERR_IN_PAGE: ResultCode { .SQLITE_IOERR_IN_PAGE }
  /// ``ResultCode/SQLITE_LOCKED_SHAREDCACHE``
  public static var SQLITE_LOCKED_SHAREDCACHE: ResultCode { .SQLITE_LOCKED_SHAREDCACHE }
  /// ``ResultCode/SQLITE_LOCKED_VTAB``
  public static var SQLITE_LOCKED_VTAB: ResultCode { .SQLITE_LOCKED_VTAB }
  /// ``ResultCode/SQLITE_BUSY_RECOVERY``
  public static var SQLITE_BUSY_RECOVERY: ResultCode { .SQLITE_BUSY_RECOVERY }
  /// ``ResultCode/SQLITE_BUSY_SNAPSHOT``
  public static var SQLITE_BUSY_SNAPSHOT: ResultCode { .SQLITE_BUSY_SNAPSHOT }
  /// ``ResultCode/SQLITE_BUSY_TIMEOUT``
  public static var SQLITE_BUSY_TIMEOUT: ResultCode { .SQLITE_BUSY_TIMEOUT }
  /// ``ResultCode/SQLITE_CANTOPEN_NOTEMPDIR``
  public static var SQLITE_CANTOPEN_NOTEMPDIR: ResultCode { .SQLITE_CANTOPEN_NOTEMPDIR }
  /// ``ResultCode/SQLITE_CANTOPEN_ISDIR``
  public static var SQLITE_CANTOPEN_ISDIR: ResultCode { .SQLITE_CANTOPEN_ISDIR }
  /// ``ResultCode/SQLITE_CANTOPEN_FULLPATH``
  public static var SQLITE_CANTOPEN_FULLPATH: ResultCode { .SQLITE_CANTOPEN_FULLPATH }
  /// ``ResultCode/SQLITE_CANTOPEN_CONVPATH``
  public static var SQLITE_CANTOPEN_CONVPATH: ResultCode { .SQLITE_CANTOPEN_CONVPATH }
  /// ``ResultCode/SQLITE_CANTOPEN_DIRTYWAL``
  public static var SQLITE_CANTOPEN_DIRTYWAL: ResultCode { .SQLITE_CANTOPEN_DIRTYWAL }
  /// ``ResultCode/SQLITE_CANTOPEN_SYMLINK``
  public static var SQLITE_CANTOPEN_SYMLINK: ResultCode { .SQLITE_CANTOPEN_SYMLINK }
  /// ``ResultCode/SQLITE_CORRUPT_VTAB``
  public static var SQLITE_CORRUPT_VTAB: ResultCode { .SQLITE_CORRUPT_VTAB }
  /// ``ResultCode/SQLITE_CORRUPT_SEQUENCE``
  public static var SQLITE_CORRUPT_SEQUENCE: ResultCode { .SQLITE_CORRUPT_SEQUENCE }
  /// ``ResultCode/SQLITE_CORRUPT_INDEX``
  public static var SQLITE_CORRUPT_INDEX: ResultCode { .SQLITE_CORRUPT_INDEX }
  /// ``ResultCode/SQLITE_READONLY_RECOVERY``
  public static var SQLITE_READONLY_RECOVERY: ResultCode { .SQLITE_READONLY_RECOVERY }
  /// ``ResultCode/SQLITE_READONLY_CANTLOCK``
  public static var SQLITE_READONLY_CANTLOCK: ResultCode { .SQLITE_READONLY_CANTLOCK }
  /// ``ResultCode/SQLITE_READONLY_ROLLBACK``
  public static var SQLITE_READONLY_ROLLBACK: ResultCode { .SQLITE_READONLY_ROLLBACK }
  /// ``ResultCode/SQLITE_READONLY_DBMOVED``
  public static var SQLITE_READONLY_DBMOVED: ResultCode { .SQLITE_READONLY_DBMOVED }
  /// ``ResultCode/SQLITE_READONLY_CANTINIT``
  public static var SQLITE_READONLY_CANTINIT: ResultCode { .SQLITE_READONLY_CANTINIT }
  /// ``ResultCode/SQLITE_READONLY_DIRECTORY``
  public static var SQLITE_READONLY_DIRECTORY: ResultCode { .SQLITE_READONLY_DIRECTORY }
  /// ``ResultCode/SQLITE_ABORT_ROLLBACK``
  public static var SQLITE_ABORT_ROLLBACK: ResultCode { .SQLITE_ABORT_ROLLBACK }
  /// ``ResultCode/SQLITE_CONSTRAINT_CHECK``
  public static var SQLITE_CONSTRAINT_CHECK: ResultCode { .SQLITE_CONSTRAINT_CHECK }
  /// ``ResultCode/SQLITE_CONSTRAINT_COMMITHOOK``
  public static var SQLITE_CONSTRAINT_COMMITHOOK: ResultCode { .SQLITE_CONSTRAINT_COMMITHOOK }
  /// ``ResultCode/SQLITE_CONSTRAINT_FOREIGNKEY``
  public static var SQLITE_CONSTRAINT_FOREIGNKEY: ResultCode { .SQLITE_CONSTRAINT_FOREIGNKEY }
  /// ``ResultCode/SQLITE_CONSTRAINT_FUNCTION``
  public static var SQLITE_CONSTRAINT_FUNCTION: ResultCode { .SQLITE_CONSTRAINT_FUNCTION }
  /// ``ResultCode/SQLITE_CONSTRAINT_NOTNULL``
  public static var SQLITE_CONSTRAINT_NOTNULL: ResultCode { .SQLITE_CONSTRAINT_NOTNULL }
  /// ``ResultCode/SQLITE_CONSTRAINT_PRIMARYKEY``
  public static var SQLITE_CONSTRAINT_PRIMARYKEY: ResultCode { .SQLITE_CONSTRAINT_PRIMARYKEY }
  /// ``ResultCode/SQLITE_CONSTRAINT_TRIGGER``
  public static var SQLITE_CONSTRAINT_TRIGGER: ResultCode { .SQLITE_CONSTRAINT_TRIGGER }
  /// ``ResultCode/SQLITE_CONSTRAINT_UNIQUE``
  public static var SQLITE_CONSTRAINT_UNIQUE: ResultCode { .SQLITE_CONSTRAINT_UNIQUE }
  /// ``ResultCode/SQLITE_CONSTRAINT_VTAB``
  public static var SQLITE_CONSTRAINT_VTAB: ResultCode { .SQLITE_CONSTRAINT_VTAB }
  /// ``ResultCode/SQLITE_CONSTRAINT_ROWID``
  public static var SQLITE_CONSTRAINT_ROWID: ResultCode { .SQLITE_CONSTRAINT_ROWID }
  /// ``ResultCode/SQLITE_CONSTRAINT_PINNED``
  public static var SQLITE_CONSTRAINT_PINNED: ResultCode { .SQLITE_CONSTRAINT_PINNED }
  /// ``ResultCode/SQLITE_CONSTRAINT_DATATYPE``
  public static var SQLITE_CONSTRAINT_DATATYPE: ResultCode { .SQLITE_CONSTRAINT_DATATYPE }
  /// ``ResultCode/SQLITE_NOTICE_RECOVER_WAL``
  public static var SQLITE_NOTICE_RECOVER_WAL: ResultCode { .SQLITE_NOTICE_RECOVER_WAL }
  /// ``ResultCode/SQLITE_NOTICE_RECOVER_ROLLBACK``
  public static var SQLITE_NOTICE_RECOVER_ROLLBACK: ResultCode { .SQLITE_NOTICE_RECOVER_ROLLBACK }
  /// ``ResultCode/SQLITE_NOTICE_RBU``
  public static var SQLITE_NOTICE_RBU: ResultCode { .SQLITE_NOTICE_RBU }
  /// ``ResultCode/SQLITE_WARNING_AUTOINDEX``
  public static var SQLITE_WARNING_AUTOINDEX: ResultCode { .SQLITE_WARNING_AUTOINDEX }
  /// ``ResultCode/SQLITE_AUTH_USER``
  public static var SQLITE_AUTH_USER: ResultCode { .SQLITE_AUTH_USER }
  /// ``ResultCode/SQLITE_OK_LOAD_PERMANENTLY``
  public static var SQLITE_OK_LOAD_PERMANENTLY: ResultCode { .SQLITE_OK_LOAD_PERMANENTLY }
  /// ``ResultCode/SQLITE_OK_SYMLINK``
  public static var SQLITE_OK_SYMLINK: ResultCode { .SQLITE_OK_SYMLINK }
}
