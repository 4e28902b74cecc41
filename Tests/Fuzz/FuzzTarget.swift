/// A parser, and what has to hold for each input.
protocol FuzzTarget: AnyObject {
  static var name: String { get }
  /// The part of all runs, roughly by what a run costs.
  static var share: Double { get }
  static var largestInput: Int { get }

  /// - Parameter files: A folder for the target's files.
  init(_ files: ScratchFolder) throws

  /// Inputs to begin with.
  var seeds: [[UInt8]] { get }
  /// Words that mutations insert.
  var words: [String] { get }

  /// Gives the input to the parser.
  ///
  /// - Returns: What kind of input it was: one of a new kind is mutated further.
  /// - Throws: ``Finding`` for a wrong answer, or an error that isn't the parser's.
  func run(_ input: [UInt8]) throws -> Int
}

extension FuzzTarget {
  static var largestInput: Int { 4096 }
  var words: [String] { [] }
}

/// A wrong answer.
struct Finding: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

func expect(_ condition: Bool, _ text: @autoclosure () -> String) throws {
  if !condition { throw Finding(text()) }
}

/// The kind of an input, from what was found in it.
struct Shape {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ part: Int) {
    value = (value ^ UInt64(truncatingIfNeeded: part)) &* 0x0000_0100_0000_01B3
  }

  mutating func add(_ text: String) { for byte in text.utf8 { add(Int(byte)) } }

  var kind: Int { Int(truncatingIfNeeded: value) }
}

/// The number of binary digits: numbers of the same magnitude are of one kind.
func magnitude(_ number: Int) -> Int { Int.bitWidth - number.leadingZeroBitCount }

/// Bytes as text, with U+FFFD for what isn't UTF-8.
func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
