import Coffer
import CofferTestSupport
import Foundation

/// What runs have done.
struct Counts {
  var commits = 0
  var failedCalls = 0
  var values = 0

  static func += (sum: inout Counts, more: Counts) {
    sum.commits += more.commits
    sum.failedCalls += more.failedCalls
    sum.values += more.values
  }
}

/// The run of a program on a new file.
final class Simulation {
  let program: Program
  let directory: TemporaryDirectory
  let isVerbose: Bool
  var setting: Setting
  var writer: (any DatabaseWriter)?
  var notes: DocumentCollection<Note>?
  /// The connection of another actor.
  var other: DatabaseQueue?
  /// Whether the other connection waits for locks.
  let otherWaits = Locked(true)
  /// Each committed state, by its version.
  var history: [State] = [State()]
  /// The state after a commit that failed: it may be there when the file is opened again.
  var doubtful: State?
  var keyNumber: UInt8 = 0
  var archived = ArchiveState()
  var snapshots: [(reader: any DatabaseSnapshotReader, state: State)] = []
  var parked: (access: Parked, state: State)?
  var observations: [Observed] = []
  /// The first place in the history that an observation of a kind has to reach.
  private var required: [Observed.Kind: Int] = [:]
  /// The fault of the current step.
  var fault: Faults?
  /// The number of the current step, from 1 on.
  var number = 0
  var trace = StableHash()
  var counts = Counts()
  private var hasLog = true

  init(_ program: Program, isVerbose: Bool = false) throws {
    self.program = program
    self.isVerbose = isVerbose
    setting = program.setting
    directory = try TemporaryDirectory()
  }

  var path: String { directory.path("vault.db") }
  var current: State { history[history.count - 1] }

  /// Whether the file has a write-ahead log, so that reads and writes don't disturb each other.
  var isLogged: Bool { hasLog }

  var opened: any DatabaseWriter {
    get throws {
      guard let writer else { throw Violation("nothing is open") }
      return writer
    }
  }

  /// Runs the program.
  /// - Returns: A number that is the same for each run of the same program.
  func run() throws -> UInt64 {
    defer { abandon() }
    try open(creating: true)
    trace.combine("\(program.setting)")
    for (index, step) in program.steps.enumerated() {
      number = index + 1
      Progress.note(seed: program.seed, step: number)
      if isVerbose { say("\(number). \(step)") }
      let outcome = try take(step)
      if isVerbose { say("   \(outcome), version \(current.version)") }
      try settle()
      trace.combine("\(step) \(outcome) \(current.digest)")
    }
    try finish()
    return trace.value
  }

  // MARK: Opening

  static func key(_ program: Program, _ number: UInt8) throws -> DatabaseKey {
    var random = SeededGenerator(state: program.seed &+ UInt64(number) &* 7919)
    return try .raw(random.bytes(32))
  }

  func configuration() throws -> Configuration {
    var configuration = Configuration()
    configuration.key = try Simulation.key(program, keyNumber)
    configuration.cipher.pageSize = program.setting.pageSize
    configuration.statementCacheCapacity = setting.statementCount
    configuration.maximumReaderCount = setting.readerCount
    configuration.persistentReadOnlyConnections = setting.keepsReaders
    configuration.observesExternalChanges = setting.seesOthers
    configuration.checkpointPolicy = CheckpointPolicy(
      automaticPageCount: setting.checkpointPages, maximumPageCount: 16 * setting.checkpointPages)
    switch setting.journal {
    case .standard: break
    case .log: configuration.journalMode = .wal
    case .rollback: configuration.journalMode = .delete
    }
    switch setting.waiting {
    case .never: configuration.busyMode = .immediateError
    case .briefly: configuration.busyMode = .timeout(0.02)
    case .asking: configuration.busyMode = .callback { $0 < 3 }
    }
    if setting.spills {
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = 5") }
      configuration.changedPagesSize = 0
    }
    return configuration
  }

  func open(creating isNew: Bool = false) throws {
    let configuration = try configuration()
    let writer: any DatabaseWriter =
      setting.isPool
      ? try DatabasePool(path: path, configuration: configuration)
      : try DatabaseQueue(path: path, configuration: configuration)
    self.writer = writer
    if isNew { try writer.write { try State.create($0) } }
    notes = try DocumentStore(writer).collection(Note.self)
    hasLog = try writer.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") == "wal" }
  }

  /// Ends what depends on the connection, and forgets it.
  func close() throws {
    try unpark()
    for observation in observations { observation.cancel() }
    observations = []
    try stopArchive()
    let old = writer
    writer = nil
    notes = nil
    try old?.close()
  }

  func unpark() throws {
    guard let (access, state) = parked else { return }
    parked = nil
    access.release()
    let seen = try access.end()
    try require(seen == state, "an open read: \(seen.difference(from: state))")
  }

  func closeSnapshots() throws {
    for (reader, _) in snapshots { try reader.close() }
    snapshots = []
  }

  func closeOther() throws {
    let old = other
    other = nil
    try old?.close()
  }

  /// The other connection, which is opened if it isn't.
  func openedOther() throws -> DatabaseQueue {
    if let other { return other }
    var configuration = Configuration()
    configuration.key = try Simulation.key(program, keyNumber)
    configuration.cipher.pageSize = program.setting.pageSize
    let waits = otherWaits
    configuration.busyMode = .callback { attempt in
      guard waits.value, attempt < 5_000 else { return false }
      usleep(1_000)
      return true
    }
    configuration.journalMode = hasLog ? .wal : .delete
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    other = queue
    return queue
  }

  // MARK: The model

  /// Adds a state to the history.
  /// - Parameter isExternal: Whether another connection has committed it.
  func commit(_ state: State, isExternal: Bool = false) {
    let old = current
    history.append(state)
    doubtful = nil
    if isExternal && !setting.seesOthers { return }
    for kind in Observed.Kind.allCases where isExternal || kind.concerns(old, state) {
      required[kind] = history.count - 1
    }
  }

  /// The first place in the history that an observation has to reach.
  private func requiredPlace(_ observation: Observed) -> Int {
    max(required[observation.kind] ?? 0, observation.place)
  }

  /// Compares what a connection sees with the last state, or with one whose commit had failed.
  func accept(_ seen: State) throws {
    if seen == current { return }
    if let doubtful, seen == doubtful {
      history.append(doubtful)
      self.doubtful = nil
      return
    }
    throw Violation(seen.difference(from: current))
  }

  /// Reads everything, when no call fails, and compares it.
  func look() throws {
    do { try accept(try opened.read { try State.read($0) }) } catch let error as DatabaseError {
      throw Violation("reading: \(error)")
    }
  }

  /// Waits until observations have delivered what they must, and checks it.
  private func settle() throws {
    if doubtful != nil { try look() }
    for observation in observations {
      var attempts = 0
      while observation.error == nil,
        !observation.isUpToDate(history, required: requiredPlace(observation))
      {
        attempts += 1
        if attempts > 20_000 {
          _ = try observation.check(history)
          throw Violation("\(observation.name) doesn't deliver place \(requiredPlace(observation))")
        }
        usleep(attempts < 100 ? 50 : 500)
      }
      counts.values += try observation.check(history)
      if let error = observation.error { throw Violation("\(observation.name): \(error)") }
    }
  }

  /// Forgets the observations that a fault has ended.
  func dropFailedObservations() {
    // An error comes on another thread, a little later.
    for observation in observations {
      var attempts = 0
      while observation.error == nil, attempts < 4_000,
        !observation.isUpToDate(history, required: requiredPlace(observation))
      {
        attempts += 1
        usleep(500)
      }
    }
    observations.removeAll { $0.error != nil }
  }

  // MARK: The end

  private func finish() throws {
    number = program.steps.count + 1
    Progress.note(seed: program.seed, step: number)
    try checkSnapshots()
    try closeSnapshots()
    try look()
    try checkCopy()
    try close()
    if let other { try accept(try other.read { try State.read($0) }) }
    try closeOther()
    try open()
    try look()
    let damaged = try opened.checkCipherIntegrity()
    try require(damaged.isEmpty, "damaged pages \(damaged)")
    try close()
    let queue = try DatabaseQueue(path: path, configuration: configuration())
    try accept(try queue.read { try State.read($0) })
    let integrity = try queue.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
    try require(integrity == ["ok"], "integrity_check: \(integrity)")
    let broken = try queue.read { try Row.fetchAll($0, sql: "PRAGMA foreign_key_check") }
    try require(broken.isEmpty, "foreign_key_check: \(broken)")
    try queue.close()
    trace.combine("\(current.digest)")
    counts.commits = current.version
  }

  /// Opens a copy of the files as they are now, as after the end of the process.
  func checkCopy() throws {
    let target = directory.path("killed.db")
    defer {
      for suffix in ["", "-wal", "-shm", "-journal"] {
        try? FileManager.default.removeItem(atPath: target + suffix)
      }
    }
    // Whoever closes a file loses all locks that the process has on it: another process copies.
    let reply = try OtherProcess.shared.ask("copy", self)
    try require(reply == "copied", "copying: \(reply)")
    var configuration = Configuration()
    configuration.key = try Simulation.key(program, keyNumber)
    configuration.cipher.pageSize = program.setting.pageSize
    if !hasLog { configuration.journalMode = .delete }
    let queue = try DatabaseQueue(path: target, configuration: configuration)
    let seen = try queue.read { try State.read($0) }
    try queue.close()
    if let doubtful, seen == doubtful { return }
    try require(seen == current, "a copy: \(seen.difference(from: current))")
  }

  func checkSnapshots() throws {
    for (reader, state) in snapshots {
      let seen = try reader.read { try State.read($0) }
      try require(seen == state, "a snapshot: \(seen.difference(from: state))")
    }
  }

  /// Ends everything after a failure, too.
  private func abandon() {
    parked?.access.release()
    for observation in observations { observation.cancel() }
    for (reader, _) in snapshots { try? reader.close() }
    try? stopArchive()
    try? writer?.close()
    try? other?.close()
  }
}
