import Coffer

extension Simulation {
  /// Takes a step while calls of SQLite fail, and checks that nothing else has happened.
  func fail(_ fault: Faults, _ number: Int, lasts: Bool, _ step: Step) throws -> String {
    // Reads on other threads end first: how many calls this step has depends on idle readers.
    try unpark()
    try opened.barrierWriteWithoutTransaction { _ in }
    self.fault = fault
    let old = keyNumber
    var failures = 0
    var thrown: (any Error)?
    var outcome = ""
    let oldWriter = writer
    failures = fault.strike(from: number, lasts: lasts) {
      do { outcome = try take(step) } catch { thrown = error }
    }
    self.fault = nil
    if let violation = thrown as? Violation { throw violation }
    if let thrown {
      try fault.judge(thrown, tolerating: step.toleratedCodes)
      outcome = "failed \((thrown as? DatabaseError)?.resultCode.rawValue ?? 0)"
    }
    try reopenIfClosed(oldWriter, step, old, thrown)
    // Where SQLite can't delete the log to leave WAL mode, its connection keeps the file locked.
    if failures > 0, fault.name == "delete", case .reopen(let setting) = step, !setting.hasLog {
      try close()
      try open()
    }
    try requireIdle()
    try look()
    if failures > 0 { dropFailedObservations() }
    counts.failedCalls += failures
    if failures > 0, isVerbose { say("   \(fault.name): \(failures) calls have failed") }
    return outcome
  }

  /// Opens the file again where a fault has closed it, with the key that it has now.
  private func reopenIfClosed(
    _ oldWriter: (any DatabaseWriter)?, _ step: Step, _ old: UInt8, _ thrown: (any Error)?
  ) throws {
    guard case .changeKey = step, let error = thrown as? DatabaseError else {
      if writer == nil || notes == nil { try openAgain() }
      return
    }
    try findKey(oldWriter, old, isClosed: error.hint?.contains("The connection is closed.") == true)
    // It has to be opened again, as after a change without an error.
    if keyNumber != old { try closeOther() }
  }

  /// Finds out which key the file has after a change that threw an error.
  private func findKey(
    _ oldWriter: (any DatabaseWriter)?, _ old: UInt8, isClosed: Bool
  ) throws {
    if isClosed {
      for observation in observations { observation.cancel() }
      observations = []
      try? oldWriter?.close()
      writer = nil
    }
    for number in [old, old + 1] {
      keyNumber = number
      do {
        if isClosed {
          try open()
          return
        }
        // The file tells which key it has, whatever the connection says.
        var configuration = Configuration()
        configuration.key = try Simulation.key(program, number)
        configuration.cipher.pageSize = program.setting.pageSize
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try accept(try queue.read { try State.read($0) })
        try queue.close()
        return
      } catch is DatabaseError where number == old { continue }
    }
  }

  private func openAgain() throws {
    writer = nil
    do { try open() } catch let error as DatabaseError {
      throw Violation("opening after a fault: \(error)")
    }
  }

  /// Throws if a transaction is open.
  private func requireIdle() throws {
    let isOpen = try opened.unsafeRead { $0.isInsideTransaction }
    try require(!isOpen, "a transaction is open for a reader")
    let isWriting = try opened.writeWithoutTransaction { $0.isInsideTransaction }
    try require(!isWriting, "a transaction is open")
  }
}

extension Step {
  /// Codes of errors beside those of the faults.
  fileprivate var toleratedCodes: [ResultCode] {
    switch self {
    // SQLite's quick check tells a page that couldn't be read as damage.
    case .backup: [.SQLITE_CORRUPT]
    // SQLCipher can report success after doing nothing.
    case .changeKey: [.SQLITE_ERROR]
    // A savepoint may have ended the transaction.
    case .write: [.SQLITE_ABORT]
    // Where SQLite can't read whether its schema is the file's, it lacks new tables.
    case .read: [.SQLITE_ERROR]
    default: []
    }
  }
}
