/// Changes one value in a JSON text, and keeps the rest as written.
package enum JSONEditor {
  /// Returns the text with another value at a path.
  ///
  /// A missing member of an existing object is added at its end. If the object is missing, or the
  /// text is not JSON, the text is returned unchanged.
  /// - Parameter value: The value as JSON.
  @safe package static func setting(
    _ value: UnsafeRawBufferPointer, at path: UnsafeRawBufferPointer,
    in json: UnsafeRawBufferPointer
  ) -> String {
    if let range = JSONScanner.find(in: json, at: path) {
      return unsafe text(json[..<range.lowerBound], value, json[range.upperBound...])
    }
    guard let last = JSONPathBytes(path)?.lastKey,
      let object = unsafe JSONScanner.find(
        in: json, at: UnsafeRawBufferPointer(rebasing: path[..<last.start])),
      unsafe json[object.lowerBound] == UInt8(ascii: "{")
    else { return unsafe String(decoding: json, as: UTF8.self) }
    let end = object.upperBound - 1
    let isEmpty = unsafe json[object.lowerBound + 1..<end].allSatisfy {
      [0x20, 9, 10, 13].contains($0)
    }
    let name = unsafe quoted(UnsafeRawBufferPointer(rebasing: path[last.key]))
    let member =
      unsafe (isEmpty ? [] : [UInt8(ascii: ",")]) + name + [UInt8(ascii: ":")] + Array(value)
    return unsafe member.withUnsafeBytes { unsafe text(json[..<end], $0, json[end...]) }
  }

  /// Returns a path's name as a JSON text. Without quotes in the path, it can have any characters.
  @safe private static func quoted(_ name: UnsafeRawBufferPointer) -> [UInt8] {
    let quote = UInt8(ascii: "\"")
    let plain = unsafe [quote] + name + [quote]
    let isText = unsafe plain.withUnsafeBytes { JSONScanner.find(in: $0, at: "$") != nil }
    if isText { return plain }
    var escaped = [quote]
    for byte in unsafe Array(name) {
      switch byte {
      case quote, UInt8(ascii: "\\"): escaped += [UInt8(ascii: "\\"), byte]
      case 0..<0x20:
        let digits = String(byte, radix: 16)
        escaped += Array("\\u00\(digits.count < 2 ? "0" : "")\(digits)".utf8)
      default: escaped.append(byte)
      }
    }
    return escaped + [quote]
  }

  @safe private static func text(
    _ head: Slice<UnsafeRawBufferPointer>, _ middle: UnsafeRawBufferPointer,
    _ tail: Slice<UnsafeRawBufferPointer>
  ) -> String {
    var bytes: [UInt8] = []
    unsafe bytes.reserveCapacity(head.count + middle.count + tail.count)
    unsafe bytes += head
    unsafe bytes += middle
    unsafe bytes += tail
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension JSONPathBytes {
  /// The last step, if it is a name: the position of the step, and the bytes of the name.
  fileprivate var lastKey: (start: Int, key: Range<Int>)? {
    var position = start
    while let step = step(position) {
      guard step.next < end else { return step.index == nil ? (position, step.key) : nil }
      position = step.next
    }
    return nil
  }
}
