/// Copies a database into a new file with other encryption settings, or without encryption.
///
/// SQLCipher's export copies the content. This class restores the parts that the export loses:
/// `user_version`, `application_id`, `auto_vacuum`, WAL mode, and the rowids of tables that don't
/// declare them.
final class FileConversion {
  private let source: String
  private let sourceKey: FileKey?
  private let target: String
  private let targetKey: FileKey?
  /// Whether the new file replaces the old one.
  private let isReplacing: Bool
  /// Whether other connections are locked out of the source meanwhile.
  private let isExclusive: Bool
  /// The application's functions and collations.
  private let additions: SQLAdditions
  private let progress: ((DatabaseFile.Progress) throws -> Void)?
  /// The error that `progress` has thrown while SQLite was running.
  private var cancellation: (any Error)?

  /// - Parameters:
  ///   - sourceKey: Nil for a plaintext file; the same for `targetKey`.
  ///   - isExclusive: False to read the source while others use it, which rules out replacing it.
  init(
    source: String, sourceKey: FileKey?, target: String, targetKey: FileKey?,
    isExclusive: Bool = true, additions: SQLAdditions,
    progress: ((DatabaseFile.Progress) throws -> Void)?
  ) {
    self.source = PendingFile.resolved(source)
    self.sourceKey = sourceKey
    isReplacing = PendingFile.areSame(source, target)
    self.target = isReplacing ? self.source : target
    self.targetKey = targetKey
    self.isExclusive = isExclusive
    self.additions = additions
    self.progress = progress
  }

  func run() throws {
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
      if isReplacing {
        try file.takePermissions(from: source)
        try leaveWAL(old, facts)
      }
      // The source stays locked until `old` closes, after the new file has its name.
      try file.moveToTarget(replaces: isReplacing)
    } catch {
      file.discard()
      throw cancellation ?? error
    }
    try progress?(DatabaseFile.Progress(phase: .finished, fraction: 1))
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
    guard PendingFile.size(of: target) == nil else {
      throw DatabaseError(
        resultCode: .SQLITE_CANTOPEN, message: "there is a file at \(target) already",
        hint: "Delete it first, or choose another path.")
    }
    for suffix in ["-wal", "-journal"] where PendingFile.size(of: target + suffix) != nil {
      throw DatabaseError(
        resultCode: .SQLITE_CANTOPEN, message: "there is a file at \(target)\(suffix)",
        hint: "It belongs to a deleted database, and would corrupt the new one: delete it.")
    }
  }

  /// Opens the source, and locks it while the connection is open.
  private func openSource() throws -> FileConnection {
    let isWritable = PendingFile.isWritable(source)
    let connection = try FileConnection(
      path: source, key: sourceKey, readonly: !isWritable, busyTimeout: 1000,
      additions: additions)
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
    try report(.copying, 0)
    try unsafe Database.attach(
      file.path, as: "coffer_target", spec: targetKey?.spec, to: old.connection)
    var isAttached = true
    defer { if isAttached { try? old.run("DETACH DATABASE coffer_target") } }
    if let targetKey {
      try unsafe Database.silenceLog(of: old.connection)
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
    try reporting(on: old, .copying) {
      Double(file.size) / Double(sourceSize)
    } body: {
      _ = try old.scalar("SELECT sqlcipher_export('coffer_target')")
      for table in try TableShape.all(in: old) {
        guard let copy = table.copyWithRowids(to: "coffer_target") else { continue }
        if try !table.hasSameRowids(in: old, as: "coffer_target") {
          try old.run(copy)
        }
      }
    }
  }

  // MARK: Verifying

  /// Opens the new file as its users will, and compares it with the old one.
  private func verify(
    _ file: PendingFile, against old: FileConnection, _ facts: SourceFacts
  ) throws {
    let new = try FileConnection(path: file.path, key: targetKey, additions: additions)
    defer { new.close() }
    try new.readSchema()
    if let targetKey, DatabaseFile.isExposed(at: file.path, despite: targetKey.settings) {
      throw mismatch("it is not encrypted")
    }
    try compareContents(new, old)
    let integrity = try integrity(of: new)
    if integrity != [["ok"]], integrity != (try self.integrity(of: old)) {
      throw mismatch("its integrity check reports: \(integrity.first?.first ?? "nothing")")
    }
    if facts.usesWAL { _ = try new.scalar("PRAGMA journal_mode = WAL") }
    let newFacts = try SourceFacts(new)
    guard newFacts.isSameContent(as: facts) else {
      throw mismatch("its user_version, application_id, auto_vacuum or journal mode differs")
    }
    new.close()
    if let targetKey, let derived = targetKey.derived {
      let pages = try CipherFile(path: file.path, key: derived, settings: targetKey.settings)?
        .verifyAll { [self] done, count in
          try report(.verifying, 0.5 + 0.5 * Double(done) / Double(max(1, count)))
        }
      if let pages, !pages.isEmpty { throw mismatch("pages \(pages) are not authentic") }
    }
  }

  private func integrity(of connection: FileConnection) throws -> [[String]] {
    do {
      return try connection.rows("PRAGMA integrity_check")
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
      // The application's module or tokenizer is missing here. The virtual table's storage is
      // compared.
      return [[error.message ?? "it can't be checked"]]
    }
  }

  private func compareContents(_ new: FileConnection, _ old: FileConnection) throws {
    let schema = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY 1, 2, 3"
    guard try new.rows(schema) == old.rows(schema) else { throw mismatch("its schema differs") }
    let tables = try TableShape.all(in: old)
    for (index, table) in tables.enumerated() {
      let part = 0.5 * Double(index) / Double(tables.count)
      try report(.verifying, part)
      try reporting(on: new, .verifying) {
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

  // MARK: Progress

  private func report(_ phase: DatabaseFile.Progress.Phase, _ fraction: Double) throws {
    try progress?(DatabaseFile.Progress(phase: phase, fraction: min(1, max(0, fraction))))
  }

  /// Reports progress while statements run inside `body`, and interrupts them if reporting throws.
  private func reporting(
    on connection: FileConnection, _ phase: DatabaseFile.Progress.Phase,
    fraction: @escaping () -> Double, body: () throws -> Void
  ) throws {
    guard progress != nil else { return try body() }
    let handler = unsafe SQLiteProgressHandler(try connection.connection, every: 50_000) { [self] in
      do {
        try report(phase, fraction())
        return true
      } catch {
        cancellation = error
        return false
      }
    }
    try withExtendedLifetime(handler) { try body() }
    if let cancellation { throw cancellation }
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

  func isSameContent(as other: SourceFacts) -> Bool {
    userVersion == other.userVersion && applicationID == other.applicationID
      && autoVacuum == other.autoVacuum && usesWAL == other.usesWAL
  }
}
