import CofferVault
import Dispatch

/// The settings with which a database is opened and used.
public struct Configuration: Sendable {
  // MARK: Encryption

  /// The key of the file.
  ///
  /// Nil opens a plaintext database.
  public var key: DatabaseKey? {
    didSet { wasKeyReplaced = false }
  }

  /// Whether the file's key was changed after the connections were opened, so that a key set by the
  /// preparations is outdated.
  private(set) var wasKeyReplaced = false

  /// Replaces the key with which further connections open the file.
  mutating func replaceKey(with newKey: DatabaseKey?) {
    key = newKey
    wasKeyReplaced = true
  }

  /// The encryption settings with which the file was created.
  public var cipher: CipherSettings = .default

  /// Whether the connections use SQLCipher's own cryptographic provider.
  ///
  /// False by default: Coffer's provider reads and writes the same files, and saves SQLCipher's
  /// set-up of libcrypto for each page. See
  /// ``Database/cipherProviderDescription-swift.type.property`` for where it is at work. Files that
  /// such a connection attaches use the process's provider.
  public var usesStockCipherProvider = false

  /// Whether pages are decrypted ahead of scans of tables and indexes, and encrypted ahead of long
  /// writes, on the processor's other cores.
  ///
  /// True by default where there is more than one core, unless `COFFER_NO_READ_AHEAD=1` is in the
  /// environment. On two idle cores, a scan takes half to two thirds of the time, and the insertion
  /// of many rows three quarters. Lookups, short ranges, short transactions and pages in the log
  /// don't change. Meanwhile, a connection holds up to 1 MiB more of decrypted pages, in memory
  /// that is wiped as its transaction ends. It needs Coffer's cipher provider and HMACs.
  /// ``Database/readAheadStatistics`` counts the pages.
  public var readsAhead = ReadAhead.isWorthwhile && ReadAhead.isAllowed

  /// The detection of older files, pages and logs that somebody has put back.
  ///
  /// Nil by default. It needs an encrypted file with HMACs, and sets WAL mode, also for a queue.
  /// See ``Freshness``.
  public var freshness: Freshness?

  // MARK: SQLite

  /// Whether foreign keys are enforced.
  ///
  /// True by default.
  public var foreignKeysEnabled = true

  /// Whether the database can't be written.
  ///
  /// False by default.
  public var readonly = false

  /// Whether a `"text"` that names no column is a string, as in old SQLite versions.
  ///
  /// False by default. SQLite before 3.29 ignores this setting.
  public var acceptsDoubleQuotedStringLiterals = false

  /// The journal mode of a queue or pool.
  ///
  /// See ``JournalModeConfiguration``.
  public var journalMode: JournalModeConfiguration = .default

  /// The permissions of a new database file, its journal and its WAL.
  ///
  /// `0o600` by default: only the owner of the process can read and write them. The permissions
  /// don't depend on the process's `umask`, and those of an existing file don't change. Nil leaves
  /// them to SQLite, which lets all users read (`0o644`, less `umask`).
  ///
  /// ```swift
  /// configuration.fileMode = 0o660  // also for the file's group
  /// ```
  public var fileMode: UInt32? = 0o600

  /// The behavior of a connection when another connection has locked the database.
  ///
  /// By default it waits for up to 5 seconds.
  public var busyMode: Database.BusyMode = .timeout(5)

  /// The maximum number of cached statements per connection.
  ///
  /// 100 by default; 0 disables the cache.
  public var statementCacheCapacity = 100

  /// The memory for cached pages of the file, in bytes, which all connections of a queue or a pool
  /// share.
  ///
  /// 16 MiB by default, from 0 to 2 TiB: opening throws for other values. Pages stay decrypted in
  /// the cache, so that a larger one saves decryption; it is used only as far as the file is read.
  /// Reads of random rows of a file of 19 MB take 12 µs with SQLite's own default of 2 MB, 5 µs
  /// with 16 MiB, and 3.4 µs with 32 MiB.
  ///
  /// Each open connection has an equal share: half of it is a pool's writer's while one reader is
  /// open. A connection adapts to others that open and close at its next access, or at once if it
  /// is opened. A pool's snapshots share its memory, too. `PRAGMA cache_size`, also in
  /// ``prepareDatabase(_:)``, sets the size of a connection's cache regardless of this.
  /// ``DatabasePool/releaseMemory()`` empties the caches. Databases in memory ignore this setting.
  public var cacheSize = 16 << 20

  /// The memory in bytes, beyond the cache, that a transaction's changed pages may take before they
  /// are written to the write-ahead log.
  ///
  /// 4 MiB by default, from 0 to 1 GiB: opening throws for other values. The pages are written
  /// between two statements, and only while no savepoint is open and no other statement that writes
  /// is under way, so that a transaction of many statements takes this memory, however large it is.
  /// What a single statement changes, or a savepoint, stays in memory until it ends. The log grows
  /// by what is written, even if the transaction is rolled back afterwards. Ignored with a rollback
  /// journal, for which SQLite limits the memory itself, and after `PRAGMA cache_spill = OFF`.
  public var changedPagesSize = 4 << 20

  /// The source of schema facts that SQLite doesn't know, such as the primary keys of views.
  public var schemaSource: (any DatabaseSchemaSource)?

  // MARK: Transactions

  /// Unavailable: the kind of a transaction follows from what it does.
  @available(
    *, unavailable,
    message: "Writes are immediate, reads deferred; inTransaction takes another kind."
  )
  public var defaultTransactionKind: Database.TransactionKind {
    get { .immediate }
    set {}
  }

  /// Whether an access may leave a transaction open.
  ///
  /// False by default.
  public var allowsUnsafeTransactions = false

  /// The clock that ``Database/transactionDate`` reads.
  public var transactionClock: any TransactionClock = .default

  /// Whether observers are notified of commits to the file by other connections and processes.
  ///
  /// False by default.
  ///
  /// ```swift
  /// configuration.observesExternalChanges = true
  /// let pool = try DatabasePool(path: "vault.db", configuration: configuration)
  /// ```
  ///
  /// The changed tables are unknown, so every observer is notified: usually within milliseconds,
  /// possibly once for several commits, and on a thread of the database, as with the database's own
  /// commits. This also works for read-only databases. In rollback journal mode, a transaction that
  /// another connection rolls back after it outgrew that connection's cache can count as a commit.
  ///
  /// The file's folder is watched with `inotify`, so this costs nothing while there are no writes
  /// or no observers. Opening throws if the system has no watches left or the folder can't be read.
  /// A folder stays watched when it is moved. A file that replaces the database, and writes by
  /// other machines to a shared folder, go unnoticed. In-memory databases ignore this setting.
  public var observesExternalChanges = false

  /// Whether each list that an observation has brought up to date by the changed rows is compared
  /// with a fetch, for debug builds.
  ///
  /// False by default. An observation of all rows of a request on one table doesn't fetch all of
  /// them after each commit. With this, it does both, and stops the program if they differ:
  /// please report that. Functions and collations that give other results for the same values, but
  /// were added as pure ones, are such a difference, too.
  ///
  /// ```swift
  /// #if DEBUG
  /// configuration.verifiesObservedLists = true
  /// #endif
  /// ```
  public var verifiesObservedLists = false

  // MARK: Diagnostics

  /// The name of the connections and their queues in logs and debuggers.
  ///
  /// A queue's connection is named `label`; a pool's are `label.writer`, `label.reader.1` and
  /// `label.snapshot.1`. Without a label, a default such as `Coffer.DatabaseQueue` takes its place.
  public var label: String?

  /// Whether errors show statement arguments.
  ///
  /// False by default, since arguments can be private data.
  public var publicStatementArguments = false

  // MARK: Concurrency

  /// The maximum number of a pool's readers.
  ///
  /// 5 by default.
  public var maximumReaderCount = 5

  /// Whether a pool keeps its readers open when it releases memory.
  public var persistentReadOnlyConnections = false

  /// How a pool limits its write-ahead log.
  public var checkpointPolicy: CheckpointPolicy = .default

  /// The quality of service of asynchronous accesses.
  public var qos: DispatchQoS = .default

  /// The quality of service of reads, by default ``qos``.
  public var readQoS: DispatchQoS {
    get { readQoSOverride ?? qos }
    set { readQoSOverride = newValue }
  }

  /// The quality of service of writes, by default ``qos``.
  public var writeQoS: DispatchQoS {
    get { writeQoSOverride ?? qos }
    set { writeQoSOverride = newValue }
  }

  private var readQoSOverride: DispatchQoS?
  private var writeQoSOverride: DispatchQoS?

  /// The target of the queues on which accesses run.
  ///
  /// Without a target, a synchronous access runs on its caller's thread.
  ///
  /// With a serial target, a synchronous access waits for the work already on that queue.
  public var targetQueue: DispatchQueue?

  /// The target of the queue on which a writable connection's accesses run.
  ///
  /// By default ``targetQueue``.
  public var writeTargetQueue: DispatchQueue?

  /// Whether observers of this database can see commits.
  var maySeeCommits: Bool { !readonly || observesExternalChanges }

  /// The default configuration.
  public init() {}

  // MARK: Preparing connections

  private(set) var preparations: [@Sendable (Database) throws -> Void] = []

  /// Adds a function that runs on each new connection before its first use.
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

  /// The journal mode of a database.
  public enum JournalModeConfiguration: Sendable {
    /// A new encrypted file gets WAL, and a queue keeps the mode of an existing file; a pool uses
    /// WAL.
    ///
    /// A queue that makes a file with WAL waits for the disk at each commit, as with a rollback
    /// journal.
    case `default`
    /// The write-ahead log: <https://sqlite.org/wal.html>.
    ///
    /// A commit doesn't wait for the disk: a power cut can lose the last ones.
    case wal
    /// The rollback journal, for a queue: <https://sqlite.org/lockingv3.html#rollback>.
    ///
    /// The database is a single file while no transaction is open, and a transaction that changes
    /// attached databases is atomic for all of them. But SQLite takes a damaged journal for a short
    /// one: see "Not detected" in `Docs/Security.md`.
    case delete
  }

  /// The name of a connection.
  ///
  /// - Parameter purpose: The connection's role in its database; nil if it is the only one.
  func connectionName(_ defaultLabel: String, _ purpose: String? = nil) -> String {
    let label = label ?? "Coffer." + defaultLabel
    return purpose.map { "\(label).\($0)" } ?? label
  }

  /// The target of a connection's queue; nil for any.
  var accessTarget: DispatchQueue? { readonly ? targetQueue : writeTargetQueue ?? targetQueue }

  /// Creates the queue of a connection's asynchronous accesses.
  ///
  /// It is serial: Dispatch always has a thread for it, even while all the threads of Swift's task
  /// pool, which are no more than the cores, wait for accesses.
  func accessQueue(_ name: String) -> DispatchQueue {
    // Setting a quality of service would detach the queue from a global target queue.
    if let accessTarget { return DispatchQueue(label: name, target: accessTarget) }
    return DispatchQueue(label: name, qos: readonly ? readQoS : writeQoS)
  }
}
