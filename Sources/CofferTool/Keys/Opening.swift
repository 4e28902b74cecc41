import Coffer

/// Opens the file of a command with its key.
struct Opening {
  let path: String
  let source: KeySource?
  let cipher: CipherSettings?

  /// - Parameter prefix: `new-` for a second file or key.
  init(_ invocation: Invocation, path: String, prefix: String = "") throws {
    self.path = path
    source = try KeySource(invocation, prefix: prefix)
    cipher = try invocation.value(prefix + "cipher").map(CipherOption.parse)
  }

  init(path: String, source: KeySource?, cipher: CipherSettings?) {
    self.path = path
    self.source = source
    self.cipher = cipher
  }

  /// Opens the file, after asking for its passphrase if no option gives the key.
  ///
  /// - Throws: ``ToolError``, with the code 77 for a wrong or missing key.
  func open(readonly: Bool, configure: (inout Configuration) -> Void = { _ in }) throws
    -> DatabaseQueue
  {
    try withKey { key in
      var configuration = Configuration()
      configuration.key = key
      configuration.cipher = cipher ?? .default
      configuration.readonly = readonly
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
    } catch let error as DatabaseError where error.resultCode == .SQLITE_READONLY {
      // A killed process has left a transaction, which only a connection that can write rolls back.
      var writable = configuration
      writable.readonly = false
      guard configuration.readonly, let queue = try? connect(writable) else { throw error }
      try? queue.close()
      return try connect(configuration)
    }
  }

  /// Calls `body` with the key: up to three times if the key is asked for and wrong.
  ///
  /// - Parameter body: Gets nil for a plaintext file without a key.
  func withKey<Result>(_ body: (DatabaseKey?) throws -> Result) throws -> Result {
    let isEncrypted = try requireDatabase()
    do {
      if let source { return try body(try source.read()) }
      if !isEncrypted { return try body(nil) }
      return try asking(body)
    } catch {
      throw ToolError(error, path: path)
    }
  }

  private func asking<Result>(_ body: (DatabaseKey?) throws -> Result) throws -> Result {
    guard Prompt.isPossible else {
      throw ToolError(.noPermission, "\(path): the file is encrypted. \(ToolError.keyAdvice)")
    }
    for _ in 1..<Prompt.attempts {
      do { return try body(Prompt.passphrase(of: path)) } catch let error as DatabaseError
        where error.cipherDiagnosis == .wrongKey || error.cipherDiagnosis == .wrongKeyOrDamaged
      {
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
      do {
        let result = try body(queue)
        try? queue.close()
        return result
      } catch {
        throw ToolError(error, path: path)
      }
    }
  }
}
