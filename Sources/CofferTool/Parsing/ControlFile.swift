import Glibc

/// Reads the paragraphs of a Debian control file (`man 5 deb822`) of any size.
///
/// Lines that are neither fields, continuations nor comments are skipped: the file is read, not
/// validated.
struct ControlFileReader {
  /// The maximum size of a paragraph in bytes. A file with a longer one is no control file.
  static let longestParagraph = 16 << 20

  private let source: ByteSource
  private var buffer: [UInt8] = []
  private var position = 0
  private var isAtEnd = false

  /// The number of bytes read from the source.
  private var bytesRead = 0

  /// The number of bytes of the paragraphs so far.
  var bytesConsumed: Int { bytesRead - (buffer.count - position) }

  init(_ source: ByteSource) {
    self.source = source
  }

  /// Returns the next paragraph that has a field; nil at the end.
  /// - Throws: The errors of the source, and ``ParagraphTooLong``.
  mutating func next() throws -> ControlParagraph? {
    forgetWhatWasRead()
    var fields: [ControlParagraph.Field] = []
    var isInField = false
    let start = position
    while let line = try nextLine() {
      guard line.upperBound - start <= Self.longestParagraph else { throw ParagraphTooLong() }
      if isBlank(line) {
        if fields.isEmpty { continue } else { break }
      }
      switch buffer[line.lowerBound] {
      case UInt8(ascii: "#"):
        continue
      case UInt8(ascii: " "), UInt8(ascii: "\t"):
        if isInField {
          fields[fields.count - 1].value =
            fields[fields.count - 1].value.lowerBound..<line.upperBound
        }
      default:
        let field = field(in: line)
        isInField = field != nil
        if let field { fields.append(field) }
      }
    }
    return fields.isEmpty ? nil : ControlParagraph(bytes: buffer, fields: fields)
  }

  /// Returns the next line without its line break. The range is valid until the next paragraph.
  private mutating func nextLine() throws -> Range<Int>? {
    var searched = position
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n"), from: searched) {
        defer { position = end + 1 }
        return position..<end
      }
      searched = buffer.count
      if !isAtEnd {
        isAtEnd = try !source.readChunk(&buffer)
        bytesRead += buffer.count - searched
        guard buffer.count - position <= Self.longestParagraph else { throw ParagraphTooLong() }
        continue
      }
      guard position < buffer.count else { return nil }
      defer { position = buffer.count }
      return position..<buffer.count
    }
  }

  private mutating func forgetWhatWasRead() {
    // Not for each paragraph, since this moves the rest of the chunk.
    guard position > 1 << 15 else { return }
    buffer.removeFirst(position)
    position = 0
  }

  private func isBlank(_ line: Range<Int>) -> Bool {
    line.allSatisfy { isSpace(buffer[$0]) }
  }

  private func field(in line: Range<Int>) -> ControlParagraph.Field? {
    guard let colon = buffer.firstIndex(of: UInt8(ascii: ":"), from: line.lowerBound),
      colon > line.lowerBound, colon < line.upperBound
    else { return nil }
    let name = line.lowerBound..<colon
    guard !name.contains(where: { isSpace(buffer[$0]) }) else { return nil }
    return ControlParagraph.Field(name: name, value: colon + 1..<line.upperBound)
  }
}

/// The error of a paragraph that is too long for a control file.
struct ParagraphTooLong: Error, CustomStringConvertible {
  var description: String {
    "a paragraph has more than \(ControlFileReader.longestParagraph >> 20) MiB: that is no list "
      + "of packages"
  }
}

/// The fields of one paragraph.
struct ControlParagraph {
  struct Field {
    var name: Range<Int>
    var value: Range<Int>
  }

  fileprivate let bytes: [UInt8]
  fileprivate let fields: [Field]

  /// Returns the lines of a field, without white space at their ends; nil if there is no such
  /// field.
  ///
  /// Field names are case-insensitive. If a field occurs twice, the first one counts. Bytes that
  /// aren't UTF-8 become U+FFFD.
  func lines(_ name: StaticString) -> [String]? {
    guard let value = value(name) else { return nil }
    var lines: [String] = []
    var start = value.lowerBound
    while start <= value.upperBound {
      let found = bytes.firstIndex(of: UInt8(ascii: "\n"), from: start) ?? value.upperBound
      let line = bytes[start..<min(found, value.upperBound)]
      if lines.isEmpty || line.first != UInt8(ascii: "#") {
        lines.append(String(decoding: line.trimmed, as: UTF8.self))
      }
      start += line.count + 1
    }
    return lines
  }

  /// Returns the lines of a field joined by spaces; nil if there is no such field or it is empty.
  func text(_ name: StaticString) -> String? {
    guard let lines = lines(name) else { return nil }
    let text = lines.count == 1 ? lines[0] : lines.filter { !$0.isEmpty }.joined(separator: " ")
    return text.isEmpty ? nil : text
  }

  private func value(_ name: StaticString) -> Range<Int>? {
    name.withUTF8Buffer { name in
      bytes.withUnsafeBytes { bytes in
        fields.first { field in
          field.name.count == name.count
            && strncasecmp(
              bytes.baseAddress! + field.name.lowerBound, name.baseAddress!, name.count) == 0
        }?.value
      }
    }
  }
}

private func isSpace(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
}

extension ArraySlice<UInt8> {
  fileprivate var trimmed: ArraySlice<UInt8> {
    guard let first = firstIndex(where: { !isSpace($0) }),
      let last = lastIndex(where: { !isSpace($0) })
    else { return [] }
    return self[first...last]
  }
}

extension [UInt8] {
  /// Returns the index of the first such byte at or after `start`, found by `memchr`.
  fileprivate func firstIndex(of byte: UInt8, from start: Int) -> Int? {
    withUnsafeBytes { bytes in
      guard start < bytes.count, let base = bytes.baseAddress,
        let found = memchr(base + start, CInt(byte), bytes.count - start)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }
}
