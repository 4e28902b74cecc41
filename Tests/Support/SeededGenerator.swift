import Foundation

/// Random numbers (SplitMix64) that can be replayed.
struct SeededGenerator: RandomNumberGenerator, Sendable {
  /// The seed of this run, which is printed: `COFFER_TEST_SEED=…` replays it.
  static let seed: UInt64 = {
    let environment = ProcessInfo.processInfo.environment["COFFER_TEST_SEED"]
    let seed = environment.flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64(UInt32.max))
    print("Random numbers: COFFER_TEST_SEED=\(seed)")
    return seed
  }()

  private var state: UInt64

  /// Numbers that are the same in each run.
  init(state: UInt64) { self.state = state }

  /// Numbers that differ between runs, and are the same for a seed and a test's line.
  init(line: UInt = #line) { state = Self.seed &+ UInt64(line) &* 0x9E37_79B9 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
