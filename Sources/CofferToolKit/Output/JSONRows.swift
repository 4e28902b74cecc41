import Coffer
import Foundation

/// Rows as JSON: an array of objects, or an object a line. Blobs are in base64.
struct JSONRows: RowFormat {
  private let isArray: Bool
  /// Whether a text that isn't UTF-8 is an error; else its other bytes become U+FFFD.
  private let isExact: Bool
  private let output: ByteOutput
  /// The names, each with what comes before and after it in an object.
  private let keys: [[UInt8]]
  private var isFirst = true

  init(_ columns: [String], isArray: Bool, isExact: Bool = false, to output: ByteOutput) {
    self.isArray = isArray
    self.isExact = isExact
    self.output = output
    keys = columns.enumerated().map { index, name in
      Array((index == 0 ? "{" : ",").utf8) + Array(JSONRows.quoted(name).utf8)
        + [UInt8(ascii: ":")]
    }
  }

  func begin() {
    if isArray { output.append(UInt8(ascii: "[")) }
  }

  mutating func add(_ row: Row) throws {
    if isArray, !isFirst { output.append(UInt8(ascii: ",")) }
    isFirst = false
    for (index, key) in keys.enumerated() {
      output.buffer += key
      let isText = try row.withUTF8(at: index) { text in
        guard let text else { return false }
        if isExact, text.contains(where: { $0 >= 0x80 }),
          String(validating: text, as: UTF8.self) == nil
        {
          throw ToolError(
            .failed, "a text isn't UTF-8, which JSON needs. coffer dump keeps it as it is")
        }
        Self.append(text, to: output)
        return true
      }
      if isText { continue }
      let isBlob = row.withUnsafeBytes(at: index) { bytes in
        guard let bytes else { return false }
        output.append(UInt8(ascii: "\""))
        output.appendBase64(bytes)
        output.append(UInt8(ascii: "\""))
        return true
      }
      if isBlob { continue }
      switch (row[index] as DatabaseValue).storage {
      case .null: output.append("null")
      case .int64(let number): output.appendNumber(number)
      case .double(let number):
        // JSON has no infinity; a number that is too large is read as one.
        let infinity = number < 0 ? "-9.0e+999" : "9.0e+999"
        output.append(number.isInfinite ? infinity : ValueText.text(number))
      case .string, .blob: break
      }
    }
    output.append(UInt8(ascii: "}"))
    if !isArray { output.append(0x0A) }
    output.flushIfFull()
  }

  func end() {
    if isArray { output.append("]\n") }
  }

  /// A text as JSON.
  static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    let output = ByteOutput(sink: { bytes += $0 })
    var text = text
    text.withUTF8 { append($0, to: output) }
    return String(decoding: bytes + output.buffer, as: UTF8.self)
  }

  private static func append(_ text: UnsafeBufferPointer<UInt8>, to output: ByteOutput) {
    output.append(UInt8(ascii: "\""))
    if text.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C || $0 >= 0x7F }) {
      // Invalid bytes become U+FFFD, since JSON is UTF-8.
      if text.contains(where: { $0 >= 0x80 }), String(validating: text, as: UTF8.self) == nil {
        var repaired = String(decoding: text, as: UTF8.self)
        repaired.withUTF8 { appendEscaped($0, to: output) }
      } else {
        appendEscaped(text, to: output)
      }
    } else {
      output.inParts(text) { output.buffer += $0 }
    }
    output.append(UInt8(ascii: "\""))
  }

  private static func appendEscaped(_ text: UnsafeBufferPointer<UInt8>, to output: ByteOutput) {
    output.inParts(text) { part in
      for byte in part {
        switch byte {
        case 0x22: output.append("\\\"")
        case 0x5C: output.append("\\\\")
        case 0x0A: output.append("\\n")
        case 0x0D: output.append("\\r")
        case 0x09: output.append("\\t")
        case 0x08: output.append("\\b")
        case 0x0C: output.append("\\f")
        case ..<0x20, 0x7F:
          output.append("\\u00")
          output.appendHex([byte])
        default: output.append(byte)
        }
      }
    }
  }
}
