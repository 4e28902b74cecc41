import CofferTestSupport

/// Changes inputs at random, in the same way for the same seed.
struct Mutator {
  private var random: SeededGenerator
  private let words: [[UInt8]]
  private let largest: Int

  /// Integers at the edges of their types, and what programs forget.
  private static let numbers: [UInt64] = [
    0, 1, 2, 3, 7, 8, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x1_0000, 0x7FFF_FFFF,
    0x8000_0000, 0xFFFF_FFFF, 0x1_0000_0000, 0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000, .max,
  ]

  init(seed: UInt64, words: [String], largest: Int) {
    random = SeededGenerator(state: seed)
    self.words = words.map { Array($0.utf8) }
    self.largest = largest
  }

  mutating func below(_ limit: Int) -> Int { limit > 1 ? Int(random.next() % UInt64(limit)) : 0 }

  /// Returns an input with one to eight changes.
  ///
  /// - Parameter other: Another input, of which parts are taken.
  mutating func mutated(_ input: [UInt8], _ other: [UInt8]) -> [UInt8] {
    var bytes = input
    for _ in 0...(below(4) == 0 ? below(8) : below(2)) { change(&bytes, other) }
    if bytes.count > largest { bytes.removeSubrange(largest...) }
    return bytes
  }

  private mutating func change(_ bytes: inout [UInt8], _ other: [UInt8]) {
    let place = below(bytes.count)
    switch below(12) {
    case 0, 1:
      if !bytes.isEmpty { bytes[place] ^= 1 << UInt8(below(8)) }
    case 2:
      if !bytes.isEmpty { bytes[place] = UInt8(below(256)) }
    case 3:
      if !bytes.isEmpty { bytes[place] = bytes[place] &+ UInt8(1 + below(16)) &- 8 }
    case 4, 5: putNumber(&bytes, at: place)
    case 6:
      if let word = words.isEmpty ? nil : words[below(words.count)] {
        bytes.insert(contentsOf: word, at: min(place, bytes.count))
      } else {
        putNumber(&bytes, at: place)
      }
    case 7: bytes.removeSubrange(part(of: bytes))
    case 8:
      let piece = Array(bytes[part(of: bytes)])
      for _ in 0..<(below(8) == 0 ? 1 + below(32) : 1) where bytes.count < largest {
        bytes.insert(contentsOf: piece, at: min(place, bytes.count))
      }
    case 9:
      let piece = other[part(of: other)]
      if below(2) == 0 {
        bytes.insert(contentsOf: piece, at: min(place, bytes.count))
      } else {
        let end = min(bytes.count, place + piece.count)
        bytes.replaceSubrange(min(place, end)..<end, with: piece.prefix(end - min(place, end)))
      }
    case 10:
      if below(4) == 0 { bytes.removeSubrange(place...) }
    default:
      guard bytes.count > 1 else { return }
      let second = below(bytes.count)
      bytes.swapAt(place, second)
    }
  }

  /// A range of mostly few bytes.
  private mutating func part(of bytes: [UInt8]) -> Range<Int> {
    let start = below(bytes.count)
    let limit = below(3) == 0 ? bytes.count : 16
    return start..<min(bytes.count, start + 1 + below(limit))
  }

  /// Replaces bytes by a number of 1, 2, 4 or 8 bytes in one of both orders.
  private mutating func putNumber(_ bytes: inout [UInt8], at place: Int) {
    let count = 1 << below(4)
    var number = Self.numbers[below(Self.numbers.count)]
    if below(4) == 0 { number = number &+ UInt64(below(16)) &- 8 }
    let isBig = below(2) == 0
    for index in 0..<count where place + index < bytes.count {
      let shift = UInt64(8 * (isBig ? count - 1 - index : index))
      bytes[place + index] = UInt8(truncatingIfNeeded: number >> shift)
    }
  }
}
