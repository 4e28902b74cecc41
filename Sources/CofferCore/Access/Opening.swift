import CofferVault
import Glibc

/// The way to a connection: what it is opened with, and its steps in their order.
///
/// ```swift
/// let database = try Opening(path: path, name: name, configuration: configuration).finish()
/// ```
/// A step finds what those before it have done. A failure in one closes the connection; a file that
/// wasn't there is empty then, or an encrypted database if "new file" was done. After a key change,
/// the same steps set the connection up again, with the new key.
struct Opening {
  /// The database's path, or `:memory:`.
  let path: String
  /// The connection's name.
  let name: String
  let configuration: Configuration
  /// What SQLite opens: the path, or a URI.
  private var file: String
  private var flags: SQLite.OpenFlags = []
  /// The file's key, if another connection has derived it.
  private let knownKey: KnownKey?
  /// The memory that the connection shares with others; nil for all of the configuration's.
  private let cacheBudget: CacheBudget?
  var steps = Opening.steps

  /// Opens a file. A new file with a key is created at once, encrypted, so that nothing comes
  /// between setting the key and the first write.
  init(
    path: String, name: String, configuration: Configuration, knownKey: KnownKey? = nil,
    cacheBudget: CacheBudget? = nil
  ) {
    self.path = Self.absolutePath(path)
    self.name = name
    self.configuration = configuration
    self.knownKey = knownKey
    self.cacheBudget = cacheBudget
    file = self.path
  }

  /// Opens a database in memory.
  ///
  /// - Parameter sharedName: Connections of this process with the same shared name share a
  ///   database.
  init(inMemoryNamed sharedName: String?, name: String, configuration: Configuration) throws {
    self.init(path: ":memory:", name: name, configuration: configuration)
    guard let sharedName else { return }
    guard configuration.key == nil else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "a named database in memory can't have a key",
        hint: "It is never written to a file. Open it without a key.")
    }
    let features = SQLiteFeatures.linked
    try features.require(features.hasSharedMemoryDatabases, "a named database in memory", "3.36")
    let escaped = sharedName.utf8.map { byte in
      let isPlain =
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
        || (0x61...0x7A).contains(byte)
      let hex = String(byte, radix: 16)
      return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + hex
    }
    file = "file:/coffer-\(escaped.joined())?vfs=memdb"
    flags = .uri
  }

  /// Opens the file of a closed connection again, with its current key.
  private init(again database: Database) {
    self.init(
      path: database.path, name: database.description, configuration: database.configuration)
  }

  /// Returns the path from the root, so that it is that of the file after `chdir`, too: readers,
  /// snapshots and key changes open the file again.
  private static func absolutePath(_ path: String) -> String {
    guard !path.isEmpty, path != ":memory:", !path.hasPrefix("/"),
      let folder = unsafe getcwd(nil, 0)
    else { return path }
    // SAFETY: `getcwd` allocates the path that it returns.
    defer { unsafe free(folder) }
    let name = unsafe String(cString: folder)
    return name.hasSuffix("/") ? name + path : "\(name)/\(path)"
  }

  // MARK: Opening

  /// Returns the connection, once all steps are done.
  func finish() throws -> Database {
    try configuration.checkCacheSize()
    try configuration.checkChangedPagesSize()
    // Between the inspection and the first write, another process may create the file with a
    // different salt.
    var attempts = 3
    while true {
      do { return try attempt() } catch is SaltRace where attempts > 1 { attempts -= 1 }
    }
  }

  private func attempt() throws -> Database {
    let size = try inspectedSize()
    // Before there is a file: a missing key makes none.
    let key = try configuration.resolvedKey(knownKey, path: path)
    if size <= 1, isFile, !configuration.readonly { try createFile() }
    let connection = try SQLite.connect(
      to: file, flags: flags.union(configuration.readonly ? .readOnly : [.readWrite, .create]))
    let database = Database(
      connection: connection, path: path, name: name, configuration: configuration,
      keying: Keying(key, known: knownKey),
      cacheBudget: cacheBudget ?? CacheBudget(byteCount: configuration.cacheSize))
    try database.gate.withAccess { () throws -> Void in
      do { try setUp(database) } catch { throw explained(error, of: database, wasEmpty: size <= 1) }
    }
    return database
  }

  private var isFile: Bool { !path.isEmpty && path != ":memory:" }

  /// Returns the file's size, 0 if there is none yet.
  private func inspectedSize() throws -> Int {
    // SQLite would end the path there and open another file.
    guard CName.isWhole(path) else { throw Self.failure(hint: "The path holds a NUL character.") }
    // SQLite opens devices and waits for pipes, and loses what it writes there.
    guard let size = isFile ? DatabaseFile.size(at: path) : 0 else {
      throw Self.failure(hint: "The path is that of a device, a pipe or a socket.")
    }
    return size
  }

  private static func failure(hint: String) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_CANTOPEN, message: "unable to open database file", hint: hint)
  }

  private func createFile() throws {
    // A link is looked at before anything is created where it leads.
    try NewDatabaseFile.requireOwn(at: path)
    if let mode = configuration.fileMode {
      NewDatabaseFile.create(at: path, mode: mode)
      try NewDatabaseFile.requireOwn(at: path)
    }
  }

  /// Opens the file of a closed connection again, and prepares the connection as before, with its
  /// current key.
  ///
  /// Temporary tables, attached databases, and anything else added to the connection after it was
  /// opened are lost.
  static func reopen(_ database: Database) throws {
    try Opening(again: database).reopen(database)
  }

  private func reopen(_ database: Database) throws {
    database.reconnect(
      to: try SQLite.connect(to: file, flags: configuration.readonly ? .readOnly : .readWrite))
    do {
      try setUp(database)
    } catch {
      database.closeConnection()
      throw error
    }
  }

  // MARK: Steps

  /// A step, by its name and by what it does to a connection that nobody else can use yet.
  struct Step: Sendable {
    let name: String
    let run: @Sendable (Database) throws -> Void
  }

  static let steps = [
    Step(name: "early statements") { try $0.prepareEarlyStatements() },
    Step(name: "locks") { try $0.setUpWaiting() },
    // None of these settings reads the file, which would fail before the key is set.
    Step(name: "settings") { try $0.setUpSettings() },
    Step(name: "authorizer") { try $0.installAuthorizer() },
    Step(name: "functions") { try Database.addStandardFunctions(to: $0.openConnection()) },
    Step(name: "key") { try $0.giveKeyOfConfiguration() },
    Step(name: "preparations") { try $0.runPreparations() },
    Step(name: "settled key") { try $0.settleKey() },
    Step(name: "format") { try $0.validateFormat() },
    Step(name: "statements") { try $0.prepareStatements() },
    // Reads the schema, so that it comes after the key.
    Step(name: "cache") { $0.setCacheSize() },
    Step(name: "new file") { try $0.createEncryptedFile() },
    Step(name: "journal") { try $0.setUpJournal() },
    Step(name: "freshness") { try $0.beginFreshness() },
    Step(name: "observation") { try $0.setUpObservation() },
    Step(name: "sharing") { try $0.share() },
  ]

  private func setUp(_ database: Database) throws {
    database.setup = ConnectionSetup()
    for step in steps { try step.run(database) }
    database.setup = nil
  }

  /// Closes a connection that a step has failed to set up, and returns the error.
  private func explained(
    _ error: any Error, of database: Database, wasEmpty: Bool
  ) -> any Error {
    database.closeConnection()
    guard let failure = error as? DatabaseError else { return error }
    if wasEmpty, isFile, database.isKeyed, failure.resultCode == .SQLITE_NOTADB,
      DatabaseFile.size(at: path) ?? 0 > 1
    {
      return SaltRace()
    }
    return failure.explainingLogIndex(of: path)
  }
}

/// What is known of a connection only while it is set up.
final class ConnectionSetup {
  /// Whether the preparations are running.
  var isPreparing = false
  /// Tokenizers to register once the key is known to be right.
  var waitingTokenizers: [WaitingTokenizer] = []
  /// Whether the application has set the journal mode by SQL.
  var hasChosenJournalMode = false
  /// Whether the connection has created the file.
  var isNewFile = false

  /// Whether the journal mode is the library's to choose.
  var usesDefaultJournal: Bool { isNewFile && !hasChosenJournalMode }
}

/// Thrown when another connection has meanwhile created the file with another salt.
struct SaltRace: Error {}

extension Configuration {
  /// Returns the key of a file, which a provider or an unlocker may have to give.
  fileprivate func resolvedKey(_ known: KnownKey?, path: String) throws -> DatabaseKey? {
    guard let key, key.isUnresolved else { return key }
    return try known?.key ?? key.resolved(forDatabaseAt: path, settings: cipher)
  }
}

extension DatabaseError {
  /// Returns the error with a hint if a reader can't make the index of a write-ahead log.
  fileprivate func explainingLogIndex(of path: String) -> DatabaseError {
    guard resultCode == .SQLITE_CANTOPEN || resultCode == .SQLITE_READONLY,
      !path.isEmpty, unsafe access(path, R_OK) == 0
    else { return self }
    let folder = path.contains("/") ? String(path[...path.lastIndex(of: "/")!]) : "."
    guard unsafe access(folder, W_OK) != 0, unsafe access(path + "-shm", R_OK | W_OK) != 0 else {
      return self
    }
    return addingHint(
      "A file with a write-ahead log can be read only with the log's index beside it, "
        + "\(path)-shm, and this user may neither write that nor make it. Let the user read and write "
        + "both files of the log while the owner has the database open, give it write access to the "
        + "folder, or let the owner set PRAGMA journal_mode = DELETE.")
  }
}
