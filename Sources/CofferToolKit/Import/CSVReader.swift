import Coffer

/// Reads the records of RFC 4180, or of the same with tabs, from a stream of bytes.
///
/// The bytes are looked at in the buffer: a field is a range of it until the next record is read.
struct CSVReader {
  /// A field of the current record.
  struct Field {
    var start: Int
    var end: Int
    /// Whether the field was in quotes: an empty field without them is NULL.
    var isQuoted: Bool
  }

  private let source: ByteSource
  private let separator: UInt8
  private var buffer: [UInt8] = []
  private var position = 0
  private var isAtEnd = false
  /// The bytes that the buffer no longer has.
  private var dropped = 0
  /// The line on which the current record begins, from 1.
  private(set) var line = 1
  private var nextLine = 1
  private(set) var fields: [Field] = []

  /// The number of bytes that have been read.
  var bytesConsumed: Int { dropped + position }

  init(_ source: ByteSource, separator: UInt8) throws {
    self.source = source
    self.separator = separator
    while buffer.count < 3, !isAtEnd { isAtEnd = try !source.readChunk(&buffer) }
    try ByteSource.refuseUTF16(buffer)
    if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// The bytes of a field of the current record.
  @inline(__always)
  func withBytes<Result>(
    of field: Field, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    try buffer.withUnsafeBufferPointer {
      try body(UnsafeBufferPointer(rebasing: $0[field.start..<field.end]))
    }
  }

  /// The text of a field; nil if it isn't UTF-8.
  func text(_ field: Field) -> String? {
    String(validating: buffer[field.start..<field.end], as: UTF8.self)
  }

  /// Reads the next record; returns false at the end.
  ///
  /// - Throws: ``ToolError`` with the number of the line for a quote without an end.
  mutating func next() throws -> Bool {
    while true {
      line = nextLine
      switch scan() {
      case .record: return true
      case .end: return false
      case .needsMore: try refill()
      case .misplacedQuote(let line):
        throw ToolError(
          .failed,
          "line \(line): a quote inside a field that doesn't begin with one, or text after a closing "
            + "quote. Quote the field, and double the quotes in it")
      case .openQuote:
        throw ToolError(
          .failed, "line \(line): a quote is never closed. Close it, or double it inside a field")
      }
    }
  }

  private enum Scan {
    case record, end, needsMore, openQuote
    case misplacedQuote(line: Int)
  }

  private mutating func refill() throws {
    if position > 0 {
      buffer.removeSubrange(..<position)
      dropped += position
      position = 0
    }
    // At least twice as much each time, so that a long record isn't scanned often.
    let target = max(1 << 18, buffer.count * 2)
    while buffer.count < target, !isAtEnd { isAtEnd = try !source.readChunk(&buffer) }
  }

  /// Finds the fields of the record at `position`. Quotes are removed only once it is complete.
  private mutating func scan() -> Scan {
    fields.removeAll(keepingCapacity: true)
    var hasDoubledQuotes = false
    var lines = 0
    let quote = UInt8(ascii: "\"")
    let separator = separator
    let isAtEnd = isAtEnd
    var end = position
    let result = buffer.withUnsafeBufferPointer { bytes -> Scan in
      let count = bytes.count
      var index = position
      if index == count { return isAtEnd ? .end : .needsMore }
      while true {
        var field = Field(start: index, end: index, isQuoted: false)
        if index < count, bytes[index] == quote {
          index += 1
          field = Field(start: index, end: index, isQuoted: true)
          while true {
            guard index < count else { return isAtEnd ? .openQuote : .needsMore }
            let byte = bytes[index]
            if byte == quote {
              guard index + 1 < count || isAtEnd else { return .needsMore }
              if index + 1 < count, bytes[index + 1] == quote {
                hasDoubledQuotes = true
                index += 2
                continue
              }
              break
            }
            if byte == 0x0A { lines += 1 }
            index += 1
          }
          field.end = index
          index += 1
        } else {
          while index < count {
            let byte = bytes[index]
            if byte == separator || byte == 0x0A || byte == 0x0D { break }
            if byte == quote, separator != 0x09 { return .misplacedQuote(line: nextLine + lines) }
            index += 1
          }
          field.end = index
        }
        fields.append(field)
        guard index < count else {
          guard isAtEnd else { return .needsMore }
          end = index
          return .record
        }
        switch bytes[index] {
        case separator: index += 1
        case 0x0A:
          lines += 1
          end = index + 1
          return .record
        case 0x0D:
          guard index + 1 < count || isAtEnd else { return .needsMore }
          let isPair = index + 1 < count && bytes[index + 1] == 0x0A
          lines += 1
          end = index + (isPair ? 2 : 1)
          return .record
        default: return .misplacedQuote(line: nextLine + lines)
        }
      }
    }
    guard case .record = result else { return result }
    position = end
    nextLine += lines
    if hasDoubledQuotes { removeDoubledQuotes() }
    return .record
  }

  private mutating func removeDoubledQuotes() {
    for number in fields.indices where fields[number].isQuoted {
      var target = fields[number].start
      var index = target
      while index < fields[number].end {
        buffer[target] = buffer[index]
        index += buffer[index] == UInt8(ascii: "\"") ? 2 : 1
        target += 1
      }
      fields[number].end = target
    }
  }
}
