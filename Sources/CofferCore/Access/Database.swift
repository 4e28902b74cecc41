import Synchronization

/// A connection to a database, as it is seen inside an access.
///
/// ```swift
/// try queue.write { db in
///   try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
/// }
/// ```
///
/// It is valid inside the closure that receives it, and on its thread only.
public final class Database {
  /// SQLite's handle, for C functions that Coffer doesn't offer; nil once closed.
  @exclusivity(unchecked) public internal(set) var sqliteConnection: SQLiteConnection?

  /// How the connection was opened.
  public internal(set) var configuration: Configuration {
    didSet { shareConfiguration() }
  }

  /// The same, for those outside of accesses.
  let sharedConfiguration: SharedConfiguration

  /// The path, or `:memory:`.
  package let path: String

  /// What the connection is called; see ``Configuration/label``.
  public let description: String

  package let gate: AccessGate
  package let registry: StatementRegistry
  package let arrays: ArrayRegistry
  let statementCache: StatementCache
  let control = ControlStatements()
  /// Interrupts and cancellations, which come from other threads.
  let interruption: Interruption
  /// The key that the file was opened with, derived; kept for further connections.
  var derivedKey: DerivedKey?
  /// The key and the settings that the connection was given.
  var keying: (key: DatabaseKey, settings: CipherSettings)?
  package let hooks = ConnectionHooks()
  /// What FTS5 offers to extensions; nil where SQLite has no FTS5.
  package internal(set) var fts5API: SQLiteFTS5API?
  package lazy var observation = TransactionObservation(database: self)

  /// What an access forbids, or owes before its first statement.
  struct AccessState: OptionSet {
    let rawValue: UInt8
    /// Statements that write are refused.
    static let readOnly = AccessState(rawValue: 1)
    /// A transaction begins with the first statement.
    static let pendingTransaction = AccessState(rawValue: 2)
    /// Somebody observes transactions.
    static let observed = AccessState(rawValue: 4)
    /// The regions that statements read are gathered.
    static let recordingRegion = AccessState(rawValue: 8)
    /// Commits and what they change are noted.
    static let logged = AccessState(rawValue: 16)
    /// Statements belong to a transaction, and throw once it is over.
    static let transactionBlock = AccessState(rawValue: 32)
    /// Nothing has been committed, so that the access can be cancelled as if it had never been.
    static let revocable = AccessState(rawValue: 64)
  }

  @exclusivity(unchecked) var accessState: AccessState = []

  /// What the commits of a pool's writer have changed; nil elsewhere.
  var commitLog: CommitLog?
  /// What others commit to the file; nil where nobody wants to know.
  var externalChanges: ExternalChanges?
  /// What keeps the log of a pool's writer short; nil elsewhere.
  var checkpointer: Checkpointer?
  /// The key of another connection to the file, derived.
  var knownKey: KnownKey?
  /// Whether SQLCipher has the key as it was given, whose settings preparations may still change.
  var isKeyProvisional = false
  /// What the settings of the cipher were last set to by SQL, as far as that can be read back.
  var requestedCipherSettings: [String: String] = [:]
  /// Whether the connection's own statements set the cipher up.
  var isSettingKeyUp = false
  /// Whether preparations are run.
  var isPreparing = false
  /// Whether the connection has been set up, and may be used.
  var isSetUp = false

  /// The number of statements under way.
  @exclusivity(unchecked) var activeStatementCount = 0

  /// What a higher floor knows of the schema.
  package var schemaStorage: AnyObject?

  /// What a higher floor keeps prepared for changes of records.
  @exclusivity(unchecked) package var recordStorage: AnyObject?

  /// What record types have found out; see ``plan(_:make:)``.
  @exclusivity(unchecked) var plans = ConnectionPlans()

  /// What was added to the connection, for others to the same file.
  var additions = SQLAdditions()

  /// The collations that higher floors have made known; see ``ensure(collation:)``.
  var ensuredCollations: Set<DatabaseCollation.ID> = []

  /// The names of the functions that higher floors have made known; see ``ensure(function:)``.
  var ensuredFunctions: Set<String> = []

  /// What completes the schema where SQLite doesn't know it all; the
  /// configuration's, unless `withSchemaSource` has taken its place.
  public package(set) var schemaSource: (any DatabaseSchemaSource)?

  /// The version of the data that a snapshot sees; nil where this is none.
  var snapshotVersion: String?

  /// The date of the current transaction, as the clock told it.
  var currentTransactionDate: TransactionInstant?

  init(
    connection: SQLiteConnection, path: String, name: String, configuration: Configuration
  ) {
    sqliteConnection = connection
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
    arrays.connection = connection
  }

  deinit { closeConnection() }

  /// Closes the connection, and finalizes our statements.
  func closeConnection() {
    guard let connection = sqliteConnection else { return }
    interruption.disconnect()
    hooks.removeAll(from: connection)
    SQLite.setWALHook(nil, in: connection)
    statementCache.removeAll()
    plans.removeAll()
    recordStorage = nil
    additions = SQLAdditions()
    registry.finalizeAll()
    control.finalizeAll()
    sqliteConnection = nil
    fts5API = nil
    arrays.connection = nil
    // What is left belongs to virtual tables, which finalize it themselves.
    SQLite.closeWhenIdle(connection)
  }

  /// SQLite's handle, of an open connection.
  package func openConnection() throws -> SQLiteConnection {
    guard let sqliteConnection else { throw DatabaseError.connectionIsClosed }
    return sqliteConnection
  }

  // MARK: What SQLite tells

  /// The rowid of the last inserted row, or 0.
  public var lastInsertedRowID: Int64 {
    sqliteConnection.map { SQLite.lastInsertedRowID($0) } ?? 0
  }

  /// The number of rows that the last INSERT, UPDATE or DELETE has changed.
  public var changesCount: Int { sqliteConnection.map { SQLite.changesCount($0) } ?? 0 }

  /// The number of rows that were changed since the connection was opened.
  public var totalChangesCount: Int {
    sqliteConnection.map { SQLite.totalChangesCount($0) } ?? 0
  }

  /// The code of the last error.
  public var lastErrorCode: ResultCode {
    ResultCode(rawValue: sqliteConnection.map { SQLite.errorCode($0) } ?? 0)
  }

  /// The message of the last error; nil where there was none.
  public var lastErrorMessage: String? {
    sqliteConnection.map { SQLite.errorMessage($0) }
  }

  /// The most arguments that one statement takes; arrays count as one.
  public var maximumStatementArgumentCount: Int {
    sqliteConnection.map { SQLite.maximumParameterCount($0) } ?? 0
  }

  /// SQLite's version, such as 3046001.
  public static var sqliteLibVersionNumber: CInt { CInt(SQLite.versionNumber) }

  /// Hits, misses and evictions of the connection's statement cache.
  public var statementCacheStatistics: StatementCacheStatistics { statementCache.statistics }

  /// Gives back memory that the connection can do without.
  public func releaseMemory() {
    statementCache.removeAll()
    plans.removeAll()
    recordStorage = nil
    if let sqliteConnection { SQLite.releaseMemory(sqliteConnection) }
  }
}

/// A connection is used inside its accesses only.
@available(*, unavailable)
extension Database: Sendable {}

extension Database: CustomStringConvertible, CustomDebugStringConvertible {
  /// The same as `description`.
  public var debugDescription: String { "<Database: \(description)>" }
}
