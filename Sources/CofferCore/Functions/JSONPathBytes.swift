/// A JSON path, such as `$.address."street 2"[0]`.
@safe struct JSONPathBytes {
  /// A name or an index.
  struct Step {
    /// The bytes of the name as written; empty for an index.
    var key: Range<Int>
    /// The index; nil for a name.
    var index: Int?
    /// The position of the next step.
    var next: Int
  }

  @safe private let bytes: UnsafeRawBufferPointer

  /// - Returns: Nil for an invalid path.
  @safe init?(_ bytes: UnsafeRawBufferPointer) {
    guard unsafe bytes.first == UInt8(ascii: "$") else { return nil }
    self.bytes = unsafe bytes
    var position = start
    while position < end {
      guard let step = step(position) else { return nil }
      position = step.next
    }
  }

  /// The position after the `$`.
  var start: Int { 1 }
  var end: Int { bytes.count }

  /// Returns the step at a position; nil at the end.
  func step(_ position: Int) -> Step? {
    guard position < end else { return nil }
    return switch bytes[position] {
    case UInt8(ascii: "."): keyStep(position + 1)
    case UInt8(ascii: "["): indexStep(position + 1)
    default: nil
    }
  }

  private func keyStep(_ start: Int) -> Step? {
    guard start < end, bytes[start] == UInt8(ascii: "\"") else {
      var position = start
      while position < end, bytes[position] != UInt8(ascii: "."),
        bytes[position] != UInt8(ascii: "[")
      {
        position += 1
      }
      return position > start ? Step(key: start..<position, index: nil, next: position) : nil
    }
    var position = start + 1
    while position < end, bytes[position] != UInt8(ascii: "\"") {
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard position < end else { return nil }
    return Step(key: start + 1..<position, index: nil, next: position + 1)
  }

  private func indexStep(_ start: Int) -> Step? {
    var index = 0
    var position = start
    while position < end, (0x30...0x39).contains(bytes[position]) {
      guard index < 1_000_000_000 else { return nil }
      index = index * 10 + Int(bytes[position] - 0x30)
      position += 1
    }
    guard position > start, position < end, bytes[position] == UInt8(ascii: "]") else {
      return nil
    }
    return Step(key: start..<start, index: index, next: position + 1)
  }

  /// Returns whether a step matches a member's name, as Swift compares strings; both can contain
  /// escapes.
  @safe func isKey(_ step: Step, _ name: UnsafeRawBufferPointer) -> Bool {
    guard step.index == nil else { return false }
    let key = unsafe UnsafeRawBufferPointer(rebasing: bytes[step.key])
    if key.count == name.count, unsafe key.elementsEqual(name) { return true }
    // Other bytes can only stand for the same text with an escape or beyond ASCII.
    func isPlain(_ byte: UInt8) -> Bool { byte < 0x80 && byte != UInt8(ascii: "\\") }
    guard unsafe !(key.allSatisfy(isPlain) && name.allSatisfy(isPlain)) else { return false }
    return String(decoding: JSONFragment.unescaped(key), as: UTF8.self)
      == String(decoding: JSONFragment.unescaped(name), as: UTF8.self)
  }
}
