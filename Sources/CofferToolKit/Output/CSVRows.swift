import Coffer
import Foundation

/// Rows as RFC 4180 has them, or with tabs instead of commas. The first line has the names.
///
/// NULL is an empty field, an empty text is `""`, and a blob is in base64.
struct CSVRows: RowFormat {
  private let columns: [String]
  private let separator: UInt8
  /// Whether numbers have all their digits, so that they are the same when they are read.
  private let isExact: Bool
  /// Whether texts that would be read as numbers have quotes, for each column.
  private let quotesNumbers: [Bool]
  private let output: ByteOutput
  /// Whether a field with the byte needs quotes.
  private let isSpecial: [Bool]

  /// - Parameter untyped: The columns in which a text can look like a number.
  init(
    _ columns: [String], separator: UInt8, isExact: Bool, untyped: Set<String> = [],
    to output: ByteOutput
  ) {
    self.columns = columns
    quotesNumbers = columns.map { untyped.contains($0) }
    self.separator = separator
    self.isExact = isExact
    self.output = output
    isSpecial = (0..<256).map { byte in
      let byte = UInt8(byte)
      if separator == 0x09 { return [0x09, 0x0A, 0x0D].contains(byte) }
      // Those of SQLite's shell, which are more than the necessary ones.
      return byte <= 0x20 || byte >= 0x7F || byte == separator
        || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
    }
  }

  func begin() {
    for (index, name) in columns.enumerated() {
      if index > 0 { output.append(separator) }
      var name = name
      name.withUTF8 { appendText($0) }
    }
    endLine()
  }

  func add(_ row: Row) throws {
    for index in columns.indices {
      if index > 0 { output.append(separator) }
      let isText = row.withUTF8(at: index) { text in
        guard let text else { return false }
        appendText(text, quotesNumbers: quotesNumbers[index])
        return true
      }
      if isText { continue }
      let isBlob = row.withUnsafeBytes(at: index) { bytes in
        guard let bytes else { return false }
        if bytes.isEmpty { output.append("\"\"") } else { output.appendBase64(bytes) }
        return true
      }
      if isBlob { continue }
      switch (row[index] as DatabaseValue).storage {
      case .int64(let number): output.appendNumber(number)
      case .double(let number):
        output.append(isExact ? ValueText.text(number) : ValueText.roundedText(number))
      case .null, .string, .blob: break
      }
    }
    endLine()
  }

  func end() {}

  private func endLine() {
    if separator != 0x09 { output.append(0x0D) }
    output.append(0x0A)
    output.flushIfFull()
  }

  /// Whether a text would be read as a number without quotes.
  private func looksLikeNumber(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = text.first, first < UInt8(ascii: ":") || first == UInt8(ascii: "I") else {
      return false
    }
    return NumberText.writtenInteger(text) != nil || NumberText.writtenReal(text) != nil
      || NumberText.infinity(text) != nil
  }

  private func appendText(_ text: UnsafeBufferPointer<UInt8>, quotesNumbers: Bool = false) {
    // A quote means something at the beginning only, where there are tabs.
    var needsQuotes =
      text.isEmpty || text.first == UInt8(ascii: "\"") || quotesNumbers && looksLikeNumber(text)
    isSpecial.withUnsafeBufferPointer { isSpecial in
      for byte in text where isSpecial[Int(byte)] {
        needsQuotes = true
        break
      }
    }
    guard needsQuotes else { return output.inParts(text) { output.buffer += $0 } }
    output.append(UInt8(ascii: "\""))
    output.inParts(text) { part in
      for byte in part {
        if byte == UInt8(ascii: "\"") { output.append(byte) }
        output.append(byte)
      }
    }
    output.append(UInt8(ascii: "\""))
  }
}
