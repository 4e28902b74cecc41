import Coffer
import CofferArchive
import Glibc

/// Opens the file of a command with its key.
struct Opening {
  let path: String
  let source: KeySource?
  let cipher: CipherSettings?
  /// Where the newest state of the database is; nil if it doesn't matter.
  let anchor: FileAnchor?

  /// - Parameter prefix: `new-` for a second file or key.
  init(_ invocation: Invocation, path: String, prefix: String = "") throws {
    self.path = path
    source = try KeySource(invocation, prefix: prefix)
    cipher = try invocation.value(prefix + "cipher").map(CipherOption.parse)
    anchor = prefix.isEmpty ? invocation.value("anchor").map { FileAnchor(path: $0) } : nil
  }

  init(path: String, source: KeySource?, cipher: CipherSettings?) {
    self.path = path
    self.source = source
    self.cipher = cipher
    anchor = nil
  }

  /// The configuration with a key and what the options say.
  func configuration(_ key: DatabaseKey?, readonly: Bool) -> Configuration {
    var configuration = Configuration()
    configuration.key = key
    configuration.cipher = cipher ?? .default
    configuration.readonly = readonly
    configuration.freshness = anchor.map { Freshness(anchor: $0) }
    return configuration
  }

  /// Opens the file, after asking for its passphrase if no option gives the key.
  ///
  /// - Throws: ``ToolError``, with the code 77 for a wrong or missing key.
  func open(readonly: Bool, configure: (inout Configuration) -> Void = { _ in }) throws
    -> DatabaseQueue
  {
    if !readonly { try requireNoFollower() }
    return try withKey { key in
      var configuration = configuration(key, readonly: readonly)
      configuration.label = "coffer"
      configure(&configuration)
      return try Self.connect(path, configuration)
    }
  }

  /// Opens a file and reads its schema, by which a plaintext file is recognized.
  static func connect(_ path: String, _ configuration: Configuration) throws -> DatabaseQueue {
    func connect(_ configuration: Configuration) throws -> DatabaseQueue {
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      _ = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") }
      return queue
    }
    do {
      return try connect(configuration)
    } catch let error as FreshnessError where error == .anchorMissing && configuration.readonly {
      // Only a connection that can write makes the first anchor.
      var writable = configuration
      writable.readonly = false
      try connect(writable).close()
      return try connect(configuration)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_READONLY {
      // A killed process has left a transaction, which only a connection that can write rolls back.
      var writable = configuration
      writable.readonly = false
      guard configuration.readonly, let queue = try? connect(writable) else { throw error }
      try? queue.close()
      return try connect(configuration)
    }
  }

  /// Opens the file as a pool that can write, like ``open(readonly:configure:)``.
  func openPool() throws -> DatabasePool {
    try requireNoFollower()
    return try withKey { key in
      var configuration = configuration(key, readonly: false)
      configuration.label = "coffer"
      let pool = try DatabasePool(path: path, configuration: configuration)
      _ = try pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") }
      return pool
    }
  }

  /// Throws if the file follows an archive, which nothing else may write to.
  func requireNoFollower() throws {
    guard ArchiveFollower.hasFollower(fileAt: path) else { return }
    throw ToolError(
      .cannotFollow,
      "\(path) follows an archive, and only coffer archive follow writes to it. Change the database that is "
        + "archived, or a file of coffer archive restore; if that database is lost, coffer archive promote"
    )
  }

  /// Calls `body` with the key: up to three times if the key is asked for and wrong.
  ///
  /// - Parameter body: Gets nil for a plaintext file without a key.
  func withKey<Result>(_ body: (DatabaseKey?) throws -> Result) throws -> Result {
    try withKey(isEncrypted: try requireDatabase(), body)
  }

  /// Calls `body` with the key of a file of which not even the beginning may be left.
  func withDamagedKey<Result>(_ body: (DatabaseKey?) throws -> Result) throws -> Result {
    switch DatabaseFile.inspect(at: path).kind {
    case .missing, .unreadable, .directory, .special, .empty, .tooShort: try requireDatabase()
    // No output of a cipher, so what is left can only be plaintext.
    case .plaintext, .notADatabase: return try withKey(isEncrypted: false, body)
    default: break
    }
    return try withKey(isEncrypted: true, body)
  }

  private func withKey<Result>(
    isEncrypted: Bool, _ body: (DatabaseKey?) throws -> Result
  ) throws -> Result {
    try ToolError.naming(path) {
      if let source { return try opening(with: source, body) }
      if !isEncrypted { return try body(nil) }
      return try asking { try opening(with: $0, body) }
    }
  }

  /// Whether the file has key slots.
  var hasSlots: Bool { KeySlots.exist(forDatabaseAt: path) }

  /// Calls `body` with a key that was read or asked for, or with the slots that it opens.
  private func opening<Result>(
    with key: DatabaseKey, _ body: (DatabaseKey?) throws -> Result
  ) throws -> Result {
    guard hasSlots else { return try body(key) }
    do {
      return try body(.slots(unlocker: unlocker(key)))
    } catch KeySlotsError.noSlot where key.withUnsafeRawKey({ _ in }) != nil {
      // The data key itself, as coffer key export prints it.
      return try body(key)
    } catch KeySlotsError.interrupted {
      // The file was about to get slots, and has its own key still.
      return try body(key)
    }
  }

  private func opening<Result>(
    with source: KeySource, _ body: (DatabaseKey?) throws -> Result
  ) throws -> Result {
    if case .recoveryKeyFile = source {
      return try body(.slots(unlocker: source.unlocker()))
    }
    return try opening(with: source.read(), body)
  }

  /// Calls `body` with the key of an archive, or with the slots in it that the key opens: up to
  /// three times if the key is asked for and wrong.
  func withArchiveKey<Result>(_ body: (DatabaseKey) throws -> Result) throws -> Result {
    func opening(_ key: DatabaseKey) throws -> Result {
      do {
        return try body(.slots(unlocker: unlocker(key)))
      } catch KeySlotsError.missing {
        // The database has no slots.
        return try body(key)
      } catch KeySlotsError.noSlot where key.withUnsafeRawKey({ _ in }) != nil {
        // The data key itself, as coffer key export prints it.
        return try body(key)
      }
    }
    do {
      guard let source else { return try asking(opening) }
      guard case .recoveryKeyFile = source else { return try opening(source.read()) }
      do {
        return try body(.slots(unlocker: source.unlocker()))
      } catch KeySlotsError.missing {
        // Throws, since there are no slots.
        return try body(source.read())
      }
    } catch {
      // Errors of files name theirs.
      throw ToolError(error, path: error is DatabaseError ? nil : path)
    }
  }

  /// Calls `body` with what opens the file's slots: up to three times if it is asked for and wrong.
  func withUnlocker<Result>(_ body: (KeyUnlocker) throws -> Result) throws -> Result {
    try requireDatabase()
    guard hasSlots else { throw KeySlotsError.missing(path: KeySlots.path(forDatabaseAt: path)) }
    if let source { return try body(source.unlocker()) }
    return try asking { try body(unlocker($0)) }
  }

  /// Calls `body` with a passphrase that is asked for.
  private func asking<Result>(_ body: (DatabaseKey) throws -> Result) throws -> Result {
    guard Prompt.isPossible else {
      throw ToolError(.noPermission, "\(path) is encrypted. \(ToolError.keyAdvice)")
    }
    for _ in 1..<Prompt.attempts {
      do {
        return try body(Prompt.passphrase(of: path))
      } catch let error as DatabaseError
        where error.cipherDiagnosis == .wrongKey || error.cipherDiagnosis == .wrongKeyOrDamaged
      {
        Prompt.note("The passphrase is wrong. Try again.")
      } catch KeySlotsError.noSlot, ArchiveError.otherKey {
        Prompt.note("The passphrase is wrong. Try again.")
      }
    }
    return try body(Prompt.passphrase(of: path))
  }

  /// Returns whether the file is encrypted, or throws if it is no database.
  @discardableResult
  func requireDatabase() throws -> Bool {
    let inspection = DatabaseFile.inspect(at: path)
    switch inspection.kind {
    case .missing:
      throw ToolError(.noInput, "\(path): no such file. coffer create makes a new one")
    case .unreadable where Self.areFilesExhausted:
      throw ToolError(
        .inputOutput, "\(path): Too many open files. Allow more of them: ulimit -n")
    case .unreadable(let reason):
      throw ToolError(.noInput, "\(path): \(reason). Check the path and the rights")
    case .directory: throw ToolError(.noInput, "\(path) is a directory. Name a file")
    case .empty:
      throw ToolError(
        .dataError, "\(path) is empty. Delete it, and make a database with coffer create")
    case .special, .tooShort, .notADatabase:
      throw ToolError(
        .dataError, "\(path) is no database, but \(inspection.description). Name another file")
    case .plaintext: return false
    case .plaintextHeader, .encryptedOrUnknown: return true
    }
  }

  /// Whether the process has no descriptor left, which SQLite doesn't tell.
  private static var areFilesExhausted: Bool {
    let descriptor = Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    return descriptor < 0 && errno == EMFILE
  }

  /// What opens a slot, for a key that was read or asked for.
  func unlocker(_ key: DatabaseKey) -> KeyUnlocker {
    .key(key, as: source?.kind ?? .passphrase)
  }

  /// Reads or asks for the key of a new file.
  func newKey() throws -> DatabaseKey {
    if let source { return try source.read() }
    guard Prompt.isPossible else {
      throw ToolError(.noPermission, "\(path): the new file needs a key. \(ToolError.keyAdvice)")
    }
    return try Prompt.newPassphrase(of: path)
  }
}

extension Invocation {
  /// Opens the file of the first argument, and calls `body`; Ctrl-C interrupts its statements.
  func withDatabase<Result>(
    readonly: Bool = true, _ body: (DatabaseQueue) throws -> Result
  ) throws -> Result {
    let path = arguments[0]
    let queue = try Opening(self, path: path).open(readonly: readonly)
    return try Interrupts.handled(by: { queue.interrupt() }) {
      try ToolError.naming(path) {
        let result = try body(queue)
        // Closing fails if the anchor can't be written.
        try queue.close()
        return result
      }
    }
  }
}
