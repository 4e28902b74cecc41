import CofferSQLite

/// Copies a database into a new file with other encryption settings, or without encryption.
///
/// SQLCipher's export copies the content. This class restores the parts that the export loses:
/// `user_version`, `application_id`, `auto_vacuum`, WAL mode, and the rowids of tables that don't
/// declare them.
package final class FileConversion {
  private let source: String
  private let sourceKey: FileKey?
  private let target: String
  private let targetKey: FileKey?
  /// Whether the new file replaces the old one.
  private let isReplacing: Bool
  /// Whether other connections are locked out of the source meanwhile.
  private let isExclusive: Bool
  /// Adds the application's functions and collations.
  private let prepare: ConnectionPreparation
  private let reports: FileProgressReports
  /// The permissions that a plaintext file can have, if the source has them as well.
  private let plaintextMode: UInt32

  /// - Parameters:
  ///   - sourceKey: Nil for a plaintext file; the same for `targetKey`.
  ///   - isExclusive: False to read the source while others use it, which rules out replacing it.
  package init(
    source: String, sourceKey: FileKey?, target: String, targetKey: FileKey?,
    isExclusive: Bool = true, plaintextMode: UInt32 = 0o600, prepare: ConnectionPreparation,
    progress: ((DatabaseFile.Progress) throws -> Void)?
  ) {
    self.source = PendingFile.resolved(source)
    self.sourceKey = sourceKey
    isReplacing = PendingFile.areSame(source, target)
    self.target = isReplacing ? self.source : target
    self.targetKey = targetKey
    self.isExclusive = isExclusive
    self.prepare = prepare
    self.plaintextMode = plaintextMode
    reports = FileProgressReports(progress)
  }

  /// - Parameter finish: Called once the new file has its name, even if an error follows.
  package func run(then finish: () -> Void = {}) throws {
    try checkTarget()
    let old = try openSource()
    defer { old.close() }
    let writers = isExclusive ? nil : try keepWritersOut()
    defer { writers?.close() }
    let file = try PendingFile(for: target)
    do {
      let facts = try SourceFacts(old)
      try copy(from: old, facts, to: file)
      try verify(file, against: old, facts)
      try setPermissions(of: file)
      if isReplacing { try leaveWAL(old, facts) }
      // The source stays locked until `old` closes, after the new file has its name.
      try file.moveToTarget(replaces: isReplacing, then: finish)
    } catch {
      file.discard()
      throw reports.cancellation ?? error
    }
    // It is too late to cancel.
    try? reports.report(.finished, 1)
  }

  /// A file that replaces another one takes its permissions, but plaintext isn't shown to those who
  /// could read the encrypted file, unless the application says so.
  private func setPermissions(of file: PendingFile) throws {
    if isReplacing {
      try file.takePermissions(
        from: source, allowed: targetKey == nil ? plaintextMode : 0o777)
    } else if targetKey == nil {
      try file.addPermissions(from: source, allowed: plaintextMode)
    }
  }

  // MARK: The source

  private func checkTarget() throws {
    guard !isReplacing else {
      guard isExclusive, PendingFile.isWritable(source) else {
        throw DatabaseError(
          resultCode: .SQLITE_READONLY, message: "the file can't be replaced: \(source)",
          hint: "Check its permissions, or write to another file.")
      }
      return
    }
    try PendingFile.requireNone(at: target)
  }

  /// Opens the source, and locks it while the connection is open.
  private func openSource() throws -> FileConnection {
    let isWritable = PendingFile.isWritable(source)
    let connection = try FileConnection(
      path: source, key: sourceKey, readonly: !isWritable, busyTimeout: 1000,
      prepare: prepare)
    do {
      if isExclusive && isWritable {
        // The connection keeps its locks between transactions, and in WAL mode must be the only
        // one.
        try connection.run("PRAGMA locking_mode = EXCLUSIVE")
        try connection.readSchema()
        try connection.run("BEGIN EXCLUSIVE; COMMIT")
      } else {
        try connection.readSchema()
      }
    } catch let error as DatabaseError {
      connection.close()
      throw explained(error)
    }
    return connection
  }

  /// Locks out writers, but not readers, so that the rows verified later are those that were
  /// copied.
  private func keepWritersOut() throws -> FileConnection? {
    guard PendingFile.isWritable(source) else { return nil }
    let connection = try FileConnection(path: source, key: sourceKey)
    do {
      try connection.run("BEGIN IMMEDIATE")
    } catch let error as DatabaseError {
      throw explained(error)
    }
    return connection
  }

  private func explained(_ error: DatabaseError) -> DatabaseError {
    switch error.resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      return DatabaseError(
        resultCode: error.extendedResultCode, message: error.message ?? "",
        hint: "Another connection uses \(source): close it first.")
    default:
      return error.canBeDiagnosed ? error.diagnosed(path: source, sourceKey) : error
    }
  }

  /// Removes the source's journals, which SQLite would otherwise apply to the new file of the same
  /// name.
  private func leaveWAL(_ old: FileConnection, _ facts: SourceFacts) throws {
    if facts.usesWAL {
      guard try old.scalar("PRAGMA journal_mode = DELETE") == "delete" else {
        throw DatabaseError(
          resultCode: .SQLITE_BUSY, message: "the source could not leave the WAL mode",
          hint: "Another connection uses \(source): close it first.")
      }
    }
    // No transaction is under way and none can begin, so a journal that remains is obsolete.
    for suffix in ["-journal", "-wal", "-shm"] { PendingFile.remove(source + suffix) }
  }

  // MARK: Copying

  private func copy(
    from old: FileConnection, _ facts: SourceFacts, to file: PendingFile
  ) throws {
    try reports.report(.copying, 0)
    try unsafe FileKey.attach(
      file.path, as: "coffer_target", spec: targetKey?.spec, to: old.connection)
    var isAttached = true
    defer { if isAttached { try? old.run("DETACH DATABASE coffer_target") } }
    if let targetKey {
      try unsafe CipherLog.setLevel(of: old.connection)
      do {
        for pragma in try targetKey.settings.pragmas(schema: "coffer_target") {
          try old.run(pragma)
        }
      } catch let error as CipherSettingsError {
        throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "\(error)")
      }
    } else {
      try old.run("PRAGMA coffer_target.page_size = \(facts.pageSize)")
    }
    // After a crash the file is rewritten from scratch, so nothing here needs rollback or syncing.
    try old.run(
      """
      PRAGMA coffer_target.journal_mode = OFF; PRAGMA coffer_target.synchronous = OFF;
      PRAGMA coffer_target.auto_vacuum = \(facts.autoVacuum); BEGIN
      """)
    do {
      try exportRows(from: old, to: file)
      try old.checkPages()
      try old.run(
        """
        PRAGMA coffer_target.user_version = \(facts.userVersion);
        PRAGMA coffer_target.application_id = \(facts.applicationID); COMMIT
        """)
    } catch {
      try? old.run("ROLLBACK")
      throw error
    }
    try old.run("DETACH DATABASE coffer_target")
    isAttached = false
  }

  private func exportRows(from old: FileConnection, to file: PendingFile) throws {
    let sourceSize = max(1, PendingFile.size(of: source) ?? 1)
    try reports.reporting(on: old, .copying) {
      Double(file.size) / Double(sourceSize)
    } body: {
      try export(from: old)
      for table in try TableShape.all(in: old) {
        guard let copy = table.copyWithRowids(to: "coffer_target") else { continue }
        if try !table.hasSameRowids(in: old, as: "coffer_target") {
          try old.run(copy)
        }
      }
    }
  }

  /// Copies all tables and indexes.
  ///
  /// - Throws: The error of the statement that failed: `sqlcipher_export` passes on its message
  ///   alone.
  private func export(from old: FileConnection) throws {
    let sql = "SELECT sqlcipher_export('coffer_target')"
    do {
      _ = try old.scalar(sql)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
      let causes: [ResultCode] = [
        .SQLITE_NOMEM, .SQLITE_IOERR, .SQLITE_FULL, .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_CANTOPEN,
        .SQLITE_PROTOCOL, .SQLITE_INTERRUPT, .SQLITE_CORRUPT, .SQLITE_NOTADB,
      ]
      guard let cause = causes.first(where: { $0.errorString == error.message }) else {
        throw error
      }
      throw try unsafe DatabaseError(code: cause.rawValue, connection: old.connection, sql: sql)
    }
  }

  // MARK: Verifying

  /// Opens the new file as its users will, and compares it with the old one.
  private func verify(
    _ file: PendingFile, against old: FileConnection, _ facts: SourceFacts
  ) throws {
    let new = try FileConnection(path: file.path, key: targetKey, prepare: prepare)
    defer { new.close() }
    try new.readSchema()
    if let targetKey, try DatabaseFile.isExposed(at: file.path, despite: targetKey.settings) {
      throw mismatch("it is not encrypted")
    }
    let findings = try findings(in: file) { try compareContents(new, old) }
    if let finding = findings.first, findings != (try Self.findings(in: old, at: source)) {
      throw mismatch("its integrity check reports: \(finding)")
    }
    if facts.usesWAL {
      // The journal of this change isn't a file: another user could have put one there.
      try new.run("PRAGMA journal_mode = MEMORY")
      _ = try new.scalar("PRAGMA journal_mode = WAL")
    }
    let newFacts = try SourceFacts(new)
    // A write that fails is no error of the pragma.
    guard newFacts.usesWAL || !facts.usesWAL else {
      throw DatabaseError(
        resultCode: .SQLITE_IOERR, message: "the new file could not be put into WAL mode",
        hint: "Check the disk and its space. The file was removed; \(source) is unchanged.")
    }
    if let name = newFacts.difference(from: facts) { throw mismatch("its \(name) differs") }
    new.close()
    if let targetKey, let derived = targetKey.derived {
      let pages: [Int]?
      do {
        pages = try CipherFile(path: file.path, key: derived, settings: targetKey.settings)?
          .verifyAll { [self] done, count in
            try reports.report(.verifying, 0.5 + 0.5 * Double(done) / Double(max(1, count)))
          }
      } catch let error as ReadOnlyFileError {
        throw error.databaseError(file.path)
      }
      if let pages, !pages.isEmpty { throw mismatch("pages \(pages) are not authentic") }
    }
  }

  /// Checks the new file's structure on another thread and connection, while `body` is executed.
  private func findings(in file: PendingFile, while body: () throws -> Void) throws -> [String] {
    // SAFETY: one thread uses it after the other, and any may interrupt it before it is closed.
    nonisolated(unsafe) let connection = try FileConnection(
      path: file.path, key: targetKey, prepare: prepare)
    defer { unsafe connection.close() }
    let handle = try unsafe connection.connection
    let check = BackgroundWork { [path = file.path] in
      try unsafe Self.findings(in: connection, at: path)
    }
    do {
      try body()
    } catch {
      while check.result == nil {
        SQLite.interrupt(handle)
        _ = check.wait(for: .milliseconds(1))
      }
      throw error
    }
    return try check.value()
  }

  private static func findings(in connection: FileConnection, at path: String) throws -> [String] {
    do {
      return try connection.findings("PRAGMA integrity_check", at: path)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
      // The application's module or tokenizer is missing here. The virtual table's storage is
      // compared.
      return [error.message ?? "it can't be checked"]
    }
  }

  private func compareContents(_ new: FileConnection, _ old: FileConnection) throws {
    let schema = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY 1, 2, 3"
    guard try new.rows(schema) == old.rows(schema) else { throw mismatch("its schema differs") }
    let tables = try TableShape.all(in: old)
    for (index, table) in tables.enumerated() {
      let part = 0.5 * Double(index) / Double(tables.count)
      try reports.report(.verifying, part)
      try reports.reporting(on: new, .verifying) {
        part
      } body: {
        let sql = table.selectAll(schema: "main")
        let isSame = try old.withStatement(sql) { oldRows in
          try new.withStatement(sql) { newRows in
            try RowComparison(sql: sql, oldRows, old, newRows, new).areEqual()
          }
        }
        if !isSame { throw mismatch("the rows of its table \(table.name) differ") }
      }
    }
  }

  private func mismatch(_ what: String) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_CORRUPT, message: "the new file is not a faithful copy: \(what)",
      hint: "It was removed; \(source) is unchanged.")
  }
}

/// The properties of a database that an export loses.
private struct SourceFacts {
  let userVersion: Int
  let applicationID: Int
  let autoVacuum: Int
  let pageSize: Int
  let usesWAL: Bool

  init(_ connection: FileConnection) throws {
    userVersion = try connection.integer("PRAGMA main.user_version")
    applicationID = try connection.integer("PRAGMA main.application_id")
    autoVacuum = try connection.integer("PRAGMA main.auto_vacuum")
    pageSize = try connection.integer("PRAGMA main.page_size")
    usesWAL = try connection.scalar("PRAGMA main.journal_mode")?.lowercased() == "wal"
  }

  /// The name of a property that differs, apart from the size of a page.
  func difference(from other: SourceFacts) -> String? {
    if userVersion != other.userVersion { return "user_version" }
    if applicationID != other.applicationID { return "application_id" }
    if autoVacuum != other.autoVacuum { return "auto_vacuum" }
    return usesWAL == other.usesWAL ? nil : "journal mode"
  }
}
