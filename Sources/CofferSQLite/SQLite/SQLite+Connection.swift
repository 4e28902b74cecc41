import CSQLCipher
import Glibc

extension SQLite {
  /// The flags with which a file is opened.
  package struct OpenFlags: OptionSet {
    package let rawValue: CInt
    package init(rawValue: CInt) { self.rawValue = rawValue }

    package static let readOnly = OpenFlags(rawValue: SQLITE_OPEN_READONLY)
    package static let readWrite = OpenFlags(rawValue: SQLITE_OPEN_READWRITE)
    package static let create = OpenFlags(rawValue: SQLITE_OPEN_CREATE)
    package static let uri = OpenFlags(rawValue: SQLITE_OPEN_URI)
    /// Omits the connection's mutex, which is not needed: accesses to a connection are serial.
    package static let noMutex = OpenFlags(rawValue: SQLITE_OPEN_NOMUTEX)
  }

  /// Opens a connection.
  ///
  /// Never uses a shared cache, through which a handle with a wrong key reads what another one has
  /// decrypted.
  @safe package static func open(
    _ path: String, flags: OpenFlags
  ) throws(OpenFailure) -> SQLiteConnection {
    if let otherEngine {
      throw OpenFailure(code: SQLITE_MISUSE, message: otherEngine, systemError: 0)
    }
    _ = SQLiteMemory.isInstalled
    _ = ErrorLog.isInstalled
    var connection: SQLiteConnection?
    let layer = unsafe FileLayer.name()
    let code = unsafe sqlite3_open_v2(path, &connection, flags.rawValue, layer)
    guard code == SQLITE_OK, let connection = unsafe connection else {
      let message = unsafe connection.map { errorMessage($0) } ?? "out of memory"
      let extended = unsafe connection.map { unsafe sqlite3_extended_errcode($0) } ?? code
      let systemError = unsafe connection.map { unsafe sqlite3_system_errno($0) } ?? 0
      if let connection = unsafe connection { unsafe sqlite3_close_v2(connection) }
      throw OpenFailure(code: extended, message: message, systemError: systemError)
    }
    unsafe sqlite3_extended_result_codes(connection, 1)
    return unsafe connection
  }

  /// Why this process's library can't be used at all.
  private static let otherEngine = SQLiteFeatures.mismatch()

  /// The reason why a file could not be opened.
  package struct OpenFailure: Error {
    package var code: CInt
    package var message: String
    /// The system's `errno`, or 0.
    var systemError: CInt
  }

  /// Closes a connection whose statements are finalized.
  @inlinable
  @safe package static func close(_ connection: SQLiteConnection) -> CInt {
    unsafe sqlite3_close(connection)
  }

  /// Closes a connection even if statements remain, which keep it alive.
  @inlinable
  @safe package static func closeWhenIdle(_ connection: SQLiteConnection) {
    unsafe sqlite3_close_v2(connection)
  }

  /// Returns the prepared statement after `statement`, or the first one.
  @inlinable
  @safe package static func nextStatement(
    in connection: SQLiteConnection, after statement: SQLiteStatement?
  ) -> SQLiteStatement? {
    unsafe sqlite3_next_stmt(connection, statement)
  }

  /// Sets the key of the connection; SQLCipher copies the bytes.
  ///
  /// `sqlite3_key` checks nothing: a wrong key causes an error at the first read.
  @safe package static func key(
    _ connection: SQLiteConnection, _ bytes: UnsafeRawBufferPointer
  ) -> CInt {
    guard let count = CInt(exactly: bytes.count), count > 0 else { return SQLITE_MISUSE }
    return unsafe sqlite3_key(connection, bytes.baseAddress, count)
  }

  /// Re-encrypts the main file with another key; SQLCipher copies the bytes.
  @safe package static func rekey(
    _ connection: SQLiteConnection, _ bytes: UnsafeRawBufferPointer
  ) -> CInt {
    guard let count = CInt(exactly: bytes.count), count > 0 else { return SQLITE_MISUSE }
    return unsafe sqlite3_rekey(connection, bytes.baseAddress, count)
  }

  @inlinable
  @safe package static func errorMessage(_ connection: SQLiteConnection) -> String {
    unsafe sqlite3_errmsg(connection).map { unsafe String(cString: $0) } ?? ""
  }

  @inlinable
  @safe package static func errorCode(_ connection: SQLiteConnection) -> CInt {
    unsafe sqlite3_errcode(connection)
  }

  @inlinable
  @safe package static func extendedErrorCode(_ connection: SQLiteConnection) -> CInt {
    unsafe sqlite3_extended_errcode(connection)
  }

  /// The schema of a file to which another one is copied.
  static let targetSchema = "coffer_target"

  /// Returns the system's code with which reading one of the connection's files has failed; nil if
  /// none has since this was last called.
  ///
  /// Where no error tells a failed read, this forgets it, so that a later error isn't taken for it.
  @discardableResult
  @safe package static func takeReadFailure(_ connection: SQLiteConnection) -> CInt? {
    var failure: CInt?
    for schema in ["main", SQLite.targetSchema] {
      // The database's file, and that of its log or journal.
      for pointer in [SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER] {
        // A journal in memory has no control.
        guard let (file, methods) = unsafe openFile(pointer, of: schema, in: connection),
          let control = unsafe methods.pointee.xFileControl
        else { continue }
        var code: CInt = 0
        _ = unsafe control(file, SQLITE_FCNTL_LAST_ERRNO, &code)
        guard [EIO, ENXIO, ERANGE].contains(code) else { continue }
        failure = code
        // SQLite forgets the code at a read behind the end, and only then.
        var byte: UInt8 = 0
        _ = unsafe methods.pointee.xRead(file, &byte, 1, 1 << 46)
      }
    }
    return failure
  }

  /// Waits until the disk has what was written to the main database's log, or to its journal.
  @safe package static func syncLog(_ connection: SQLiteConnection) -> CInt {
    guard let (file, methods) = unsafe openFile(SQLITE_FCNTL_JOURNAL_POINTER, in: connection) else {
      return SQLITE_OK
    }
    return unsafe methods.pointee.xSync(file, SQLITE_SYNC_NORMAL)
  }

  /// Whether a connection has a lock for writing to its main database's file.
  ///
  /// With a write-ahead log, it never has one. <https://sqlite.org/lockingv3.html>
  @safe package static func hasWriteLock(_ connection: SQLiteConnection) -> Bool {
    var level: CInt = 0
    let code = unsafe sqlite3_file_control(connection, "main", SQLITE_FCNTL_LOCKSTATE, &level)
    return code == SQLITE_OK && level >= SQLITE_LOCK_RESERVED
  }

  /// SQLite's count of the changes to the main database's file that a connection has seen, by
  /// itself or by others; nil before SQLite 3.22.
  ///
  /// Another connection's change is seen when a transaction first looks at the file.
  @safe package static func dataVersion(_ connection: SQLiteConnection) -> UInt32? {
    var version: UInt32 = 0
    let code = unsafe sqlite3_file_control(
      connection, "main", COFFER_FCNTL_DATA_VERSION, &version)
    return code == SQLITE_OK ? version : nil
  }

  /// The first bytes of a database's file, as they are on the disk; nil if it has fewer.
  ///
  /// - Throws: The code of a failed read.
  @safe package static func fileStart(
    count: Int, of schema: String, in connection: SQLiteConnection
  ) throws(Failure) -> [UInt8]? {
    guard
      let (file, methods) = unsafe openFile(
        SQLITE_FCNTL_FILE_POINTER, of: schema, in: connection)
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    // SAFETY: SQLite writes so many bytes, or fails.
    let code = unsafe bytes.withUnsafeMutableBytes {
      unsafe methods.pointee.xRead(file, $0.baseAddress, CInt(count), 0)
    }
    if code == ResultCode.SQLITE_IOERR_SHORT_READ.rawValue { return nil }
    guard code == SQLITE_OK else { throw Failure(code: code) }
    return bytes
  }

  /// A file of a connection, which keeps it open, and its methods; nil if it isn't open.
  ///
  /// - Parameter pointer: `SQLITE_FCNTL_FILE_POINTER`, or `SQLITE_FCNTL_JOURNAL_POINTER` for the
  ///   log or the journal.
  static func openFile(
    _ pointer: CInt, of schema: String = "main", in connection: SQLiteConnection
  ) -> (file: UnsafeMutablePointer<sqlite3_file>, methods: UnsafePointer<sqlite3_io_methods>)? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    // SAFETY: SQLite writes the address of the file, or nothing.
    _ = unsafe sqlite3_file_control(connection, schema, pointer, &file)
    guard let file = unsafe file, let methods = unsafe file.pointee.pMethods else { return nil }
    return unsafe (file, methods)
  }

  /// Returns the byte offset in the SQL at which the last error was found, or nil.
  @safe package static func errorOffset(_ connection: SQLiteConnection) -> Int? {
    let offset = unsafe coffer_error_offset(connection)
    return offset < 0 ? nil : Int(offset)
  }

  @inlinable
  @safe package static func isAutocommit(_ connection: SQLiteConnection) -> Bool {
    unsafe sqlite3_get_autocommit(connection) != 0
  }

  @inlinable
  @safe package static func interrupt(_ connection: SQLiteConnection) {
    unsafe sqlite3_interrupt(connection)
  }

  @inlinable
  @safe package static func lastInsertedRowID(_ connection: SQLiteConnection) -> Int64 {
    unsafe sqlite3_last_insert_rowid(connection)
  }

  @inlinable
  @safe package static func changesCount(_ connection: SQLiteConnection) -> Int {
    unsafe Int(coffer_changes(connection))
  }

  @inlinable
  @safe package static func totalChangesCount(_ connection: SQLiteConnection) -> Int {
    unsafe Int(coffer_total_changes(connection))
  }

  @inlinable
  @safe package static func setBusyTimeout(_ connection: SQLiteConnection, milliseconds: CInt) {
    unsafe sqlite3_busy_timeout(connection, milliseconds)
  }

  @inlinable
  @safe package static func releaseMemory(_ connection: SQLiteConnection) {
    unsafe sqlite3_db_release_memory(connection)
  }

  /// Returns the number of pages that the connection has read from its files; the counter wraps
  /// around.
  @safe package static func cacheMisses(_ connection: SQLiteConnection) -> CInt {
    var misses: CInt = 0
    var highest: CInt = 0
    _ = unsafe sqlite3_db_status(connection, SQLITE_DBSTATUS_CACHE_MISS, &misses, &highest, 0)
    return misses
  }

  /// Returns free memory of the process to the system, in about a millisecond for 20 MB.
  @inlinable
  package static func returnFreeMemory() { coffer_return_free_memory() }

  /// Returns the memory of the cached pages in bytes; it wraps around.
  @safe package static func cacheBytes(_ connection: SQLiteConnection) -> CInt {
    var bytes: CInt = 0
    var highest: CInt = 0
    _ = unsafe sqlite3_db_status(connection, SQLITE_DBSTATUS_CACHE_USED, &bytes, &highest, 0)
    return bytes
  }

  /// Writes the changed pages of the transaction that no statement uses.
  ///
  /// <https://sqlite.org/c3ref/db_cacheflush.html>
  ///
  /// - Returns: SQLite's code; busy if a file is locked.
  @safe package static func writeChangedPages(_ connection: SQLiteConnection) -> CInt {
    unsafe sqlite3_db_cacheflush(connection)
  }

  /// Returns whether a statement that writes is under way.
  @safe package static func isWriting(_ connection: SQLiteConnection) -> Bool {
    var statement = unsafe sqlite3_next_stmt(connection, nil)
    while let current = unsafe statement {
      if unsafe sqlite3_stmt_busy(current) != 0, unsafe sqlite3_stmt_readonly(current) == 0 {
        return true
      }
      unsafe statement = unsafe sqlite3_next_stmt(connection, current)
    }
    return false
  }

  /// Returns the number of pages that the connection has requested, from its cache or its files;
  /// the counter wraps around.
  @safe package static func pageRequests(_ connection: SQLiteConnection) -> CInt {
    var hits: CInt = 0
    var highest: CInt = 0
    _ = unsafe sqlite3_db_status(connection, SQLITE_DBSTATUS_CACHE_HIT, &hits, &highest, 0)
    return hits &+ cacheMisses(connection)
  }

  /// Returns whether the transaction holds foreign key violations, which prevent its commit.
  @safe package static func hasBrokenForeignKeys(_ connection: SQLiteConnection) -> Bool {
    var count: CInt = 0
    var highest: CInt = 0
    _ = unsafe sqlite3_db_status(connection, SQLITE_DBSTATUS_DEFERRED_FKS, &count, &highest, 0)
    return count > 0
  }

  /// Returns whether the connection has requested or written a page of its files.
  @safe package static func hasUsedCache(_ connection: SQLiteConnection) -> Bool {
    let counters = [
      SQLITE_DBSTATUS_CACHE_HIT, SQLITE_DBSTATUS_CACHE_MISS, SQLITE_DBSTATUS_CACHE_WRITE,
    ]
    return counters.contains { counter in
      var count: CInt = 0
      var highest: CInt = 0
      _ = unsafe sqlite3_db_status(connection, counter, &count, &highest, 0)
      return count != 0
    }
  }

  /// Returns whether a schema of the connection is read-only; nil for an unknown schema.
  @safe package static func isReadOnly(_ connection: SQLiteConnection, schema: String) -> Bool? {
    guard CName.isWhole(schema) else { return nil }
    return switch unsafe sqlite3_db_readonly(connection, schema) {
    case 0: false
    case 1: true
    default: nil
    }
  }

  /// Returns the file of a schema; empty for one in memory, and nil for an unknown schema.
  @inlinable
  @safe package static func fileName(_ connection: SQLiteConnection, schema: String) -> String? {
    unsafe sqlite3_db_filename(connection, schema).map { unsafe String(cString: $0) }
  }

  /// Returns the maximum number of parameters of a statement.
  @inlinable
  @safe package static func maximumParameterCount(_ connection: SQLiteConnection) -> Int {
    unsafe Int(sqlite3_limit(connection, SQLITE_LIMIT_VARIABLE_NUMBER, -1))
  }

  /// Returns the bytes of memory that the schema takes; this looks at all of it.
  @safe package static func schemaMemory(_ connection: SQLiteConnection) -> Int {
    var (bytes, highest): (CInt, CInt) = (0, 0)
    _ = unsafe sqlite3_db_status(connection, SQLITE_DBSTATUS_SCHEMA_USED, &bytes, &highest, 0)
    return Int(bytes)
  }

  /// Sets the most bytes of a text, a blob or a row, unless it is set to fewer.
  @safe package static func limitValueSize(_ connection: SQLiteConnection, to size: Int) {
    let size = min(CInt(clamping: size), unsafe sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, -1))
    _ = unsafe sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, size)
  }

  /// Returns whether the library was built with an option, such as `ENABLE_FTS5`.
  static func isCompiled(with option: String) -> Bool {
    unsafe sqlite3_compileoption_used(option) != 0
  }

  /// The library's version, such as 3046001.
  package static var versionNumber: Int { Int(sqlite3_libversion_number()) }

  /// Leaves the log as it is when the connection closes.
  @safe package static func keepLogAtClose(_ connection: SQLiteConnection) {
    if unsafe coffer_keep_log_at_close(connection) != SQLITE_OK {
      FileLayer.keepLogAtClose(connection)
    }
  }

  /// Sets whether double-quoted text that names no column is a string.
  /// - Returns: False if this SQLite has no such setting.
  @inlinable
  @discardableResult
  @safe package static func setDoubleQuotedStrings(_ connection: SQLiteConnection, _ on: Bool)
    -> Bool
  {
    unsafe coffer_set_double_quoted_strings(connection, on ? 1 : 0) == SQLITE_OK
  }

  /// Sets whether foreign keys are enforced, which takes no memory.
  @inlinable
  @safe package static func setForeignKeys(_ connection: SQLiteConnection, _ on: Bool) {
    unsafe coffer_set_foreign_keys(connection, on ? 1 : 0)
  }

  /// Makes the table of the schema read-only again.
  @inlinable
  @safe package static func protectSchema(_ connection: SQLiteConnection) {
    unsafe coffer_protect_schema(connection)
  }

  @inlinable
  @discardableResult
  @safe package static func setTriggersEnabled(_ connection: SQLiteConnection, _ on: Bool) -> Bool {
    unsafe coffer_set_triggers_enabled(connection, on ? 1 : 0) == SQLITE_OK
  }

  /// Copies WAL frames into the database file.
  @safe package static func checkpoint(
    _ connection: SQLiteConnection, schema: String?, mode: CInt
  ) -> (code: CInt, walFrames: Int, checkpointedFrames: Int) {
    var walFrames: CInt = -1
    var done: CInt = -1
    let code = unsafe sqlite3_wal_checkpoint_v2(connection, schema, mode, &walFrames, &done)
    return (code, Int(walFrames), Int(done))
  }

  /// Copies WAL frames into the database file, if that can be done: nobody is told of a failure,
  /// neither now nor with a later error.
  @safe package static func tryCheckpoint(
    _ connection: SQLiteConnection, schema: String, mode: CInt
  ) {
    _ = checkpoint(connection, schema: schema, mode: mode)
    takeReadFailure(connection)
  }

  /// Runs SQL that is a constant of the library and returns no rows.
  @inlinable
  @safe package static func run(_ connection: SQLiteConnection, _ sql: String) -> CInt {
    unsafe sqlite3_exec(connection, sql, nil, nil, nil)
  }

  /// Returns the first column of the first row, as text; nil for no row or NULL.
  @safe package static func scalar(
    _ connection: SQLiteConnection, _ sql: String
  ) throws(Failure) -> String? {
    let statement = try prepare(sql, in: connection)
    let text: String?
    do { text = try firstText(statement) } catch {
      unsafe sqlite3_finalize(statement)
      throw error
    }
    // What the statement changes, such as the journal mode, is committed only by its end.
    let code = unsafe sqlite3_finalize(statement)
    guard code == SQLITE_OK else { throw Failure(code: code) }
    return text
  }

  @safe private static func firstText(_ statement: OpaquePointer) throws(Failure) -> String? {
    switch unsafe sqlite3_step(statement) {
    case SQLITE_ROW:
      if unsafe sqlite3_column_type(statement, 0) == SQLITE_NULL { return nil }
      // A number has no text if memory has run out.
      guard let text = unsafe sqlite3_column_text(statement, 0) else {
        throw Failure(code: SQLITE_NOMEM)
      }
      return unsafe String(cString: text)
    case SQLITE_DONE: return nil
    case let code: throw Failure(code: code)
    }
  }
}

extension SQLite {
  /// The mode of checkpoints that wait for readers and truncate the WAL.
  package static var truncatingCheckpoint: CInt { SQLITE_CHECKPOINT_TRUNCATE }
  package static var restartingCheckpoint: CInt { SQLITE_CHECKPOINT_RESTART }
  package static var fullCheckpoint: CInt { SQLITE_CHECKPOINT_FULL }
  package static var passiveCheckpoint: CInt { SQLITE_CHECKPOINT_PASSIVE }

  // MARK: Memory

  /// Allocates memory that SQLite can free; nil if there is none.
  @inlinable
  package static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    unsafe sqlite3_malloc64(UInt64(byteCount))
  }

  /// Whether SQLite gets memory now.
  package static var hasMemory: Bool {
    guard let memory = unsafe allocate(65_536) else { return false }
    unsafe free(memory)
    return true
  }

  /// Frees memory that SQLite has allocated.
  @inlinable
  package static func free(_ memory: UnsafeMutableRawPointer) { unsafe sqlite3_free(memory) }
}
