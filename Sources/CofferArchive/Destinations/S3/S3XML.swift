#if S3
  /// Texts of elements in an object store's replies.
  ///
  /// It knows elements, attributes, the predefined entities and references to characters, which is
  /// what the stores write.
  struct S3XML {
    private let bytes: [UInt8]

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// Whether the reply ends with the end of this element.
    func endsWith(_ element: String) -> Bool {
      let end = Array("</\(element)>".utf8)
      var count = bytes.count
      while count > 0, bytes[count - 1] <= 0x20 { count -= 1 }
      return count >= end.count && bytes[(count - end.count)..<count].elementsEqual(end)
    }

    /// Returns the text of the first such element; nil if there is none.
    func text(_ element: String) -> String? {
      var position = 0
      return next(Array(element.utf8), from: &position)
    }

    /// Returns the texts of all such elements.
    func texts(_ element: String) -> [String] {
      let name = Array(element.utf8)
      var result: [String] = []
      var position = 0
      while let text = next(name, from: &position) { result.append(text) }
      return result
    }

    private func next(_ name: [UInt8], from position: inout Int) -> String? {
      while let start = index(of: UInt8(ascii: "<"), from: position) {
        position = start + 1
        let end = position + name.count
        guard end < bytes.count, bytes[position..<end].elementsEqual(name) else { continue }
        let sign = bytes[end]
        guard sign == UInt8(ascii: ">") || sign == UInt8(ascii: "/") || sign <= 0x20 else {
          continue
        }
        guard let close = index(of: UInt8(ascii: ">"), from: end) else { return nil }
        position = close + 1
        if bytes[close - 1] == UInt8(ascii: "/") { return "" }
        // An element that has others has no text.
        guard let next = index(of: UInt8(ascii: "<"), from: position) else { return nil }
        defer { position = next }
        guard next + 1 < bytes.count, bytes[next + 1] == UInt8(ascii: "/") else { continue }
        return S3XML.decoded(bytes[position..<next])
      }
      return nil
    }

    private func index(of byte: UInt8, from start: Int) -> Int? {
      bytes[min(start, bytes.count)...].firstIndex(of: byte)
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
      guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
      let pieces = String(decoding: bytes, as: UTF8.self).split(
        separator: "&", omittingEmptySubsequences: false)
      var result = String(pieces[0])
      for piece in pieces.dropFirst() {
        guard let end = piece.firstIndex(of: ";"), let sign = entity(piece[..<end]) else {
          result += "&" + piece
          continue
        }
        result.unicodeScalars.append(sign)
        result += piece[piece.index(after: end)...]
      }
      return result
    }

    private static func entity(_ name: Substring) -> Unicode.Scalar? {
      switch name {
      case "lt": "<"
      case "gt": ">"
      case "amp": "&"
      case "quot": "\""
      case "apos": "'"
      default:
        if name.hasPrefix("#x") {
          UInt32(name.dropFirst(2), radix: 16).flatMap { Unicode.Scalar($0) }
        } else if name.hasPrefix("#") {
          UInt32(name.dropFirst()).flatMap { Unicode.Scalar($0) }
        } else {
          nil
        }
      }
    }
  }
#endif
