// Gives changed inputs to the parsers, and checks what they make of them.
//
//   CofferFuzz TARGET|all [--runs N] [--seconds N] [--seed N] [--failures FOLDER]
//   CofferFuzz TARGET --input FILE
//   CofferFuzz list
//
// With "all", each target gets its share of the runs. An input that fails is written to the folder,
// .build/fuzz by default, and the command that replays it is printed. Inputs that failed once are
// in Tests/Fuzz/Regressions, and are tried first; with --runs 0, only these and the seeds are.
//
// The parsers aren't public: build for debugging, or as Scripts/with-fuzzer does.

import CofferTestSupport
import Foundation

#if DEBUG || COFFER_FUZZ
  var targets: [any FuzzTarget.Type] {
    [
      TokenizerTarget.self, RewriterTarget.self, JSONTarget.self, JSONImportTarget.self,
      CSVTarget.self, KeySlotsTarget.self, FreshnessTarget.self, LogTarget.self,
      LogIndexTarget.self, HeaderTarget.self, BTreeTarget.self, CipherFileTarget.self,
      PagesTarget.self, ArchiveTarget.self,
    ]
  }

  struct Options {
    var target = ""
    var runs = 100_000
    var seconds = Double.infinity
    var seed = UInt64(UInt32.random(in: 0...UInt32.max))
    var failures = ".build/fuzz"
    var input: String?

    init(_ arguments: [String]) throws {
      var rest = arguments[...]
      target = rest.popFirst() ?? "list"
      while let option = rest.popFirst() {
        guard let value = rest.popFirst() else { throw Finding("\(option) needs a value") }
        switch option {
        case "--runs": runs = Int(value) ?? runs
        case "--seconds": seconds = Double(value) ?? seconds
        case "--seed": seed = UInt64(value) ?? seed
        case "--failures": failures = value
        case "--input": input = value
        default: throw Finding("unknown option \(option)")
        }
      }
    }

    func run() throws {
      if target == "list" { return targets.forEach { say($0.name) } }
      let chosen = targets.filter { target == "all" || $0.name == target }
      guard !chosen.isEmpty else { throw Finding("there is no target \(target)") }
      if let input {
        let target = try chosen[0].init(ScratchFolder())
        _ = try target.run([UInt8](Data(contentsOf: URL(fileURLWithPath: input))))
        return say("\(chosen[0].name): \(input) passes")
      }
      try FileManager.default.createDirectory(
        atPath: failures, withIntermediateDirectories: true)
      say("seed \(seed)")
      let shares = chosen.reduce(0) { $0 + $1.share }
      for type in chosen {
        var runner = try Runner(type, seed: seed, failures: failures)
        try runner.run(Int(Double(runs) * type.share / shares), seconds: seconds)
      }
    }
  }

  @main enum Fuzz {
    static func main() {
      restartWithDeterministicHashing()
      do {
        let arguments = Array(CommandLine.arguments.dropFirst())
        #if COFFER_LIBFUZZER
          exit(try LibFuzzer.run(arguments))
        #else
          try Options(arguments).run()
        #endif
      } catch {
        say("\(error)")
        exit(1)
      }
    }
  }
#else
  @main enum Fuzz {
    static func main() {
      print(
        "CofferFuzz tests what isn't public: build it for debugging, or use Scripts/with-fuzzer.")
      exit(69)
    }
  }
#endif
