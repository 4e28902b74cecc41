import CofferVault

/// Finds one value in a JSON text without decoding the rest.
///
/// It reads the whole text, so that invalid JSON has no values. Of several members with the same
/// name, the first one counts.
@safe package struct JSONScanner {
  @safe private let bytes: UnsafeRawBufferPointer
  private let path: JSONPathBytes
  private var position = 0
  private var found: Range<Int>?

  /// Returns the value at a path, such as `$.address.city`, `$."two words"[0]` or `$`.
  ///
  /// Booleans become 1 and 0, objects and arrays their text.
  /// - Returns: NULL for `null`, for a missing value, and if the text is not JSON or the path is
  ///   invalid.
  @safe package static func value(
    in json: UnsafeRawBufferPointer, at path: UnsafeRawBufferPointer,
    _ numbers: JSONNumbers = .plain
  ) -> DatabaseValue {
    find(in: json, at: path).map {
      unsafe JSONFragment(UnsafeRawBufferPointer(rebasing: json[$0]))
    }?
    .databaseValue(numbers) ?? .null
  }

  /// Returns the range of the value at a path; nil if missing.
  @safe package static func find(
    in json: UnsafeRawBufferPointer, at path: UnsafeRawBufferPointer
  ) -> Range<Int>? {
    guard let path = JSONPathBytes(path) else { return nil }
    var scanner = JSONScanner(bytes: json, path: path)
    guard scanner.scanValue(path.start, depth: 0) else { return nil }
    scanner.skipSpace()
    return scanner.position == json.count ? scanner.found : nil
  }

  /// Returns the range of the value at a path; nil if missing.
  @safe package static func find(in json: UnsafeRawBufferPointer, at path: String) -> Range<Int>? {
    var path = path
    return path.withUTF8 { find(in: json, at: UnsafeRawBufferPointer($0)) }
  }

  /// Returns the values of an array, or the members of an object with their quoted names; nil for
  /// any other value.
  ///
  /// - Parameter json: A value found by `find(in:at:)`.
  @safe package static func members(
    of json: UnsafeRawBufferPointer
  ) -> [(key: Range<Int>?, value: Range<Int>)]? {
    var path = "$"
    return path.withUTF8 { path in
      guard let root = JSONPathBytes(UnsafeRawBufferPointer(path)) else { return nil }
      var scanner = JSONScanner(bytes: json, path: root)
      return scanner.scanMembers()
    }
  }

  @safe private init(bytes: UnsafeRawBufferPointer, path: JSONPathBytes) {
    self.bytes = unsafe bytes
    self.path = path
  }

  private mutating func scanMembers() -> [(key: Range<Int>?, value: Range<Int>)]? {
    skipSpace()
    guard position < bytes.count else { return nil }
    let isObject = bytes[position] == UInt8(ascii: "{")
    guard isObject || bytes[position] == UInt8(ascii: "[") else { return nil }
    let end = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
    position += 1
    var members: [(key: Range<Int>?, value: Range<Int>)] = []
    if scanEnd(end) { return members }
    repeat {
      var key: Range<Int>?
      skipSpace()
      if isObject {
        let start = position
        guard scanString() else { return nil }
        key = start..<position
        guard scanSeparator(UInt8(ascii: ":")) else { return nil }
        skipSpace()
      }
      let start = position
      guard scanValue(nil, depth: 1) else { return nil }
      members.append((key, start..<position))
    } while scanSeparator(UInt8(ascii: ","))
    return scanEnd(end) ? members : nil
  }

  // MARK: Values

  /// The maximum depth: deeper JSON is refused before the stack overflows.
  private static let maximumDepth = 1000

  /// - Parameter wanted: The position of the path's next step; nil for a value that is off the
  ///   path.
  private mutating func scanValue(_ wanted: Int?, depth: Int) -> Bool {
    skipSpace()
    guard depth < JSONScanner.maximumDepth, position < bytes.count else { return false }
    let start = position
    let isValue =
      switch bytes[position] {
      case UInt8(ascii: "{"): scanObject(wanted.flatMap(path.step), depth: depth)
      case UInt8(ascii: "["): scanArray(wanted.flatMap(path.step), depth: depth)
      case UInt8(ascii: "\""): scanString()
      case UInt8(ascii: "t"): scan("true")
      case UInt8(ascii: "f"): scan("false")
      case UInt8(ascii: "n"): scan("null")
      default: scanNumber()
      }
    if isValue, wanted == path.end { found = start..<position }
    return isValue
  }

  private mutating func scanObject(_ step: JSONPathBytes.Step?, depth: Int) -> Bool {
    position += 1
    if scanEnd(UInt8(ascii: "}")) { return true }
    var wanted = step
    repeat {
      skipSpace()
      let start = position
      guard scanString() else { return false }
      let key = start + 1..<position - 1
      guard scanSeparator(UInt8(ascii: ":")) else { return false }
      var next: Int?
      if let step = wanted, unsafe path.isKey(step, UnsafeRawBufferPointer(rebasing: bytes[key])) {
        next = step.next
        wanted = nil
      }
      guard scanValue(next, depth: depth + 1) else { return false }
    } while scanSeparator(UInt8(ascii: ","))
    return scanEnd(UInt8(ascii: "}"))
  }

  private mutating func scanArray(_ step: JSONPathBytes.Step?, depth: Int) -> Bool {
    position += 1
    if scanEnd(UInt8(ascii: "]")) { return true }
    var index = 0
    repeat {
      let next = step.flatMap { $0.index == index ? $0.next : nil }
      guard scanValue(next, depth: depth + 1) else { return false }
      index += 1
    } while scanSeparator(UInt8(ascii: ","))
    return scanEnd(UInt8(ascii: "]"))
  }

  private mutating func scanString() -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return false }
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return true
      case UInt8(ascii: "\\"): if !scanEscape() { return false }
      case 0..<0x20: return false
      default: break
      }
    }
    return false
  }

  private mutating func scanEscape() -> Bool {
    guard position < bytes.count else { return false }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return true
    case UInt8(ascii: "u"):
      guard bytes.count - position >= 4 else { return false }
      position += 4
      return unsafe bytes[position - 4..<position].allSatisfy { JSONFragment.hexDigit($0) != nil }
    default: return false
    }
  }

  private mutating func scanNumber() -> Bool {
    _ = scan(byte: UInt8(ascii: "-"))
    if !scan(byte: UInt8(ascii: "0")), !scanDigits() { return false }
    if scan(byte: UInt8(ascii: ".")), !scanDigits() { return false }
    if scan(byte: UInt8(ascii: "e")) || scan(byte: UInt8(ascii: "E")) {
      if !scan(byte: UInt8(ascii: "-")) { _ = scan(byte: UInt8(ascii: "+")) }
      return scanDigits()
    }
    return true
  }

  // MARK: Bytes

  private mutating func scanDigits() -> Bool {
    let start = position
    while position < bytes.count, (0x30...0x39).contains(bytes[position]) { position += 1 }
    return position > start
  }

  private mutating func scan(_ word: StaticString) -> Bool {
    // SAFETY: the UTF-8 of a literal, which is never freed.
    let word = unsafe UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    guard bytes.count - position >= word.count,
      unsafe bytes[position..<position + word.count].elementsEqual(word)
    else { return false }
    position += word.count
    return true
  }

  private mutating func scan(byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func scanSeparator(_ byte: UInt8) -> Bool {
    skipSpace()
    return scan(byte: byte)
  }

  private mutating func scanEnd(_ byte: UInt8) -> Bool { scanSeparator(byte) }

  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }
}
