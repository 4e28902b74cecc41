/// Changes one value in a JSON text, and leaves the rest as it is written.
package enum JSONEditor {
  /// The text with the value at a path.
  ///
  /// A member that an object lacks is added at its end. Where there is no such object, and where
  /// the text is no JSON, nothing is changed.
  /// - Parameter value: JSON.
  package static func setting(
    _ value: UnsafeRawBufferPointer, at path: UnsafeRawBufferPointer,
    in json: UnsafeRawBufferPointer
  ) -> String {
    if let range = JSONScanner.find(in: json, at: path) {
      return text(json[..<range.lowerBound], value, json[range.upperBound...])
    }
    guard let last = JSONPathBytes(path)?.lastKey,
      let object = JSONScanner.find(
        in: json, at: UnsafeRawBufferPointer(rebasing: path[..<last.start])),
      json[object.lowerBound] == UInt8(ascii: "{")
    else { return String(decoding: json, as: UTF8.self) }
    let end = object.upperBound - 1
    let isEmpty = json[object.lowerBound + 1..<end].allSatisfy { [0x20, 9, 10, 13].contains($0) }
    let member =
      Array((isEmpty ? "\"" : ",\"").utf8) + path[last.key] + Array("\":".utf8) + Array(value)
    return member.withUnsafeBytes { text(json[..<end], $0, json[end...]) }
  }

  private static func text(
    _ head: Slice<UnsafeRawBufferPointer>, _ middle: UnsafeRawBufferPointer,
    _ tail: Slice<UnsafeRawBufferPointer>
  ) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(head.count + middle.count + tail.count)
    bytes += head
    bytes += middle
    bytes += tail
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension JSONPathBytes {
  /// The last step, if it is a name: where it begins, and the name's bytes.
  fileprivate var lastKey: (start: Int, key: Range<Int>)? {
    var position = start
    while let step = step(position) {
      guard step.next < end else { return step.index == nil ? (position, step.key) : nil }
      position = step.next
    }
    return nil
  }
}
