import Dispatch

/// How a database is opened and used.
public struct Configuration: Sendable {
  // MARK: Encryption

  /// The key of the file; nil for a plaintext database.
  public var key: DatabaseKey? {
    didSet { wasKeyReplaced = false }
  }

  /// Whether the file's key was changed after these connections were opened, so
  /// that what preparations give is the old one.
  package private(set) var wasKeyReplaced = false

  /// Has further connections open the file with its new key.
  mutating func replaceKey(with newKey: DatabaseKey) {
    key = newKey
    wasKeyReplaced = true
  }

  /// How the file is encrypted; what a file was made with is needed to open it.
  public var cipher: CipherSettings = .default

  // MARK: SQLite

  /// Whether foreign keys are enforced; true by default.
  public var foreignKeysEnabled = true

  /// Whether the database can't be written; false by default.
  public var readonly = false

  /// Whether `"text"` that names no column is taken for a string, as old SQLite
  /// did; false by default. SQLite before 3.29 can't be told.
  public var acceptsDoubleQuotedStringLiterals = false

  /// The journal that a pool or a queue keeps; see ``JournalModeConfiguration``.
  public var journalMode: JournalModeConfiguration = .default

  /// What a connection does when another one has locked the database: it waits
  /// for up to 5 seconds by default.
  public var busyMode: Database.BusyMode = .timeout(5)

  /// The most statements that are kept prepared, per connection; 100 by default,
  /// 0 keeps none.
  public var statementCacheCapacity = 100

  /// What completes the schema where SQLite doesn't know it all, such as the primary keys of views.
  public var schemaSource: (any DatabaseSchemaSource)?

  // MARK: Transactions

  /// Whether an access may leave a transaction open; false by default.
  public var allowsUnsafeTransactions = false

  /// What ``Database/transactionDate`` reads.
  public var transactionClock: any TransactionClock = .default

  /// Whether observers are told of what other connections and processes commit to the
  /// file; false by default.
  ///
  /// ```swift
  /// configuration.observesExternalChanges = true
  /// let pool = try DatabasePool(path: "vault.db", configuration: configuration)
  /// ```
  ///
  /// Which tables have changed is unknown then, so that each observer is told
  /// that something has: of several commits maybe once, mostly within some
  /// milliseconds, and on a thread of the database, as of a commit of its own.
  /// It works for read-only databases too. In a file with a rollback journal, a
  /// transaction that others undo after it has outgrown their cache may count as
  /// a commit.
  ///
  /// The folder of the file is watched (`inotify`), so that it costs nothing
  /// while nobody writes or nobody observes; opening throws where the system has
  /// no watch left, or where the folder can't be read. A moved folder stays
  /// watched, a file that takes the place of the old one isn't noticed, and
  /// neither is what other machines write to a shared folder. A database in
  /// memory has nobody else, and ignores it.
  public var observesExternalChanges = false

  // MARK: Diagnostics

  /// A name for the connection's queues, to see in a debugger.
  public var label: String?

  /// Whether errors show the arguments of statements; false by default, since
  /// they may be private.
  public var publicStatementArguments = false

  // MARK: Concurrency

  /// The most readers of a pool; 5 by default.
  public var maximumReaderCount = 5

  /// Whether a pool keeps its readers when memory is asked back.
  public var persistentReadOnlyConnections = false

  /// How a pool keeps its write-ahead log short.
  public var checkpointPolicy: CheckpointPolicy = .default

  /// The quality of service of asynchronous accesses.
  public var qos: DispatchQoS = .default

  /// The quality of service of reads; ``qos`` by default.
  public var readQoS: DispatchQoS {
    get { readQoSOverride ?? qos }
    set { readQoSOverride = newValue }
  }

  /// The quality of service of writes; ``qos`` by default.
  public var writeQoS: DispatchQoS {
    get { writeQoSOverride ?? qos }
    set { writeQoSOverride = newValue }
  }

  private var readQoSOverride: DispatchQoS?
  private var writeQoSOverride: DispatchQoS?

  /// The queue on which asynchronous accesses run in the end.
  public var targetQueue: DispatchQueue?

  /// The queue on which asynchronous writes run in the end; ``targetQueue`` by default.
  public var writeTargetQueue: DispatchQueue?

  /// Whether the database may ever be another one, as far as its observers are told.
  var maySeeCommits: Bool { !readonly || observesExternalChanges }

  /// The default configuration.
  public init() {}

  // MARK: Preparing connections

  package private(set) var preparations: [@Sendable (Database) throws -> Void] = []

  /// Adds a function that is run on each new connection, before anything else
  /// uses it.
  ///
  /// ```swift
  /// configuration.prepareDatabase { db in
  ///   try db.usePassphrase("correct horse battery staple")
  /// }
  /// ```
  public mutating func prepareDatabase(
    _ setup: @escaping @Sendable (_ db: Database) throws -> Void
  ) {
    preparations.append(setup)
  }

  /// Which journal a database keeps.
  public enum JournalModeConfiguration: Sendable {
    /// A queue leaves the file's mode alone; a pool uses WAL.
    case `default`
    /// The write-ahead log: <https://sqlite.org/wal.html>.
    case wal
  }

  /// The queue of a connection's asynchronous accesses.
  ///
  /// A serial one: Dispatch always has a thread for it, also while the threads
  /// that Swift's tasks run on, as few as the cores, wait for accesses.
  var accessQueue: DispatchQueue {
    DispatchQueue(
      label: label ?? "Coffer", qos: writeQoS, target: writeTargetQueue ?? targetQueue)
  }

  /// The queue of asynchronous accesses of a connection that reads, beside one that writes.
  var readQueue: DispatchQueue {
    DispatchQueue(label: (label ?? "Coffer") + ".reader", qos: readQoS, target: targetQueue)
  }
}
