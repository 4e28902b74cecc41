@_exported import CofferVault
import Synchronization

/// A connection to a database, for use inside an access.
///
/// ```swift
/// try queue.write { db in
///   try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
/// }
/// ```
///
/// The connection is valid only inside the closure that receives it, and on its thread.
@safe public final class Database {
  /// SQLite's handle, for C functions that Coffer doesn't wrap.
  ///
  /// Nil once the connection is closed.
  @safe @exclusivity(unchecked) public internal(set) var sqliteConnection: SQLiteConnection?

  /// The configuration with which the connection was opened.
  public internal(set) var configuration: Configuration {
    didSet { shareConfiguration() }
  }

  /// A copy of the configuration that other threads can read.
  let sharedConfiguration: SharedConfiguration

  /// The path of the file, or `:memory:`.
  package let path: String

  /// The connection's name.
  ///
  /// See ``Configuration/label``.
  public let description: String

  let gate: AccessGate
  let registry: StatementRegistry
  let arrays: ArrayRegistry
  let statementCache: StatementCache
  let control = ControlStatements()
  /// Receives interruptions and cancellations from other threads.
  let interruption: Interruption
  /// The connection's key, and how far SQLCipher has it.
  let keying: Keying
  /// What keeps the database's anchor up to date, where it has one.
  let freshness = FreshnessLink()
  /// What is known of the connection while it is set up; nil once it can be used.
  var setup: ConnectionSetup?
  package let hooks = ConnectionHooks()
  /// The FTS5 extension API; nil if SQLite has no FTS5.
  @safe package internal(set) var fts5API: SQLiteFTS5API?
  package lazy var observation = TransactionObservation(database: self)

  /// The restrictions of an access, and the work pending until its first statement.
  struct AccessState: OptionSet {
    let rawValue: UInt8
    /// Statements that write are refused.
    static let readOnly = AccessState(rawValue: 1)
    /// A transaction begins with the first statement.
    static let pendingTransaction = AccessState(rawValue: 2)
    /// Transactions are observed.
    static let observed = AccessState(rawValue: 4)
    /// The regions that statements read are collected.
    static let recordingRegion = AccessState(rawValue: 8)
    /// Commits and their changes are logged.
    static let logged = AccessState(rawValue: 16)
    /// Statements belong to a transaction, and throw once it has ended.
    static let transactionBlock = AccessState(rawValue: 32)
    /// Functions, collations or settings are to be given to SQLite again.
    static let unregistered = AccessState(rawValue: 64)
  }

  @safe @exclusivity(unchecked) var accessState: AccessState = []

  /// The changes committed by a pool's writer; nil for other connections.
  @safe @exclusivity(unchecked) var commitLog: CommitLog?
  /// What tables depend on, for regions.
  var dependencies = TableDependencies()
  /// Watches for commits of other connections to the file; nil if these aren't observed.
  var externalChanges: ExternalChanges?
  /// Limits the log of a pool's writer; nil for other connections.
  var checkpointer: Checkpointer?

  /// The statements whose bindings are cleared at the end of the access.
  @safe @exclusivity(unchecked) var boundStatements: [Statement] = []

  /// The number of statements under way.
  @safe @exclusivity(unchecked) var activeStatementCount = 0

  /// The schema cache of a higher layer.
  package var schemaStorage: AnyObject? {
    get { keptSchemaStorage }
    set { keptSchemaStorage = newValue }
  }
  @safe @exclusivity(unchecked) private var keptSchemaStorage: AnyObject?

  /// The version of the main schema, if it needn't be asked for.
  @safe @exclusivity(unchecked) var knownSchemaVersion: KnownSchemaVersion?

  /// The SQL of the shapes of queries that have been rendered.
  package let queryShapes = QueryShapes()

  /// Prepared changes of records, kept by a higher layer.
  @inlinable package var recordStorage: AnyObject? {
    get { keptRecordStorage }
    set { keptRecordStorage = newValue }
  }
  // Other modules don't see the attribute, and would check each access; so they call the getter.
  @safe @exclusivity(unchecked) @usableFromInline var keptRecordStorage: AnyObject?

  /// Cached facts about record types; see ``plan(_:make:)``.
  @safe @exclusivity(unchecked) var plans = ConnectionPlans()

  /// The functions and collations of the connection.
  var functions = RegisteredFunctions()

  /// The source of schema facts that SQLite doesn't know.
  ///
  /// It is the configuration's source, unless `withSchemaSource` replaces it.
  public package(set) var schemaSource: (any DatabaseSchemaSource)?

  /// The version of the data that a snapshot sees; nil for other connections.
  var snapshotVersion: String?

  /// The connection's part of the memory for cached pages.
  @safe @exclusivity(unchecked) var cache: CacheShare

  /// Whether a rollback has failed in this access, as without memory.
  var hasFailedRollback = false

  /// The clock's date for the current transaction.
  var currentTransactionDate: TransactionInstant?

  @safe init(
    connection: SQLiteConnection, path: String, name: String, configuration: Configuration,
    keying: Keying, cacheBudget: CacheBudget
  ) {
    sqliteConnection = unsafe connection
    self.keying = keying
    cache = CacheShare(
      budget: cacheBudget, changedPages: ChangedPages(limit: configuration.changedPagesSize))
    self.path = path
    description = name
    self.configuration = configuration
    sharedConfiguration = SharedConfiguration(configuration)
    gate = AccessGate(
      queue: configuration.accessQueue(name), target: configuration.accessTarget)
    schemaSource = configuration.schemaSource
    arrays = ArrayRegistry()
    registry = StatementRegistry(gate: gate, arrays: arrays)
    statementCache = StatementCache(capacity: configuration.statementCacheCapacity)
    interruption = Interruption(connection: connection)
    arrays.connection = unsafe connection
    cache.budget.join()
  }

  deinit {
    closeConnection()
    if let failure = freshness.failure {
      ErrorLog.write(.SQLITE_WARNING, "freshness of \(path): \(failure)")
    }
  }

  /// Closes the connection and finalizes its statements.
  func closeConnection() {
    guard let connection = sqliteConnection else { return }
    cache.budget.leave()
    interruption.disconnect()
    hooks.removeAll(from: connection)
    statementCache.removeAll()
    plans.removeAll()
    recordStorage = nil
    boundStatements = []
    functions.additions = SQLAdditions()
    functions.unregistered = []
    accessState.remove(.unregistered)
    registry.finalizeAll()
    control.finalizeAll()
    let session = freshness.session
    endFreshness(connection)
    SQLite.setWALHook(nil, in: connection)
    sqliteConnection = nil
    fts5API = nil
    arrays.connection = nil
    // Remaining statements belong to virtual tables, which finalize them.
    SQLite.closeWhenIdle(connection)
    session?.unlock()
  }

  /// Adopts a new handle after the old one was closed.
  @safe func reconnect(to connection: SQLiteConnection) {
    sqliteConnection = unsafe connection
    arrays.reconnect(to: connection)
    interruption.connect(to: connection)
    schemaDidChange()
  }

  /// Returns SQLite's handle, or throws if the connection is closed.
  @safe func openConnection() throws -> SQLiteConnection {
    guard let sqliteConnection else { throw keying.failure ?? .connectionIsClosed }
    return unsafe sqliteConnection
  }

  // MARK: SQLite's state

  /// The rowid of the last inserted row, or 0.
  public var lastInsertedRowID: Int64 {
    unsafe sqliteConnection.map { SQLite.lastInsertedRowID($0) } ?? 0
  }

  /// The number of rows changed by the last INSERT, UPDATE or DELETE.
  public var changesCount: Int { unsafe sqliteConnection.map { SQLite.changesCount($0) } ?? 0 }

  /// The number of rows changed since the connection was opened.
  public var totalChangesCount: Int {
    unsafe sqliteConnection.map { SQLite.totalChangesCount($0) } ?? 0
  }

  /// The code of the last error.
  public var lastErrorCode: ResultCode {
    unsafe ResultCode(rawValue: sqliteConnection.map { SQLite.errorCode($0) } ?? 0)
  }

  /// The message of the last error, without values that it may quote.
  ///
  /// `Configuration.publicStatementArguments` shows them. Nil once the connection is closed.
  public var lastErrorMessage: String? {
    guard let connection = sqliteConnection else { return nil }
    let message = SQLite.errorMessage(connection)
    if configuration.publicStatementArguments { return message }
    let code = ResultCode(rawValue: SQLite.extendedErrorCode(connection))
    return SQLiteMessage(text: message, code: code).withoutValues(of: "")
  }

  /// The maximum number of arguments of a statement.
  ///
  /// An array counts as one.
  public var maximumStatementArgumentCount: Int {
    unsafe sqliteConnection.map { SQLite.maximumParameterCount($0) } ?? 0
  }

  /// SQLite's version, such as 3046001.
  public static var sqliteLibVersionNumber: CInt { CInt(SQLite.versionNumber) }

  /// The hits, misses and evictions of the connection's statement cache.
  public var statementCacheStatistics: StatementCacheStatistics { statementCache.statistics }

  /// Releases memory that the connection doesn't need: cached pages, statements and facts.
  ///
  /// The pages are decrypted again when they are next needed. The memory is free for other
  /// allocations of the process; ``DatabaseQueue/releaseMemory()`` and
  /// ``DatabasePool/releaseMemory()`` also return it to the system.
  public func releaseMemory() {
    statementCache.removeAll()
    plans.removeAll()
    recordStorage = nil
    if let sqliteConnection { SQLite.releaseMemory(sqliteConnection) }
  }
}

/// A connection is confined to its accesses, which run on one thread at a time.
@available(*, unavailable)
extension Database: Sendable {}

extension Database: CustomStringConvertible, CustomDebugStringConvertible {
  /// The name of the connection, in a form for debuggers.
  public var debugDescription: String { "<Database: \(description)>" }
}
