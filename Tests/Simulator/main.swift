// Runs random programs on encrypted files, and compares each step with a model in memory.
//
//   CofferSimulator [--seeds N] [--from N] [--seed N] [--seconds N] [--verbose]
//   CofferSimulator histories [--processes N] [--seconds N] [--seed N]
//   CofferSimulator self-check
//
// **Programs.** A seed is a program: a queue or a pool, and steps of several actors, such as
// transactions, snapshots, observations, key changes, failing calls of SQLite, other connections
// and processes. The model has each committed state. --seeds N runs N seeds, from a random one or
// from --from; --seed N runs one, twice, and compares the hashes of what has come of it. The seeds
// of seeds.txt run first. A seed that fails is printed with its steps, and can be replayed.
//
// **Histories.** Several processes write to one file, some are killed, and what each has read and
// written is compared with a single order of all commits. Wrong histories are checked
// first, each of which the checker has to find out.
//
// The exit status is 0 if nothing is wrong, 1 if something is, and 64 for a wrong command line.

import CofferTestSupport
import Foundation

/// Prints at once, also to a pipe.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

struct Options {
  var mode = ""
  var seeds = 100
  var from: UInt64?
  var seed: UInt64?
  var seconds: Double?
  var processes = 8
  var isVerbose = false

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    if let first = rest.first, !first.hasPrefix("--") { mode = rest.removeFirst() }
    while let option = rest.popFirst() {
      if option == "--verbose" {
        isVerbose = true
        continue
      }
      guard let value = rest.popFirst(), let number = Double(value), number >= 0 else {
        throw Violation("\(option) needs a number")
      }
      switch option {
      case "--seeds": seeds = Int(number)
      case "--from": from = UInt64(value)
      case "--seed": seed = UInt64(value)
      case "--seconds": seconds = number
      case "--processes": processes = Int(number)
      default: throw Violation("unknown option \(option)")
      }
    }
  }
}

/// Files are in memory, since no power is cut here, and a seed's numbers are the same in each run.
func prepareEnvironment() {
  let memory = "/dev/shm"
  if getenv("TMPDIR") == nil, access(memory, W_OK) == 0 { setenv("TMPDIR", memory, 1) }
  restartWithDeterministicHashing()
}

func run(_ arguments: [String]) throws -> Bool {
  if arguments.first == "other-process" {
    try OtherProcess.serve()
    return true
  }
  if arguments.first == "history-process" {
    try HistoryProcess.run(Array(arguments.dropFirst()))
    return true
  }
  let options = try Options(arguments)
  switch options.mode {
  case "":
    var seeds = Seeds(options)
    return try seeds.run()
  case "self-check": say("self-check: \(try HistorySelfCheck.run()) wrong histories were found out")
  case "histories":
    say("self-check: \(try HistorySelfCheck.run()) wrong histories were found out")
    var histories = try HistoryRun(options)
    return try histories.run()
  default: throw Violation("unknown mode \(options.mode)")
  }
  return true
}

prepareEnvironment()
do {
  exit(try run(Array(CommandLine.arguments.dropFirst())) ? 0 : 1)
} catch {
  say("\(error)")
  exit(64)
}
