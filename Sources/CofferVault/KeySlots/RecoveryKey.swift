import CofferSQLite

/// A random key that a person writes down, for the day when all others are lost.
///
/// It has 160 random bits in eight groups of five characters, such as `7K2MQ-…`. The last character
/// of each group is a checksum, so that a mistyped group is named. Case, spaces and dashes don't
/// matter, O is read as 0, and I and L as 1.
public struct RecoveryKey: Sendable {
  static let groupCount = 8
  static let groupSize = 5

  let bytes: SecureBytes

  /// Takes a random key.
  init() {
    bytes = SecureBytes(count: 20) { unsafe fillWithRandomBytes($0) }
  }

  init(bytes: SecureBytes) {
    precondition(bytes.count == 20)
    self.bytes = bytes
  }

  /// The key to write down. It isn't stored anywhere.
  public var text: String {
    // 160 bits are 32 characters of five bits; each fourth is followed by the checksum.
    var text = ""
    var index = 0
    var group: [UInt8] = []
    for value in bytes.withUnsafeBytes(Self.fiveBitValues) {
      group.append(value)
      guard group.count == Self.groupSize - 1 else { continue }
      if index > 0 { text.append("-") }
      for value in group + [Self.checksum(of: group, index: index)] {
        text.unicodeScalars.append(UnicodeScalar(Self.digits[Int(value)]))
      }
      group = []
      index += 1
    }
    return text
  }

  /// Reads a key that a person typed, in UTF-8.
  static func parse(_ text: SecureBytes) throws(KeySlotsError) -> SecureBytes {
    var values: [UInt8] = []
    defer { for index in values.indices { values[index] = 0 } }
    text.withUnsafeBytes { text in
      for index in text.indices {
        let character = unsafe text[index]
        if character == 0x2D || character == 0x20 || character == 0x0A || character == 0x0D {
          continue
        }
        values.append(value(of: character) ?? 0xFF)
      }
    }
    guard values.count == groupCount * groupSize else { throw .incompleteRecoveryKey }
    for index in 0..<groupCount {
      let group = Array(values[(index * groupSize)..<((index + 1) * groupSize)])
      guard !group.contains(0xFF),
        checksum(of: Array(group.dropLast()), index: index) == group[groupSize - 1]
      else { throw .mistypedRecoveryKey(group: index + 1) }
    }
    return SecureBytes(count: 20) { target in
      var bits = 0
      var buffer: UInt32 = 0
      var offset = 0
      for (index, value) in values.enumerated() where index % groupSize != groupSize - 1 {
        buffer = buffer << 5 | UInt32(value)
        bits += 5
        guard bits >= 8 else { continue }
        bits -= 8
        unsafe target[offset] = UInt8(truncatingIfNeeded: buffer >> UInt32(bits))
        offset += 1
      }
    }
  }

  // MARK: Characters

  /// Digits and letters without I, L, O and U, which are mistaken for others.
  private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  private static func value(of character: UInt8) -> UInt8? {
    let upper = (0x61...0x7A).contains(character) ? character - 0x20 : character
    switch upper {
    case UInt8(ascii: "O"): return 0
    case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
    default: return digits.firstIndex(of: upper).map { UInt8($0) }
    }
  }

  @safe private static func fiveBitValues(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
    (0..<(bytes.count * 8 / 5)).map { index in
      let (byte, shift) = (index * 5 / 8, index * 5 % 8)
      let next = unsafe byte + 1 < bytes.count ? bytes[byte + 1] : 0
      let pair = unsafe UInt16(bytes[byte]) << 8 | UInt16(next)
      return UInt8(truncatingIfNeeded: pair >> UInt16(11 - shift)) & 31
    }
  }

  /// A checksum over the field of 32 elements.
  ///
  /// Each character has another factor, and each group another constant: one wrong character, two
  /// that changed places, and two groups that changed places are all noticed.
  private static func checksum(of group: [UInt8], index: Int) -> UInt8 {
    var sum = UInt8(index + 1)
    for value in group { sum = timesX(sum ^ value) }
    return sum
  }

  /// Multiplies by x modulo x⁵ + x² + 1.
  private static func timesX(_ value: UInt8) -> UInt8 {
    let shifted = value << 1
    return shifted & 32 == 0 ? shifted : (shifted ^ 0b100101)
  }
}

extension RecoveryKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Always `RecoveryKey(redacted)`.
  public var description: String { "RecoveryKey(redacted)" }

  /// Always `RecoveryKey(redacted)`.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
