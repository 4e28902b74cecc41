import CofferVault
import FoundationEssentials

/// How numbers in JSON become database values.
package enum JSONNumbers: String, CaseIterable, Sendable {
  /// As integers and reals.
  case plain
  /// As the text of a `Decimal`, with all digits.
  case decimal
  /// As integers and reals, but integers above SQLite's as their text.
  case unsigned
}

/// The bytes of one JSON value found by ``JSONScanner``.
@safe struct JSONFragment {
  @safe private let bytes: UnsafeRawBufferPointer

  @safe init(_ bytes: UnsafeRawBufferPointer) { self.bytes = unsafe bytes }

  func databaseValue(_ numbers: JSONNumbers) -> DatabaseValue {
    switch unsafe bytes.first {
    case UInt8(ascii: "\""): string.databaseValue
    case UInt8(ascii: "t"): 1.databaseValue
    case UInt8(ascii: "f"): 0.databaseValue
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      unsafe String(decoding: bytes, as: UTF8.self).databaseValue
    case UInt8(ascii: "n"), nil: .null
    default: number(numbers)
    }
  }

  private var string: String {
    let text = unsafe UnsafeRawBufferPointer(rebasing: bytes.dropFirst().dropLast())
    guard unsafe text.contains(UInt8(ascii: "\\")) else {
      return unsafe String(decoding: text, as: UTF8.self)
    }
    return String(decoding: JSONFragment.unescaped(text), as: UTF8.self)
  }

  private func number(_ numbers: JSONNumbers) -> DatabaseValue {
    let text = unsafe String(decoding: bytes, as: UTF8.self)
    if numbers == .decimal {
      return Decimal.fromDatabaseValue(text.databaseValue)?.databaseValue ?? text.databaseValue
    }
    if let integer = Int64(text) { return integer.databaseValue }
    if numbers == .unsigned, let integer = UInt64(text) { return "\(integer)".databaseValue }
    return (Double(text) ?? 0).databaseValue
  }

  static func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case 0x30...0x39: UInt32(byte - 0x30)
    case 0x41...0x46: UInt32(byte - 0x41 + 10)
    case 0x61...0x66: UInt32(byte - 0x61 + 10)
    default: nil
    }
  }

  /// Returns the UTF-8 of a string's content; an unpaired surrogate becomes U+FFFD.
  @safe static func unescaped(_ text: UnsafeRawBufferPointer) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var position = 0
    while position < text.count {
      let byte = unsafe text[position]
      position += 1
      guard byte == UInt8(ascii: "\\"), position < text.count else {
        result.append(byte)
        continue
      }
      let escape = unsafe text[position]
      position += 1
      switch escape {
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0C)
      case UInt8(ascii: "n"): result.append(0x0A)
      case UInt8(ascii: "r"): result.append(0x0D)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "u"): result += String(Character(scalar(text, &position))).utf8
      default: result.append(escape)
      }
    }
    return result
  }

  /// Parses the scalar of four hexadecimal digits, or of a surrogate pair: two times four with `\u`
  /// between them.
  @safe private static func scalar(
    _ text: UnsafeRawBufferPointer, _ position: inout Int
  ) -> Unicode.Scalar {
    guard let unit = unit(text, position) else { return "\u{FFFD}" }
    position += 4
    if let scalar = Unicode.Scalar(unit) { return scalar }
    guard (0xD800..<0xDC00).contains(unit), text.count - position >= 6,
      unsafe text[position] == UInt8(ascii: "\\"), unsafe text[position + 1] == UInt8(ascii: "u"),
      let low = self.unit(text, position + 2), (0xDC00..<0xE000).contains(low)
    else { return "\u{FFFD}" }
    position += 6
    return Unicode.Scalar(0x1_0000 + (unit - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
  }

  @safe private static func unit(_ text: UnsafeRawBufferPointer, _ position: Int) -> UInt32? {
    guard text.count - position >= 4 else { return nil }
    var unit: UInt32 = 0
    for index in position..<position + 4 {
      guard let digit = unsafe hexDigit(text[index]) else { return nil }
      unit = unit << 4 | digit
    }
    return unit
  }
}
