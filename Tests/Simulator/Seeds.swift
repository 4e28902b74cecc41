import CofferTestSupport
import Foundation

/// The runs of many seeds.
struct Seeds {
  private let options: Options
  private var counts = Counts()
  /// The hashes of all runs.
  private var all = StableHash()

  init(_ options: Options) { self.options = options }

  /// The seeds that once failed.
  static func kept() throws -> [UInt64] {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("seeds.txt")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .compactMap { line in UInt64(line.prefix { $0 != " " }) }
  }

  /// - Returns: Whether all have passed.
  mutating func run() throws -> Bool {
    try Faults.install()
    Progress.install()
    // Some facts are found once per process, by calls that a seed's faults must not count.
    for _ in 0..<2 {
      for seed: UInt64 in [1, 2] { _ = try? Simulation(Program(seed: seed, stepCount: 8)).run() }
    }
    if let seed = options.seed { return runTwice(seed) }
    let kept = try Seeds.kept()
    let first = options.from ?? SeededGenerator.seed
    say("seeds that once failed: \(kept.count); then from \(first)")
    let begin = ContinuousClock.now
    var steps = 0
    var count = 0
    var failures = 0
    let seeds = kept + (0..<UInt64(options.seeds)).map { first &+ $0 }
    for seed in seeds {
      if let seconds = options.seconds, begin.duration(to: .now) > .seconds(seconds) { break }
      let program = Program(seed: seed)
      if run(program, isVerbose: options.isVerbose) == nil { failures += 1 }
      count += 1
      steps += program.steps.count
    }
    Progress.end()
    let elapsed = begin.duration(to: .now)
    say(
      "\(count) seeds in \(elapsed): \(steps) steps, \(counts.commits) commits, \(counts.values) "
        + "observed values, \(counts.failedCalls) failed calls; \(failures) seeds failed; trace "
        + String(all.value, radix: 16))
    return failures == 0
  }

  /// Runs a seed, and again, and compares the hashes.
  private mutating func runTwice(_ seed: UInt64) -> Bool {
    let program = Program(seed: seed)
    if options.isVerbose { say("\(program.setting)") }
    let first = run(program, isVerbose: options.isVerbose)
    guard let first else { return false }
    let second = run(program, isVerbose: false)
    Progress.end()
    if second == first {
      say("seed \(seed): trace \(String(first, radix: 16)), twice")
      return true
    }
    say("FAILED: the second run has the trace \(second.map { String($0, radix: 16) } ?? "none")")
    return false
  }

  /// - Returns: The hash of the run, or nil if it has failed.
  private mutating func run(_ program: Program, isVerbose: Bool) -> UInt64? {
    var number = 0
    do {
      let simulation = try Simulation(program, isVerbose: isVerbose)
      defer { number = simulation.number }
      let trace = try simulation.run()
      counts += simulation.counts
      all.combine("\(trace)")
      if isVerbose { say("seed \(program.seed): trace \(String(trace, radix: 16))") }
      return trace
    } catch {
      say("FAILED: seed \(program.seed), step \(number): \(error)")
      say("  replay: CofferSimulator --verbose --seed \(program.seed)")
      say("  \(program.setting)")
      for (index, step) in program.steps.prefix(number).enumerated() {
        say("  \(index + 1). \(step)")
      }
      return nil
    }
  }
}
