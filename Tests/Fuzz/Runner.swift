import CofferTestSupport
import Foundation
import Glibc

/// Gives mutated inputs to a target.
struct Runner {
  private static let largestCorpus = 4000

  let target: any FuzzTarget
  let name: String
  let seed: UInt64
  let failures: String
  private var corpus: [[UInt8]]
  private var kinds: Set<Int> = []
  private(set) var count = 0

  init(_ type: any FuzzTarget.Type, seed: UInt64, failures: String) throws {
    name = type.name
    self.seed = seed
    self.failures = failures
    target = try type.init(ScratchFolder())
    corpus = target.seeds
  }

  /// Tries the inputs that failed once, the seeds, and then mutations of what was of a new kind.
  ///
  /// - Parameters:
  ///   - runs: The number of mutated inputs.
  ///   - seconds: When to end earlier.
  mutating func run(_ runs: Int, seconds: Double) throws {
    let type = Swift.type(of: target)
    Watch.start(name, failuresAt: "\(failures)/\(name)-\(seed).input")
    let start = Date()
    for (file, bytes) in TestFiles.regressions(name) { try attempt(bytes, file) }
    for bytes in corpus { try attempt(bytes, nil) }
    var mutator = Mutator(seed: seed, words: target.words, largest: type.largestInput)
    while count < runs {
      let base = corpus[mutator.below(corpus.count)]
      let input = mutator.mutated(base, corpus[mutator.below(corpus.count)])
      let isNew = try attempt(input, nil)
      if isNew, corpus.count < Self.largestCorpus { corpus.append(input) }
      count += 1
      if count % 256 == 0, -start.timeIntervalSinceNow > seconds { break }
    }
    let time = max(0.001, -start.timeIntervalSinceNow)
    let line = String(
      format: "%@: %d runs in %.1f s, %.0f each second, %d kinds of input, at most %d MB",
      name, count, time, Double(count) / time, kinds.count, peakMemory() >> 20)
    say(line)
  }

  /// Returns whether the input is of a new kind.
  @discardableResult
  private mutating func attempt(_ input: [UInt8], _ file: String?) throws -> Bool {
    Watch.begin(input)
    defer { Watch.end() }
    do {
      let kind = try target.run(input)
      if count % 64 == 0, peakMemory() > Watch.memory {
        throw Finding("the process has used \(peakMemory() >> 20) MB")
      }
      return kinds.insert(kind).inserted
    } catch {
      let path = file ?? "\(failures)/\(name)-\(seed).input"
      if file == nil { try Data(input).write(to: URL(fileURLWithPath: path)) }
      say("\(name): \(error)\nReplay it:\n  CofferFuzz \(name) --input \(path)")
      throw error
    }
  }
}

/// Prints at once, also to a pipe.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
