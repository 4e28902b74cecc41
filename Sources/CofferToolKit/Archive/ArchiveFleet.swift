import Coffer
import CofferArchive
import Dispatch
import Glibc
import Synchronization

extension Tool {
  /// `coffer archive run --config`
  static func runArchives(
    _ invocation: Invocation, config: String, _ console: Console
  ) throws -> CInt {
    if let file = invocation.argument(0) {
      throw ToolError(.usage, "archive run: --config says what to archive: leave \(file) out")
    }
    let allowed: Set = ["config", "once", "within", "metrics", "log"]
    let names = invocation.command.options.map(\.name)
    if let other = names.first(where: { invocation.has($0) && !allowed.contains($0) }) {
      throw ToolError(.usage, "archive run: with --config, --\(other) is a setting of its file")
    }
    var fleet = try ArchiveFleet(invocation, config: config, console)
    return try fleet.run()
  }
}

/// A run with several databases: each has a session of its own, on threads and connections that all
/// of them share. What fails stops no other.
struct ArchiveFleet {
  private let path: String
  private let isOnce: Bool
  private let console: Console
  private let form: ArchiveLog.Form
  private let log: ArchiveLog
  private let metrics: String?
  private var end: ArchiveEnd
  private var manager = ServiceManager()
  private let connections = S3Connections()
  private let wake = DispatchSemaphore(value: 0)
  private let reload = Flag()

  private var plan: ArchivePlan
  private var gates: [String: (gate: ArchiveGate, count: Int)] = [:]
  /// By the database's path.
  private var members: [String: ArchiveMember] = [:]
  /// Those whose sessions end.
  private var leaving: [ArchiveMember] = []
  private var problems: Set<String> = []
  private var lastScan = ContinuousClock.now
  private var lastMetrics: ContinuousClock.Instant?
  private var isReady = false

  /// What a signal's thread sets.
  private final class Flag: Sendable {
    private let value = Atomic(false)
    func set() { value.store(true, ordering: .relaxed) }
    func take() -> Bool { value.exchange(false, ordering: .relaxed) }
  }

  private static let scanInterval = Duration.seconds(5)

  init(_ invocation: Invocation, config path: String, _ console: Console) throws {
    self.path = path
    self.console = console
    isOnce = invocation.has("once")
    metrics = invocation.value("metrics")
    form = try invocation.logForm() ?? .text
    log = ArchiveLog(form, console, target: path)
    end = ArchiveEnd(within: try invocation.within())
    plan = try ArchivePlan(ArchiveConfigFile(path: path))
    try take(plan)
  }

  // MARK: Running

  /// Archives until a signal ends it, or until all commits are archived once.
  mutating func run() throws -> CInt {
    Tool.tellArchiveLog(console)
    let (wake, reload) = (wake, reload)
    Interrupts.handled(
      by: { wake.signal() }, includesTermination: true,
      reload: {
        reload.set()
        wake.signal()
      }
    ) {
      while !Interrupts.isRequested, !isOnce || !members.values.allSatisfy(\.hasEnded) {
        if reload.take() { readAgain() }
        if !isOnce, .now - lastScan >= Self.scanInterval { scan() }
        step()
        sign()
        _ = wake.wait(timeout: .now() + (isOnce ? .milliseconds(50) : .seconds(1)))
      }
      manager?.send("STOPPING=1")
      endAll()
    }
    let failed = members.values.filter { $0.failure != nil }.sorted { $0.task.path < $1.task.path }
    if let metrics { write(metrics) }
    guard let first = failed.first, let failure = first.failure else {
      log.tell("end", Numbers.count(members.count, "database"))
      return 0
    }
    log.tell("end", "\(failed.count) of \(Numbers.count(members.count, "database")) failed")
    let path = first.task.path
    let reason =
      failure.description.hasPrefix(path) ? failure.description : "\(path): \(failure.description)"
    throw ToolError(
      failure.code,
      "\(failed.count) of \(Numbers.count(members.count, "database")) failed, such as \(reason)")
  }

  private mutating func step() {
    for index in leaving.indices { leaving[index].stepToEnd(within: .seconds(30)) }
    leaving.removeAll(where: \.hasEnded)
    let busy = Set(leaving.flatMap { [$0.task.path, $0.task.target] })
    for path in members.keys {
      guard var member = members[path] else { continue }
      let task = member.task
      // The one before still has the file, or the target.
      let isFree = !busy.contains(task.path) && !busy.contains(task.target)
      if isFree, let gate = gates[task.section]?.gate {
        member.step(isOnce: isOnce) { [connections, isOnce] in
          ArchiveStart(task, gate, connections, isOnce: isOnce)
        }
      } else {
        member.step(isOnce: isOnce, nil)
      }
      members[path] = member
    }
  }

  /// Ends all sessions at once, those first of which all is well.
  private mutating func endAll() {
    let paths = members.keys.sorted {
      let isWell = (members[$0]?.isArchived == true, members[$1]?.isArchived == true)
      return isWell.0 == isWell.1 ? $0 < $1 : isWell.0
    }
    for path in paths { members[path]?.end(within: end.remaining) }
    func hasEnded() -> Bool {
      members.values.allSatisfy(\.hasEnded) && leaving.allSatisfy(\.hasEnded)
    }
    while !hasEnded(), end.remaining > .zero {
      let left = end.remaining
      for path in paths { members[path]?.stepToEnd(within: left) }
      for index in leaving.indices { leaving[index].stepToEnd(within: left) }
      usleep(20_000)
    }
    // An end that has a bound of its own ends about now.
    usleep(100_000)
    for path in paths {
      members[path]?.stepToEnd(within: .zero)
      members[path]?.giveUp()
    }
  }

  // MARK: Databases that come and go

  /// Takes what a configuration says.
  ///
  /// - Throws: ``ToolError`` if two databases would get one target; nothing is changed then.
  private mutating func take(_ new: ArchivePlan) throws {
    let finding = new.find()
    if finding.hasConflict, let problem = finding.problems.last {
      throw ToolError(.dataError, "\(path): \(problem)")
    }
    plan = new
    for (section, count) in new.connections where gates[section]?.count != count {
      gates[section] = (ArchiveGate(count), count)
    }
    problems = []
    apply(finding, isNew: true)
  }

  private mutating func readAgain() {
    manager?.send("RELOADING=1")
    do {
      try take(ArchivePlan(ArchiveConfigFile(path: path)))
      for path in members.keys { members[path]?.retry() }
      log.tell("reload", Numbers.count(members.count, "database"))
    } catch {
      log.tell("error", "\(ToolError(error).description). What was read before is kept")
    }
    if isReady { manager?.send("READY=1") }
  }

  private mutating func scan() {
    lastScan = .now
    apply(plan.find(known: Set(members.keys)), isNew: false)
  }

  private mutating func apply(_ finding: ArchivePlan.Finding, isNew: Bool) {
    for problem in finding.problems where !problems.contains(problem) {
      log.tell("error", problem)
    }
    problems = Set(finding.problems)
    let found = Dictionary(finding.tasks.map { ($0.path, $0) }) { first, _ in first }
    for (path, member) in members where found[path] == nil {
      // Nothing is known where the folder can't be read; and a file can be away while it is
      // replaced.
      if finding.unknownSections.contains(member.task.section) { continue }
      members[path]?.missingCount += 1
      guard isNew || member.missingCount > 0 else { continue }
      member.log.tell("gone", "it isn't there any more, or the configuration doesn't name it")
      leave(path)
    }
    for task in finding.tasks {
      members[task.path]?.missingCount = 0
      if let member = members[task.path] {
        let isSame = member.file == nil || member.file == FileIdentity(task.path)
        if member.task == task, isSame { continue }
        member.log.tell("changed", isSame ? "it has other settings" : "it is another file")
        leave(task.path)
      }
      members[task.path] = ArchiveMember(
        task, ArchiveLog(form, console, target: task.target, database: task.path))
    }
  }

  private mutating func leave(_ path: String) {
    guard var member = members.removeValue(forKey: path) else { return }
    member.end(within: .seconds(30))
    if !member.hasEnded { leaving.append(member) }
  }

  // MARK: Telling

  private mutating func sign() {
    let count = members.values.count(where: \.isArchived)
    if !isReady, members.values.allSatisfy(\.hasBegun) {
      isReady = true
      manager?.send("READY=1")
      log.tell("ready", "\(count) of \(Numbers.count(members.count, "database")) are archived")
    }
    manager?.sign("\(count) of \(Numbers.count(members.count, "database")) are archived")
    guard let metrics, lastMetrics.map({ .now - $0 >= .seconds(10) }) ?? true else { return }
    lastMetrics = .now
    write(metrics)
  }

  private func write(_ path: String) {
    var figures = ArchiveMetrics()
    for member in members.values.sorted(by: { $0.task.path < $1.task.path }) {
      figures.begin(target: member.task.target, database: member.task.path)
      guard member.failure == nil else {
        figures.add(nil)
        figures.add("failing", "Whether the last attempt has failed.", 1)
        continue
      }
      figures.add(ArchiveSession.report(ofDatabaseAt: member.task.path))
    }
    do { try figures.write(to: path) } catch { log.tell("error", "\(error)") }
  }
}
