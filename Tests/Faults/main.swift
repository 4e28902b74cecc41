// Cuts the power at each moment of what changes files, and makes calls of the system fail.
//
//   CofferFaults [--mode cuts|calls|day] [--scenario TEXT] [--calls TEXT] [--seed N] [--every N]
//   [--tears N] [--hours N]
//
// **Power cuts.** Each scenario runs once, while all that it writes, syncs, renames and deletes is
// recorded. After each record, or each Nth one, the power is cut: in one trial all that wasn't
// synced is lost, in one nothing, and in some any part of it, torn at sectors of 512 bytes. What is
// left is opened and checked.
//
// **Failing calls.** Each scenario runs again and again. The first call of a kind fails, then the
// second, until a run ends without reaching it; once alone, and then with all calls that follow.
// After each run the files are opened and checked. A call that is interrupted, or reads or writes
// half of its bytes, must not be noticed. `--calls` takes the kinds with this text, such as
// `write`.
//
// **A day.** In the mode `day`, a daemon lives through 24 hours of commits, reads, observation,
// documents, backups and changes of the passphrase, in a minute or two: what it holds must not
// grow.

import Coffer
import Foundation

struct Options {
  var mode = ""
  var scenario = ""
  var calls = ""
  var seed = UInt64(UInt32.random(in: 0...UInt32.max))
  var every = 1
  var tears = 2
  var hours = 24

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      guard let value = rest.popFirst() else { throw Violation("\(option) needs a value") }
      switch option {
      case "--mode": mode = value
      case "--scenario": scenario = value
      case "--calls": calls = value
      case "--seed": seed = UInt64(value) ?? 0
      case "--every": every = max(1, Int(value) ?? 1)
      case "--tears": tears = Int(value) ?? 2
      case "--hours": hours = max(6, Int(value) ?? 24)
      default: throw Violation("unknown option \(option)")
      }
    }
  }
}

/// Prints at once, also to a pipe.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

let options: Options
do {
  options = try Options(Array(CommandLine.arguments.dropFirst()))
} catch {
  say("\(error)")
  exit(64)
}
var hasFailed = false
if options.mode == "day" {
  let growth = try Day.run(hours: options.hours, say: say)
  say(growth.isEmpty ? "passed  a day: nothing has grown" : "FAILED  a day")
  for line in growth { say("  \(line)") }
  exit(growth.isEmpty ? 0 : 1)
}
say("seed \(options.seed)")

/// Prints the result of trials, and returns whether all have passed.
func report(_ scenario: Scenario, _ what: String, _ trials: Trials) -> Bool {
  let verdict = trials.failures.isEmpty ? "passed" : "FAILED"
  say("\(verdict)  \(scenario.name): \(trials.count) \(what)")
  for failure in trials.failures.prefix(5) { say("  \(failure)") }
  if trials.failures.count > 5 { say("  and \(trials.failures.count - 5) more") }
  return trials.failures.isEmpty
}

let scenarios =
  Scenario.commits + Scenario.changes + Scenario.changesBesideOthers + Scenario.spilling
  + Scenario.copies + (SQLCipherGeneration.linked >= .four ? [Scenario.vacuumInto] : [])
  + [Scenario.freshness] + Scenario.archives
for scenario in scenarios where options.scenario.isEmpty || scenario.name.contains(options.scenario)
{
  if options.mode != "calls" {
    let trials = try PowerCuts.run(scenario, options)
    if !report(scenario, "power cuts", trials) { hasFailed = true }
  }
  if options.mode != "cuts" {
    let trials = try FailingCalls.run(scenario, options)
    if !report(scenario, "failing calls", trials) { hasFailed = true }
  }
}
exit(hasFailed ? 1 : 0)
