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
    var paragraph = ControlParagraph()
    var isInField = false
    let start = position
    while let range = try nextLine() {
      guard range.upperBound - start <= Self.longestParagraph else { throw ParagraphTooLong() }
      let line = buffer[range]
      let text = line.trimmed
      if text.isEmpty {
        if paragraph.fields.isEmpty { continue } else { break }
      }
      switch line.first {
      case UInt8(ascii: "#"): continue
      case UInt8(ascii: " "), UInt8(ascii: "\t"):
        if isInField { paragraph.fields[paragraph.fields.count - 1].lines.append(string(text)) }
      default: isInField = paragraph.addField(line)
      }
    }
    return paragraph.fields.isEmpty ? nil : paragraph
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
  /// The fields' names in lower case, and their lines without white space at their ends.
  fileprivate(set) var fields: [(name: String, lines: [String])] = []

  /// Adds the field that begins in a line; returns false if none does.
  fileprivate mutating func addField(_ line: ArraySlice<UInt8>) -> Bool {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
      !line[..<colon].contains(where: isSpace)
    else { return false }
    fields.append((string(line[..<colon]).lowercased(), [string(line[(colon + 1)...].trimmed)]))
    return true
  }

  /// Returns the lines of a field; nil if there is no such field.
  ///
  /// Field names are case-insensitive. If a field occurs twice, the first one counts. Bytes that
  /// aren't UTF-8 become U+FFFD.
  func lines(_ name: String) -> [String]? {
    let name = name.lowercased()
    return fields.first { $0.name == name }?.lines
  }

  /// Returns the lines of a field joined by spaces; nil if there is no such field or it is empty.
  func text(_ name: String) -> String? {
    guard let lines = lines(name) else { return nil }
    let text = lines.count == 1 ? lines[0] : lines.filter { !$0.isEmpty }.joined(separator: " ")
    return text.isEmpty ? nil : text
  }
}

private func string(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

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
