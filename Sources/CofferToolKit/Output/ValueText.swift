import Coffer
import Glibc

extension ByteOutput {
  func appendNumber(_ number: Int64) {
    var magnitude = number.magnitude
    if magnitude < 10 {
      if number < 0 { append(UInt8(ascii: "-")) }
      return append(UInt8(ascii: "0") + UInt8(magnitude))
    }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var index = 20
      while magnitude > 0 {
        index -= 1
        digits[index] = UInt8(ascii: "0") + UInt8(magnitude % 10)
        magnitude /= 10
      }
      if number < 0 { append(UInt8(ascii: "-")) }
      buffer += digits[index...]
    }
  }

  private static let hexDigits = Array("0123456789abcdef".utf8)

  func appendHex(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      append(Self.hexDigits[Int(byte >> 4)])
      append(Self.hexDigits[Int(byte & 15)])
    }
  }
}

/// The text of values.
enum ValueText {
  /// SQLite's form of a number, with as many digits as the same number needs when it is read.
  static func text(_ number: Double) -> String {
    if number.isNaN { return "NaN" }
    if number.isInfinite { return number < 0 ? "-Inf" : "Inf" }
    // The sign of zero isn't SQLite's.
    if number == 0 { return "0.0" }
    // Swift's shortest text is SQLite's, where neither has an exponent.
    if (1e-4..<1e15).contains(number.magnitude) { return number.description }
    let short = formatted("%.15g", number)
    return withFraction(strtod(short, nil) == number ? short : formatted("%.17g", number))
  }

  /// SQLite's text of a number, which has up to 15 digits.
  static func roundedText(_ number: Double) -> String {
    // Most numbers have fewer, and are the same in both forms.
    let exact = text(number)
    guard exact.utf8.count > 16, number.isFinite else { return exact }
    return withFraction(formatted("%.15g", number))
  }

  /// The number with an exponent, and with so many digits.
  static func scientific(_ number: Double, digits: Int) -> String {
    let capacity = digits + 32
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
      _ = withVaList([CInt(digits - 1), number]) {
        vsnprintf(buffer.baseAddress, capacity, "%.*e", $0)
      }
      return String(cString: buffer.baseAddress!)
    }
  }

  private static func withFraction(_ text: String) -> String {
    if text.contains(".") { return text }
    guard let exponent = text.firstIndex(of: "e") else { return text + ".0" }
    return text[..<exponent] + ".0" + text[exponent...]
  }

  private static func formatted(_ format: String, _ number: Double) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 40) { buffer in
      _ = withVaList([number]) { vsnprintf(buffer.baseAddress, 40, format, $0) }
      return String(cString: buffer.baseAddress!)
    }
  }

  static func hex(_ bytes: some Sequence<UInt8>) -> String {
    var text = ""
    for byte in bytes { text += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
    return text
  }

  /// The value for a person: NULL is `NULL`, and a blob `x'…'`.
  static func shown(_ row: Row, _ index: Int) -> String {
    switch (row[index] as DatabaseValue).storage {
    case .null: "NULL"
    case .int64(let number): "\(number)"
    case .double(let number): roundedText(number)
    case .string(let text): text
    case .blob(let data): "x'\(hex(data))'"
    }
  }

  /// The value as SQL.
  static func sql(_ value: DatabaseValue) -> String {
    switch value.storage {
    case .null: "NULL"
    case .int64(let number): "\(number)"
    case .double(let number):
      number.isInfinite ? (number < 0 ? "-9.0e+999" : "9.0e+999") : text(number)
    case .string(let text): quoted(text)
    case .blob(let data): "X'\(hex(data))'"
    }
  }

  /// A string literal.
  static func quoted(_ text: String) -> String {
    var text = text
    return text.withUTF8 { quoted($0) }
  }

  /// A string literal of bytes.
  ///
  /// SQL text ends at a NUL byte, and is UTF-8: other bytes become a blob that is cast. Programs
  /// that read lines make one line end of CR LF, so that a CR is put in by a function.
  static func quoted(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
      return "CAST(X'\(hex(bytes))' AS TEXT)"
    }
    let literal = "'" + text.replacing("'", with: "''") + "'"
    guard bytes.contains(0x0D) else { return literal }
    var mark = "\\r"
    var number = 0
    while text.contains(mark) {
      number += 1
      mark = "\\r\(number)"
    }
    // By bytes, since CR LF is one character.
    var marked: [UInt8] = []
    for byte in literal.utf8 {
      if byte == 0x0D { marked += mark.utf8 } else { marked.append(byte) }
    }
    return "replace(\(String(decoding: marked, as: UTF8.self)),'\(mark)',char(13))"
  }
}
