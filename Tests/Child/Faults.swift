// Faults of memory and files, in any call of SQLite:
//
//   CofferTestChild faults FOLDER SCENARIO KIND HOW COUNT
//   CofferTestChild faults FOLDER SCENARIO KIND HOW =N
//   CofferTestChild fault-scenarios
//
// A run of the scenario, which FaultScenarios.swift describes, in which the Nth call of the kind
// fails, or all from the Nth on; and what has to hold afterwards. KIND is a name of CFaults,
// "files" for all but memory, or "all". HOW is once, always, or both. COUNT is the number of runs
// for each kind and way, spread over the calls of a run without faults; every N is tried if there
// are no more, until a run ends without a fault.
//
// It says "at KIND HOW N" before each run, "failed KIND HOW N: …" after one that was wrong, and
// "tried N, failed N calls" at the end. fault-scenarios says the names of the scenarios.

import CFaults
import Coffer
import CofferCore
import CofferTestSupport
import Foundation

/// What is done while calls fail.
struct FaultScenario {
  typealias Step = (FaultRun) throws -> Void

  var name: String
  /// The schema and the rows of the file beforehand; nil for no file.
  var sql: String? = FaultScenario.table
  var isPool = false
  /// Whether the file is opened beforehand; if not, the first step opens it.
  var opensBefore = true
  var configure: (inout Configuration) -> Void = { _ in }
  /// Whether the file has an anchor, which tells whether it was put back.
  var isFresh = false
  /// Codes of errors beside those of the faults.
  var tolerated: Set<ResultCode> = []
  /// Done once the file is open, before calls fail.
  var prepare: Step = { _ in }
  /// What is done: each of them happens as a whole, or not at all.
  var steps: [Step]
  /// Throws if something else is wrong afterwards, when no call fails any more.
  var check: Step = { _ in }

  static let table = """
    CREATE TABLE item (id INTEGER PRIMARY KEY, number INTEGER, text TEXT, data BLOB);
    CREATE INDEX item_number ON item (number);
    WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 60)
      INSERT INTO item SELECT x, x * 7 % 31, 'text ' || x || hex(zeroblob(x * 4)), zeroblob(x * 9)
      FROM c;
    """
}

/// A run of a scenario on a file of its own.
final class FaultRun {
  let scenario: FaultScenario
  let folder: String
  var writer: (any DatabaseWriter)?
  /// The keys that the file can have after a failure.
  var keys: [DatabaseKey]
  /// What a scenario keeps for its check.
  var kept: Any?

  /// Whether an error has said that the connection is closed.
  private(set) var isAbandoned = false

  var path: String { folder + "/db" }

  init(_ scenario: FaultScenario, in folder: String) throws {
    self.scenario = scenario
    self.folder = folder
    keys = [try FaultRun.key()]
  }

  static func key(_ byte: UInt8 = 0x5A) throws -> DatabaseKey {
    try .raw([UInt8](repeating: byte, count: 32))
  }

  func open() throws {
    var configuration = try configuration()
    scenario.configure(&configuration)
    writer =
      scenario.isPool
      ? try DatabasePool(path: path, configuration: configuration)
      : try DatabaseQueue(path: path, configuration: configuration)
  }

  func configuration(key index: Int = 0) throws -> Configuration {
    var configuration = Configuration()
    configuration.key = keys[index]
    configuration.busyMode = .immediateError
    if scenario.isFresh {
      var freshness = Freshness(anchor: FileAnchor(path: folder + "/anchor"))
      freshness.minimumInterval = .zero
      configuration.freshness = freshness
    }
    return configuration
  }

  func opened() throws -> any DatabaseWriter {
    guard let writer else { throw ScenarioError("nothing is open") }
    return writer
  }

  /// Returns the error, and forgets the connection if the error says that it is closed.
  func closingIfClosed(_ error: any Error) -> any Error {
    let hint = (error as? DatabaseError)?.hint
    if hint?.contains("The connection is closed.") == true { isAbandoned = true }
    return error
  }

  func write(_ body: (Database) throws -> Void) throws { try opened().write { try body($0) } }

  func read(_ body: (Database) throws -> Void) throws { try opened().read { try body($0) } }

  /// The schema and all rows, as text.
  static func state(_ db: Database) throws -> String {
    var lines: [String] = []
    let tables = try Row.fetchAll(
      db, sql: "SELECT name, type, sql FROM sqlite_master ORDER BY name, type")
    for table in tables {
      let name: String = table[0]
      lines.append("\(name) \(table[2] as String? ?? "")")
      guard table[1] == "table" else { continue }
      let quoted = "\"\(name)\""
      lines += try Row.fetchAll(db, sql: "SELECT * FROM \(quoted)").map { row in
        row.databaseValues.map { "\($0)" }.joined(separator: "|")
      }
    }
    lines.append("version \(try Int.fetchOne(db, sql: "PRAGMA user_version") ?? -1)")
    return lines.joined(separator: "\n")
  }
}

func runFaultScenario(_ arguments: [String]) throws -> Bool {
  if arguments == ["fault-scenarios"] {
    for scenario in faultScenarios { say(scenario.name) }
    return true
  }
  guard arguments.first == "faults", arguments.count == 6 else { return false }
  // Coffer's own allocator would ask the failing one only for more than it reserves.
  setenv("COFFER_STOCK_MEMORY", "1", 1)
  guard coffer_faults_install() == 0 else { throw ScenarioError("the faults can't be installed") }
  guard let scenario = faultScenarios.first(where: { $0.name == arguments[2] }) else {
    throw ScenarioError("unknown scenario")
  }
  let trials = try FaultTrials(scenario, in: arguments[1])
  var random = SeededGenerator()
  for (kind, name) in FaultTrials.kinds
  where [name, "all", name == "memory" ? "" : "files"].contains(arguments[3]) {
    let ways =
      switch arguments[4] {
      case "both": [false, true]
      case "either": [Bool.random(using: &random)]
      default: [arguments[4] == "always"]
      }
    try trials.run(kind, name, ways, arguments[5])
  }
  say("tried \(trials.count), failed \(trials.failedCalls) calls")
  return true
}

/// The runs of one scenario.
final class FaultTrials {
  /// The numbers and names of the kinds of calls.
  static let kinds: [(number: CInt, name: String)] = (0..<100).compactMap { kind in
    coffer_faults_name(kind).map { (kind, String(cString: $0)) }
  }

  private let scenario: FaultScenario
  private let folder: String
  /// The state before the first step, and after each.
  private var states: [String] = []
  private(set) var count = 0
  private(set) var failedCalls = 0

  init(_ scenario: FaultScenario, in folder: String) throws {
    self.scenario = scenario
    self.folder = folder
    try FileManager.default.createDirectory(atPath: template, withIntermediateDirectories: true)
    if let sql = scenario.sql {
      let queue = try DatabaseQueue(path: template + "/db", key: FaultRun.key())
      try queue.write { try $0.execute(sql: sql) }
      try queue.close()
    }
    // Some facts are found once per process; and each run has to end as the last one does.
    for _ in 0..<2 {
      let run = try begin()
      if scenario.sql == nil { states = ["version 0"] } else { states = [try fileState(run)] }
      if scenario.opensBefore {
        try run.open()
        try scenario.prepare(run)
        states = [try state(run)]
      }
      for step in scenario.steps {
        try step(run)
        states.append(try state(run))
      }
      try scenario.check(run)
      try run.writer?.close()
    }
  }

  private var template: String { folder + "/template" }

  private func state(_ run: FaultRun) throws -> String {
    guard let writer = run.writer else { return try fileState(run) }
    return try writer.read { try FaultRun.state($0) }
  }

  private func fileState(_ run: FaultRun) throws -> String {
    let queue = try DatabaseQueue(path: run.path, key: run.keys[0])
    defer { try? queue.close() }
    return try queue.read { try FaultRun.state($0) }
  }

  /// Makes a file for a run.
  private func begin() throws -> FaultRun {
    let files = FileManager.default
    let place = folder + "/run"
    try? files.removeItem(atPath: place)
    try files.copyItem(atPath: template, toPath: place)
    return try FaultRun(scenario, in: place)
  }

  /// Tries a kind of calls as often as `how` says.
  /// - Parameter ways: Whether all calls after the failing one fail, too.
  func run(_ kind: CInt, _ name: String, _ ways: [Bool], _ how: String) throws {
    if how.hasPrefix("="), let number = Int(how.dropFirst()) {
      for persists in ways { _ = try trial(kind, name, number, persists: persists) }
      return
    }
    let wanted = Int(how) ?? 0
    // A run without faults tells how many calls there are.
    let total = try trial(kind, name, Int.max, persists: false).calls
    guard total > 0 else { return }
    var random = SeededGenerator()
    for persists in ways {
      guard total > wanted else {
        var number = 1
        while try trial(kind, name, number, persists: persists).failures > 0 { number += 1 }
        continue
      }
      // What comes first is of another kind than most that follows.
      if wanted > 0 { _ = try trial(kind, name, 1, persists: persists) }
      for part in 0..<wanted {
        let range = (part * total / wanted + 1)...((part + 1) * total / wanted)
        let number = Int.random(in: range, using: &random)
        _ = try trial(kind, name, number, persists: persists)
      }
    }
  }

  private func trial(
    _ kind: CInt, _ name: String, _ number: Int, persists: Bool
  ) throws -> (calls: Int, failures: Int) {
    let label = "\(name) \(persists ? "always" : "once") \(number)"
    say("at \(label)")
    let run = try begin()
    if scenario.opensBefore {
      try run.open()
      try scenario.prepare(run)
    }
    count += 1
    var done = 0
    var failure: (any Error)?
    coffer_faults_arm(kind, number, persists ? 1 : 0)
    do {
      for step in scenario.steps {
        try step(run)
        done += 1
      }
    } catch { failure = error }
    coffer_faults_disarm()
    let result = (coffer_faults_calls(), coffer_faults_failures())
    failedCalls += result.1
    let attempts: [() throws -> Void] = [
      { try self.judge(failure, isMemory: name == "memory", failures: result.1) },
      { try self.verify(run, done: done, failure) },
    ]
    for attempt in attempts {
      do { try attempt() } catch {
        let text = "failed \(label): \(error)" + (failure.map { ", after: \($0)" } ?? "")
        say(text.replacingOccurrences(of: "\n", with: " "))
      }
    }
    return result
  }

  /// Throws if an error isn't that of the fault.
  private func judge(_ failure: (any Error)?, isMemory: Bool, failures: Int) throws {
    guard let failure else { return }
    guard failures > 0 else { throw ScenarioError("an error without a fault") }
    guard let error = failure as? DatabaseError else {
      throw ScenarioError("not an error of SQLite")
    }
    guard error.cipherDiagnosis == nil else { throw ScenarioError("a diagnosis of the file") }
    guard error.isOfFault(isMemory: isMemory) || scenario.tolerated.contains(error.resultCode)
    else { throw ScenarioError("another code") }
  }

  /// Throws if the database isn't as it was, or as it should be, or if it can't be used any more.
  private func verify(_ run: FaultRun, done: Int, _ failure: (any Error)?) throws {
    let allowed = failure == nil ? [states[done]] : [states[done], states[done + 1]]
    // SQLCipher 4.7 and later refuses all pages after one that couldn't be read, and a connection
    // with freshness isn't opened again by itself.
    let isRefused =
      scenario.isFresh && failure != nil && SQLiteFeatures.linked.refusesPagesAfterFailure
    if run.isAbandoned || isRefused {
      try run.writer?.close()
      run.writer = try attempt("opening again") { try reopened(run) }
    } else if run.writer == nil {
      try attempt("opening again") { try run.open() }
    }
    guard let writer = run.writer else { return }
    var seen = ""
    try attempt("reading") {
      try writer.unsafeRead { db in
        if db.isInsideTransaction { throw ScenarioError("a read finds a transaction") }
      }
      try writer.writeWithoutTransaction { db in
        if db.isInsideTransaction { throw ScenarioError("a transaction is open") }
      }
      seen = try writer.read { try FaultRun.state($0) }
      guard allowed.contains(seen) else { throw ScenarioError(difference(seen, allowed)) }
    }
    try attempt("the scenario's check") { try scenario.check(run) }
    try attempt("writing") {
      try writer.write {
        try $0.execute(sql: "CREATE TABLE probe (x); INSERT INTO probe VALUES (1)")
      }
      let count = try writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM probe") }
      guard count == 1 else { throw ScenarioError("the row isn't there") }
      try writer.write { try $0.execute(sql: "DROP TABLE probe") }
    }
    try attempt("closing") { try writer.close() }
    run.writer = nil
    try attempt("opening the file") {
      let queue = try reopened(run)
      let state = try queue.read { try FaultRun.state($0) }
      guard state == seen else { throw ScenarioError(difference(state, [seen])) }
      let integrity = try queue.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
      guard integrity == ["ok"] else { throw ScenarioError("\(integrity)") }
      let damaged = try queue.checkCipherIntegrity()
      guard damaged.isEmpty else { throw ScenarioError("damaged pages \(damaged)") }
      try queue.close()
    }
  }

  /// Opens the file with one of the keys that it can have.
  private func reopened(_ run: FaultRun) throws -> DatabaseQueue {
    for index in run.keys.indices.dropLast() {
      let queue = try? DatabaseQueue(
        path: run.path, configuration: run.configuration(key: index))
      if let queue { return queue }
    }
    return try DatabaseQueue(
      path: run.path, configuration: run.configuration(key: run.keys.count - 1))
  }

  private func attempt<T>(_ what: String, _ body: () throws -> T) throws -> T {
    do { return try body() } catch { throw ScenarioError("\(what): \(error)") }
  }

  private func difference(_ state: String, _ allowed: [String]) -> String {
    let seen = Set(state.split(separator: "\n"))
    let last = Set((allowed.last ?? "").split(separator: "\n"))
    let more = seen.subtracting(last).sorted().prefix(2).map { $0.prefix(60) }
    let fewer = last.subtracting(seen).sorted().prefix(2).map { $0.prefix(60) }
    return "neither before nor after: more \(more), fewer \(fewer)"
  }
}
