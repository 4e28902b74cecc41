import Coffer
import CofferTestSupport
import Foundation

/// Several processes over one file, of which some are killed.
struct HistoryRun {
  private let processCount: Int
  private let seconds: Double
  private var random: SeededGenerator
  private let seed: UInt64
  private let directory: TemporaryDirectory
  private var files: [String] = []

  init(_ options: Options) throws {
    processCount = max(1, options.processes)
    seconds = options.seconds ?? 10
    seed = options.seed ?? UInt64(UInt32.random(in: 0...UInt32.max))
    random = SeededGenerator(state: seed)
    directory = try TemporaryDirectory()
  }

  private var path: String { directory.path("vault.db") }

  /// Starts a process that writes for some seconds.
  private mutating func start(_ seconds: Double) throws -> Process {
    let number = files.count + 1
    let file = directory.path("notes-\(number)")
    try Data().write(to: URL(fileURLWithPath: file))
    files.append(file)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = [
      "history-process", path, "\(seed)", number % 2 == 0 ? "pool" : "queue", "\(number)",
      "\(seconds)", "\(random.next() >> 1)", file,
    ]
    try process.run()
    return process
  }

  /// - Returns: Whether the history is right.
  mutating func run() throws -> Bool {
    say("histories of \(processCount) processes, seed \(seed)")
    let queue = try DatabaseQueue(
      path: path, configuration: HistoryProcess.configuration(key: "\(seed)"))
    try queue.write { try HistoryProcess.create($0) }
    try queue.close()
    let begin = ContinuousClock.now
    var processes: [Process] = []
    for _ in 0..<processCount { processes.append(try start(seconds)) }
    var killed = 0
    // Every second or so one is killed, and another one takes its place.
    while true {
      usleep(UInt32(500_000 + random.below(1_000_000)))
      let elapsed = begin.duration(to: .now) / .seconds(1)
      let left = seconds - elapsed
      if left < 1 { break }
      let index = random.below(processes.count)
      kill(processes[index].processIdentifier, SIGKILL)
      processes[index].waitUntilExit()
      killed += 1
      processes[index] = try start(left)
    }
    var isRight = true
    for process in processes {
      process.waitUntilExit()
      if process.terminationStatus != 0 || process.terminationReason != .exit {
        say("FAILED: a process has ended with status \(process.terminationStatus)")
        isRight = false
      }
    }
    return try check(killed: killed) && isRight
  }

  private func check(killed: Int) throws -> Bool {
    var history = History()
    for file in files {
      history.add(
        notes: String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self))
    }
    let queue = try DatabaseQueue(
      path: path, configuration: HistoryProcess.configuration(key: "\(seed)"))
    try queue.read { db in
      history.last = try Int.fetchOne(db, sql: "SELECT number FROM head") ?? -1
      for row in try Row.fetchAll(db, sql: "SELECT number, id FROM committed") {
        history.commits[row[0]] = row[1] as Int
      }
      for row in try Row.fetchAll(db, sql: "SELECT key, ids FROM list") {
        history.lists[row[0]] = row[1] as String
      }
    }
    var violations = HistoryChecker(history).violations
    let integrity = try queue.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
    if integrity != ["ok"] { violations.append("integrity_check: \(integrity.prefix(3))") }
    let damaged = try queue.checkCipherIntegrity()
    if !damaged.isEmpty { violations.append("damaged pages \(damaged)") }
    try queue.close()
    for violation in violations.prefix(10) { say("FAILED: \(violation)") }
    if violations.count > 10 { say("and \(violations.count - 10) more") }
    let unknown = history.entries.filter { $0.outcome == .unknown }
    let there = unknown.filter { history.commits.values.contains($0.id) }
    let aborted = history.entries.filter { $0.outcome == .aborted }.count
    let reads = history.entries.filter { !$0.isWrite }.count
    say(
      "\(history.last) commits, \(reads) reads, \(aborted) rolled back; \(killed) processes killed "
        + "in \(unknown.count) accesses, of which \(there.count) are committed: "
        + "\(violations.count) violations")
    return violations.isEmpty
  }
}
