import Coffer

extension Tool {
  /// `coffer check`
  static func check(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let path = invocation.arguments[0]
    var findings: [String] = []
    do {
      let opening = try Opening(invocation, path: path)
      let queue = try opening.openDamaged()
      try Interrupts.handled(by: { queue.interrupt() }) {
        // The read itself fails at its end if it has met a damaged page.
        try queue.read { findings = try FileCheck.findings($0) }
        // A damaged file isn't read once more.
        if findings.allSatisfy({ $0.hasPrefix("structure: malformed inverted index for FTS") }) {
          // Tables in memory are written, which a read isn't allowed to do.
          findings += try queue.writeWithoutTransaction { try FullTextCheck.findings($0) }
        }
        if findings.isEmpty, console.isTerminal {
          try queue.read { try describe($0, console) }
        }
        try? queue.close()
      }
    } catch let error as DatabaseError {
      guard let found = FileCheck.findings(error) else { throw ToolError(error, path: path) }
      if findings.isEmpty { findings = found }
    }
    guard !findings.isEmpty else {
      // A script has the exit code.
      if console.isTerminal { console.line("ok") }
      for fault in Database.engine.faults {
        console.error("coffer: known fault of \(engineName): \(fault) \(fault.link)")
      }
      return 0
    }
    for finding in findings { console.line(finding.printable) }
    return ToolError.Code.found.rawValue
  }

  /// `coffer accept`
  static func accept(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let path = invocation.arguments[0]
    let opening = try Opening(invocation, path: path)
    guard let anchor = opening.anchor else {
      throw ToolError(.usage, "accept needs the anchor of the database: --anchor PATH")
    }
    guard try opening.requireDatabase() else {
      throw ToolError(.dataError, "\(path) is not encrypted. Encrypt it with coffer encrypt")
    }
    try requireConsent(invocation, "\(path) will count as the newest version of the database.")
    try opening.withKey { key in
      guard let key else { return }
      try Freshness(anchor: anchor).accept(
        databaseAt: path, key: key, cipher: opening.cipher ?? .default)
    }
    return 0
  }

  private static func describe(_ db: Database, _ console: Console) throws {
    let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
    let free = try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
    console.facts([
      ("Pages", Numbers.grouped(pages)),
      ("Free pages", Numbers.grouped(free) + (free > pages / 4 ? ": VACUUM shrinks the file" : "")),
    ])
  }
}

extension Opening {
  /// Opens the file like ``open(readonly:configure:)``, but lets the diagnosis of a damaged file
  /// through.
  fileprivate func openDamaged() throws -> DatabaseQueue {
    var damage: DatabaseError?
    let queue = try withKey { key -> DatabaseQueue? in
      do {
        var configuration = configuration(key, readonly: true)
        configuration.cacheSize = StructureCheck.cacheSize
        return try Opening.connect(path, configuration)
      } catch let error as DatabaseError where FileCheck.findings(error) != nil {
        damage = error
        return nil
      }
    }
    guard let queue else { throw damage ?? DatabaseError() }
    return queue
  }
}

/// What is wrong in a file.
enum FileCheck {
  /// The most findings of one kind.
  private static let limit = 100

  /// What the failure to open or to read a file says about it; nil if that is no damage.
  static func findings(_ error: DatabaseError) -> [String]? {
    switch error.cipherDiagnosis {
    case .damaged(let pages): return pages.map { "page \($0): wrong authentication code" }
    case .truncated: return ["the end of the file is missing"]
    case nil where error.resultCode == .SQLITE_CORRUPT || error.resultCode == .SQLITE_NOTADB:
      return [error.message ?? "the file is damaged"]
    default: return nil
    }
  }

  /// - Parameter step: Called with what is looked at, before that.
  static func findings(_ db: Database, step: (String) -> Void = { _ in }) throws -> [String] {
    step("Authentication of the pages")
    var findings = try pages(db)
    do {
      step("Structure of tables and indexes")
      let structure = try String.fetchAll(db, sql: "PRAGMA integrity_check(\(limit))")
      try StructureCheck.requireReadable(structure, path: db.path)
      findings += structure.filter { $0 != "ok" && !isUncheckable($0) }.map { "structure: \($0)" }
      step("Foreign keys")
      let violations = try db.foreignKeyViolations()
      while findings.count < 10 * limit, let violation = try violations.next() {
        findings.append("foreign key: " + (try violation.failureDescription(db)))
      }
    } catch let error as DatabaseError {
      if !findings.isEmpty, !error.isInterruptionError {
        // A damaged page hides what is behind it, and SQLCipher's message says nothing.
        return findings
      }
      guard let found = self.findings(error) else { throw error }
      findings += found.map { "structure: \($0)" }
    }
    return findings
  }

  /// Whether SQLite couldn't check a full-text table, as those of FTS4 without content; and with
  /// SQLite 3.44, all of FTS4 in a file that is only read.
  static func isUncheckable(_ finding: String) -> Bool {
    finding.hasPrefix("unable to validate the inverted index for FTS")
      && ["SQL logic error", "attempt to write a readonly database"].contains {
        finding.hasSuffix($0)
      }
  }

  /// The pages that aren't authentic, where the file has authentication codes.
  private static func pages(_ db: Database) throws -> [String] {
    guard db.configuration.key != nil, db.configuration.cipher.usesHMAC else { return [] }
    return try db.checkCipherIntegrity().map { "page \($0): wrong authentication code" }
  }
}
