import Foundation

/// Random numbers (SplitMix64) that can be replayed.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  /// The seed of this run: `COFFER_TEST_SEED`, or a new one, which is printed at once, in case the
  /// process dies, and again at its end, where it is found.
  ///
  /// The child processes of a test get that of their parent.
  package static let seed: UInt64 = {
    let given = ProcessInfo.processInfo.environment["COFFER_TEST_SEED"].flatMap { UInt64($0) }
    if let given { return given }
    var system = SystemRandomNumberGenerator()
    let seed = UInt64(UInt32.random(in: 0...UInt32.max, using: &system))
    func printSeed(_ seed: UInt64) {
      FileHandle.standardError.write(Data("Random numbers: COFFER_TEST_SEED=\(seed)\n".utf8))
    }
    printSeed(seed)
    atexit { printSeed(SeededGenerator.seed) }
    return seed
  }()

  private var state: UInt64

  /// Numbers that are the same in each run.
  package init(state: UInt64) { self.state = state }

  /// Numbers that differ between runs, and are the same for a seed and a place in the source.
  package init(file: String = #fileID, line: UInt = #line, column: UInt = #column) {
    var place: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in "\(file):\(line):\(column)".utf8 {
      place = (place ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
    state = Self.seed ^ place
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  package mutating func bytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      while initialized < count {
        withUnsafeBytes(of: next()) { word in
          for byte in word.prefix(count - initialized) {
            buffer[initialized] = byte
            initialized += 1
          }
        }
      }
    }
  }
}

extension UUID {
  /// An identifier that differs between runs, and between places in the source.
  package static func seeded(
    file: String = #fileID, line: UInt = #line, column: UInt = #column
  ) -> UUID {
    var generator = SeededGenerator(file: file, line: line, column: column)
    return seeded(using: &generator)
  }

  package static func seeded(using generator: inout SeededGenerator) -> UUID {
    UUID(uuid: generator.bytes(16).withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
  }
}
