import CRecorder
import Coffer
import CofferTestSupport
import Glibc

/// Makes calls of scenarios fail.
enum FailingCalls {
  /// Calls that fail alike.
  private struct Kind {
    let name: String
    let calls: coffer_recorder_calls
    let code: CInt
    /// Whether the caller can go on, and has to.
    var isHarmless = false
    /// Whether it happens once, and not to all later calls as well.
    var onlyOnce = false

    /// Whether what failed can be on the disk, or what succeeded not be there.
    var leavesDoubt: Bool {
      let changes = [
        COFFER_RECORDER_WRITES, COFFER_RECORDER_SYNCS, COFFER_RECORDER_SIZES, COFFER_RECORDER_NAMES,
      ]
      return !isHarmless && changes.contains(calls)
    }
  }

  private static let kinds = [
    Kind(name: "open: EMFILE", calls: COFFER_RECORDER_OPEN, code: EMFILE),
    Kind(name: "open: EACCES", calls: COFFER_RECORDER_OPEN, code: EACCES),
    Kind(name: "read: EIO", calls: COFFER_RECORDER_READ, code: EIO),
    Kind(name: "write: ENOSPC", calls: COFFER_RECORDER_WRITES, code: ENOSPC),
    Kind(name: "write: EIO", calls: COFFER_RECORDER_WRITES, code: EIO),
    Kind(name: "sync: EIO", calls: COFFER_RECORDER_SYNCS, code: EIO),
    Kind(name: "truncate: EIO", calls: COFFER_RECORDER_SIZES, code: EIO),
    Kind(name: "rename, link, unlink: EIO", calls: COFFER_RECORDER_NAMES, code: EIO),
    Kind(name: "lock: EIO", calls: COFFER_RECORDER_LOCKS, code: EIO),
    Kind(name: "stat: EIO", calls: COFFER_RECORDER_ATTRIBUTES, code: EIO),
    Kind(name: "chmod: EPERM", calls: COFFER_RECORDER_MODES, code: EPERM),
    Kind(
      name: "open: EINTR", calls: COFFER_RECORDER_OPEN, code: EINTR, isHarmless: true,
      onlyOnce: true),
    Kind(
      name: "read: EINTR", calls: COFFER_RECORDER_READ, code: EINTR, isHarmless: true,
      onlyOnce: true),
    Kind(
      name: "write: EINTR", calls: COFFER_RECORDER_WRITES, code: EINTR, isHarmless: true,
      onlyOnce: true),
    Kind(
      name: "read: half", calls: COFFER_RECORDER_READ, code: COFFER_RECORDER_HALF,
      isHarmless: true),
    Kind(
      name: "write: half", calls: COFFER_RECORDER_WRITES, code: COFFER_RECORDER_HALF,
      isHarmless: true),
  ]

  /// The seconds that a run may take.
  private static let longest: UInt32 = 300

  static func run(_ scenario: Scenario, _ options: Options) throws -> Trials {
    // A call that fails again and again must not be made again and again.
    signal(SIGALRM) { _ in
      let text = "FAILED  a scenario doesn't end; --scenario and --calls tell where\n"
      _ = text.withCString { write(STDOUT_FILENO, $0, strlen($0)) }
      _exit(1)
    }
    defer { alarm(0) }
    // What shows a crash would wait for the recorder's lock.
    for crash in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT] { signal(crash, SIG_DFL) }
    var trials = Trials()
    for kind in kinds where options.calls.isEmpty || kind.name.contains(options.calls) {
      for lasts in kind.onlyOnce ? [false] : [false, true] {
        var nth = 1
        while try fails(scenario, kind, nth, lasts: lasts, &trials) { nth += options.every }
      }
    }
    return trials
  }

  /// Returns whether the run reached the call.
  private static func fails(
    _ scenario: Scenario, _ kind: Kind, _ nth: Int, lasts: Bool, _ trials: inout Trials
  ) throws -> Bool {
    trials.count += 1
    alarm(longest)
    return try Files.withFolder { path in
      let folder = Folder(path: path)
      try scenario.prepare(folder)
      var marks = Marks()
      var reached = false
      var thrown: (any Error)?
      do {
        let (start, events, error) = try Disk.recordingUntilError(path) {
          coffer_recorder_fail(kind.calls.rawValue, nth, kind.code, lasts ? 1 : 0)
          defer {
            reached = coffer_recorder_count() >= nth
            coffer_recorder_fail(0, 0, 0, 0)
          }
          try scenario.run(folder)
        }
        thrown = error
        for event in events { marks.take(event) }
        if let error, kind.isHarmless { throw error }
        if let error, !scenario.hidesReadFailures || kind.calls != COFFER_RECORDER_READ {
          try requireHonest(error)
        }
        try scenario.check(folder, marks)
        if kind.leavesDoubt, !(error is Violation) { try cutPower(start, events, scenario) }
      } catch {
        trials.failures.append(
          "\(kind.name), call \(nth)\(lasts ? " and all later ones" : ""), after \(marks): \(error)"
            + (thrown.map { " (the scenario threw: \($0))" } ?? ""))
      }
      return reached
    }
  }

  /// Cuts the power where the scenario last said something, and when it has ended: a commit that
  /// failed can be on the disk.
  private static func cutPower(
    _ start: Disk, _ events: [Disk.Event], _ scenario: Scenario
  ) throws {
    var disk = start
    var marks = Marks()
    var random = SeededGenerator(state: 0)
    let said = events.lastIndex { if case .mark = $0 { true } else { false } }
    for (position, event) in events.enumerated() {
      disk.apply(event)
      marks.take(event)
      guard position == said || position == events.count - 1 else { continue }
      for cut in [Disk.Cut.drops, .keeps] {
        do {
          try Files.withFolder(disk.image(cut, using: &random)) { path in
            try scenario.check(Folder(path: path), marks)
          }
        } catch {
          throw Violation("a power cut at record \(position) of \(events.count) (\(cut)): \(error)")
        }
      }
    }
  }

  /// Throws if an error calls a failing system a damaged file or a wrong key.
  private static func requireHonest(_ error: any Error) throws {
    guard let error = error as? DatabaseError else { return }
    let isDishonest =
      error.cipherDiagnosis != nil || error.resultCode == .SQLITE_CORRUPT
      || error.resultCode == .SQLITE_NOTADB
    try require(!isDishonest, "a failing call is called damage")
  }
}
