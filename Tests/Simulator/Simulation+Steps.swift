import Coffer
import Foundation

extension Simulation {
  /// Takes a step.
  /// - Returns: What has come of it, the same in each run of the seed.
  func take(_ step: Step) throws -> String {
    switch step {
    case .write(let form, let actions, let ending): return try write(form, actions, ending)
    case .read(let form, let look): return try read(form, look)
    case .cancelled(let actions, let moment): return try writeCancelled(actions, moment)
    case .park, .unpark, .snapshot, .lookAtSnapshot, .closeSnapshot, .observe, .endObservation:
      return try takeReadingStep(step)
    case .otherWrite(let actions, let ending): return try writeByOther(actions, ending)
    case .otherRead:
      try accept(try openedOther().read { try State.read($0) })
    case .otherClose: try closeOther()
    case .contention(let actions): return try contend(actions)
    case .process(let actions, let ending): return try writeByProcess(actions, ending)
    case .killedProcess(let actions): return try killProcess(actions)
    case .faulty(let kind, let number, let lasts, let step):
      return try fail(Faults(kind: kind), number, lasts: lasts, step)
    case .storm(let threads, let rounds, let cancels):
      // Barriers would wait for the open read.
      try unpark()
      try Storm(self, threads: threads, rounds: rounds, cancels: cancels).run()
    case .archive(let step): return try take(step)
    default: return try takeConnectionStep(step)
    }
    return "done"
  }

  private func takeReadingStep(_ step: Step) throws -> String {
    switch step {
    case .park:
      guard parked == nil, let pool = writer as? DatabasePool else { return "skipped" }
      parked = (Parked { body in try pool.read { try body($0) } }, current)
    case .unpark: try unpark()
    case .snapshot(let hasSeveralConnections):
      guard snapshots.count < 2, let pool = writer as? DatabasePool else { return "skipped" }
      let state = current
      if hasSeveralConnections {
        snapshots.append((try pool.makeSnapshotPool(), state))
      } else {
        snapshots.append((try pool.makeSnapshot(), state))
      }
    case .lookAtSnapshot: try checkSnapshots()
    case .closeSnapshot(let index):
      guard index < snapshots.count else { return "skipped" }
      try checkSnapshots()
      try snapshots.remove(at: index).reader.close()
    case .observe(let index):
      guard observations.count < 3, let notes, let kind = Observed.Kind(rawValue: index) else {
        return "skipped"
      }
      observations.append(Observed(kind, try opened, notes, place: history.count - 1))
    case .endObservation(let index):
      guard index < observations.count else { return "skipped" }
      observations.remove(at: index).cancel()
    default: break
    }
    return "done"
  }

  private func takeConnectionStep(_ step: Step) throws -> String {
    switch step {
    case .checkpoint(let mode):
      guard isLogged, let mode = Database.CheckpointMode(rawValue: CInt(mode)) else {
        return "skipped"
      }
      do {
        try opened.writeWithoutTransaction { _ = try $0.checkpoint(mode) }
      } catch let error as DatabaseError
        where error.resultCode == .SQLITE_BUSY && (setting.isPool || setting.seesOthers)
      {
        // A read on another thread can end after its result has come, and commits of others are
        // read at any time.
      }
    case .vacuum: try opened.vacuum()
    case .releaseMemory:
      (writer as? DatabasePool)?.releaseMemory()
      (writer as? DatabaseQueue)?.releaseMemory()
      (writer as? DatabasePool)?.invalidateReadOnlyConnections()
    case .changeKey: return try changeKey()
    case .reopen(let setting): try reopen(setting)
    case .closeWhileReading: return try closeWhileReading()
    case .useClosed: try useClosed()
    case .backup: try backUp()
    case .copy: try checkCopy()
    default: break
    }
    return "done"
  }

  // MARK: Reading

  private func read(_ form: ReadForm, _ look: Look) throws -> String {
    let state = current
    let writer = try opened
    let notes = notes
    // A collection reads by the connection of the access.
    let body: @Sendable (Database) throws -> Void = { db in
      try look.check(db, state, notes)
      try Look.rows.check(db, state, nil)
    }
    switch form {
    case .read: try writer.read(body)
    case .unsafeRead:
      try writer.unsafeRead(body)
    case .reentrant: try writer.read { _ in try writer.unsafeReentrantRead(body) }
    case .tasks: try waitForTask { try await writer.read(body) }
    case .callback:
      try waitForCallback { done in
        writer.asyncRead { result in done(Result { try body(result.get()) }) }
      }
    case .concurrent:
      try waitForCallback { done in
        writer.spawnConcurrentRead { result in done(Result { try body(result.get()) }) }
      }
    case .writer: try writer.write { try body($0) }
    }
    return "read"
  }

  // MARK: Whole files

  private func reopen(_ new: Setting) throws {
    // A failing call may leave the connection closed, but not open.
    if new.journal != .log || !isLogged || new.isPool != setting.isPool {
      try closeSnapshots()
      try closeOther()
    }
    // A failing call would end a snapshot.
    if fault == nil { try checkSnapshots() }
    try close()
    setting = new
    try open()
  }

  private func closeWhileReading() throws -> String {
    guard parked == nil, let pool = writer as? DatabasePool else { return "skipped" }
    let state = current
    let access = Parked { body in try pool.read { try body($0) } }
    for observation in observations { observation.cancel() }
    observations = []
    try stopArchive()
    let closing = Worker { try pool.close() }
    access.release()
    let seen = try access.end()
    try closing.wait()
    try require(seen == state, "a read while closing: \(seen.difference(from: state))")
    try requireClosed(pool)
    writer = nil
    try open()
    return "closed"
  }

  private func useClosed() throws {
    let old = try opened
    try close()
    try requireClosed(old)
    try open()
  }

  private func requireClosed(_ writer: any DatabaseWriter) throws {
    for isRead in [true, false] {
      do {
        if isRead { _ = try writer.read { try State.read($0) } } else { try writer.write { _ in } }
      } catch is DatabaseError { continue }
      throw Violation("a closed database can be used")
    }
  }

  private func backUp() throws {
    let target = directory.path("copy.db")
    let state = current
    var configuration = Configuration()
    configuration.key = try Simulation.key(program, keyNumber)
    configuration.cipher.pageSize = program.setting.pageSize
    defer {
      for suffix in ["", "-wal", "-shm", "-journal"] {
        try? FileManager.default.removeItem(atPath: target + suffix)
      }
    }
    let copy = try DatabaseQueue(path: target, configuration: configuration)
    defer { try? copy.close() }
    try opened.backup(to: copy)
    let seen = try copy.read { try State.read($0) }
    try require(seen == state, "a backup: \(seen.difference(from: state))")
  }

  private func changeKey() throws -> String {
    try unpark()
    try stopArchive()
    let isAlone = snapshots.isEmpty
    let old = keyNumber
    do {
      try opened.changeKey(to: Simulation.key(program, old + 1))
    } catch let error as DatabaseError
      where !isAlone && (fault == nil || error.resultCode == .SQLITE_BUSY)
    {
      return "refused"
    }
    keyNumber = old + 1
    // A snapshot that needs nothing of the log doesn't prevent the change, and stays as it was.
    if fault == nil { try checkSnapshots() }
    // An idle connection doesn't prevent the change, and has to be reopened.
    if let other {
      if let seen = try? other.read({ try State.read($0) }) {
        throw Violation("another connection reads version \(seen.version) with the old key")
      }
      try closeOther()
    }
    return "changed"
  }
}
