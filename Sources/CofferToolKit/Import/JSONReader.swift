import Coffer
import Glibc

/// A value of an imported object.
enum JSONValue {
  case null, bool(Bool), integer(Int64), text(String)
  /// Another number, as it is written.
  case number(String)
  /// An array or an object, as it is written.
  case nested(String)
}

/// Reads the objects of a JSON array, or of a text with an object a line.
struct JSONReader {
  private let bytes: [UInt8]
  private var position = 0
  private var currentLine = 1
  /// The line on which the last object began, from 1.
  private(set) var line = 1
  private var isFirst = true
  private let isArray: Bool

  var bytesConsumed: Int { position }

  /// - Parameter isArray: Whether the text is one array; else it has an object a line.
  init(_ bytes: [UInt8], isArray: Bool) {
    self.bytes = bytes
    self.isArray = isArray
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// Reads the next object; returns nil at the end.
  mutating func next() throws -> [(name: String, value: JSONValue)]? {
    if position == 0 { try ByteSource.refuseUTF16(bytes) }
    skipSpace()
    if isArray {
      if isFirst {
        guard take("[") else { throw refusal("an array of objects begins with [") }
        skipSpace()
      }
      if take("]") {
        skipSpace()
        guard position == bytes.count else { throw refusal("there is more after the array") }
        return nil
      }
      if !isFirst {
        guard take(",") else { throw refusal("a comma is missing between two objects") }
        skipSpace()
      }
    } else if position == bytes.count {
      return nil
    }
    isFirst = false
    line = currentLine
    return try object()
  }

  private mutating func object() throws -> [(name: String, value: JSONValue)] {
    guard take("{") else { throw refusal("an object begins with {") }
    var members: [(name: String, value: JSONValue)] = []
    skipSpace()
    if take("}") { return members }
    while true {
      skipSpace()
      guard peek == UInt8(ascii: "\"") else {
        throw refusal("a member begins with its name in quotes")
      }
      let name = try string()
      skipSpace()
      guard take(":") else { throw refusal("a colon is missing after a name") }
      skipSpace()
      members.append((name, try value()))
      skipSpace()
      if take("}") { return members }
      guard take(",") else { throw refusal("a comma or } is missing after a value") }
    }
  }

  private mutating func value() throws -> JSONValue {
    if let byte = peek, byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
      return .nested(try nested())
    }
    return try scalar()
  }

  private mutating func scalar() throws -> JSONValue {
    switch peek {
    case UInt8(ascii: "\""): return .text(try string())
    case UInt8(ascii: "t") where take("true"): return .bool(true)
    case UInt8(ascii: "f") where take("false"): return .bool(false)
    case UInt8(ascii: "n") where take("null"): return .null
    default: return try number()
    }
  }

  private mutating func number() throws -> JSONValue {
    let start = position
    while let byte = peek, NumberText.isNumberByte(byte) { position += 1 }
    guard Self.isNumber(bytes[start..<position]) else { throw refusal("this is no value") }
    let number = bytes.withUnsafeBufferPointer {
      NumberText.integer(UnsafeBufferPointer(rebasing: $0[start..<position]))
    }
    if let number { return .integer(number) }
    return .number(String(decoding: bytes[start..<position], as: UTF8.self))
  }

  /// Whether the bytes are a number of JSON, which begins with no plus sign and no further zero,
  /// and has digits on both sides of its point.
  private static func isNumber(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    func skipDigits() -> Int {
      let count = rest.prefix { (0x30...0x39).contains($0) }.count
      rest = rest.dropFirst(count)
      return count
    }
    if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
    let hasLeadingZero = rest.first == UInt8(ascii: "0")
    let count = skipDigits()
    guard count == 1 || count > 1 && !hasLeadingZero else { return false }
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      guard skipDigits() > 0 else { return false }
    }
    if let letter = rest.first, letter | 0x20 == UInt8(ascii: "e") {
      rest = rest.dropFirst()
      if let sign = rest.first, sign == 0x2B || sign == 0x2D { rest = rest.dropFirst() }
      guard skipDigits() > 0 else { return false }
    }
    return rest.isEmpty
  }

  /// Reads an array or an object, and returns it as it is written.
  private mutating func nested() throws -> String {
    let start = position
    var open: [UInt8] = []
    repeat {
      skipSpace()
      guard let byte = peek else { throw refusal("an array or object has no end") }
      let isArray = byte == UInt8(ascii: "[")
      if isArray || byte == UInt8(ascii: "{") {
        open.append(byte)
        position += 1
        skipSpace()
        if take(isArray ? "]" : "}") { open.removeLast() } else { try name(in: open); continue }
      } else {
        _ = try scalar()
      }
      // What follows a value: the end of what it is in, or the next one.
      while let container = open.last {
        skipSpace()
        if take(container == UInt8(ascii: "[") ? "]" : "}") {
          open.removeLast()
        } else {
          guard take(",") else { throw refusal("a comma is missing after a value") }
          try name(in: open)
          break
        }
      }
    } while !open.isEmpty
    guard let text = String(validating: bytes[start..<position], as: UTF8.self) else {
      throw refusal("a text is not UTF-8")
    }
    return text
  }

  /// Reads the name and the colon before a value, if it is in an object.
  private mutating func name(in open: [UInt8]) throws {
    guard open.last == UInt8(ascii: "{") else { return }
    skipSpace()
    guard peek == UInt8(ascii: "\"") else {
      throw refusal("a member begins with its name in quotes")
    }
    _ = try string()
    skipSpace()
    guard take(":") else { throw refusal("a colon is missing after a name") }
  }

  private mutating func string() throws -> String {
    position += 1
    let start = position
    while let byte = peek, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
      position += 1
    }
    if take("\"") {
      let text = bytes.withUnsafeBufferPointer {
        String(
          validating: UnsafeBufferPointer(rebasing: $0[start..<position - 1]), as: UTF8.self)
      }
      guard let text else { throw refusal("a text is not UTF-8") }
      return text
    }
    var text = Array(bytes[start..<position])
    while let byte = peek, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else {
        throw refusal("a text has a line end or a control character in it")
      }
      position += 1
      if byte == UInt8(ascii: "\\") { try escape(&text) } else { text.append(byte) }
    }
    guard take("\"") else { throw refusal("a quote is never closed") }
    guard let result = String(validating: text, as: UTF8.self) else {
      throw refusal("a text is not UTF-8")
    }
    return result
  }

  private mutating func escape(_ text: inout [UInt8]) throws {
    guard let byte = peek else { throw refusal("a text has no end") }
    position += 1
    switch byte {
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "u"):
      var code = try hex()
      if (0xD800..<0xDC00).contains(code), take("\\u") {
        let low = try hex()
        guard (0xDC00..<0xE000).contains(low) else { throw refusal("half of a surrogate pair") }
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw refusal("half of a surrogate pair") }
      text += String(Character(scalar)).utf8
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    default: throw refusal("an escape that JSON doesn't have")
    }
  }

  private mutating func hex() throws -> UInt32 {
    let digits = bytes[position...].prefix(4)
    // A sign would be taken for a part of the number.
    guard digits.count == 4, digits.first != 0x2B, digits.first != 0x2D,
      let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw refusal("\\u needs four hexadecimal digits") }
    position += 4
    return code
  }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func take(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard position + count <= bytes.count else { return false }
    for index in 0..<count where bytes[position + index] != text.utf8Start[index] { return false }
    position += count
    return true
  }

  private mutating func skipSpace() {
    while let byte = peek, byte <= 0x20 {
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
      if byte == 0x0A { currentLine += 1 }
      position += 1
    }
  }

  private func refusal(_ reason: String) -> ToolError {
    ToolError(.failed, "line \(currentLine): \(reason). Nothing was imported")
  }
}
