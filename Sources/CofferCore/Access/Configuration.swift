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
  mutating func replaceKey(with newKey: DatabaseKey?) {
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

  /// Not there: the kind of a transaction follows from what it does.
  @available(
    *, unavailable,
    message: "Writes are immediate, reads deferred; inTransaction takes another kind."
  )
  public var defaultTransactionKind: Database.TransactionKind {
    get { .immediate }
    set {}
  }

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

  /// A name for the connections and their queues, to see in logs and in a debugger.
  ///
  /// The connection of a queue is called `label`, those of a pool `label.writer`, `label.reader.1` and
  /// `label.snapshot.1`; `Coffer.DatabaseQueue` and so on where there is no label.
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

  /// The queue on which accesses run in the end; without one, synchronous ones run on the thread that
  /// asks for them.
  ///
  /// On a serial queue, a synchronous access waits for what the queue is doing.
  public var targetQueue: DispatchQueue?

  /// The queue on which the accesses of a connection that can write run in the end; ``targetQueue`` by
  /// default.
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

  /// What a connection is called.
  ///
  /// - Parameter purpose: What it does in its database; nil where it is the only one.
  func connectionName(_ defaultLabel: String, _ purpose: String? = nil) -> String {
    let label = label ?? "Coffer." + defaultLabel
    return purpose.map { "\(label).\($0)" } ?? label
  }

  /// The queue on which the accesses of a connection run in the end; nil for any.
  var accessTarget: DispatchQueue? { readonly ? targetQueue : writeTargetQueue ?? targetQueue }

  /// The queue of a connection's asynchronous accesses.
  ///
  /// A serial one: Dispatch always has a thread for it, also while the threads
  /// that Swift's tasks run on, as few as the cores, wait for accesses.
  func accessQueue(_ name: String) -> DispatchQueue {
    // With a quality of its own, it would leave a target that is one of Dispatch's queues.
    if let accessTarget { return DispatchQueue(label: name, target: accessTarget) }
    return DispatchQueue(label: name, qos: readonly ? readQoS : writeQoS)
  }
}
