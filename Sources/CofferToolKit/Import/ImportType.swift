import Coffer
import Foundation
import Glibc

/// The type of an imported column, which its values must fit.
enum ImportType: String, CaseIterable {
  case integer = "INTEGER"
  case real = "REAL"
  case text = "TEXT"
  case blob = "BLOB"
  /// Numbers as numbers, everything else as text.
  case numeric = "NUMERIC"
  /// Each value as it is written: SQLite changes none.
  case any = ""

  /// The type with the affinity of a declared one: <https://sqlite.org/datatype3.html>
  ///
  /// - Parameter isStrict: Whether the table is a STRICT one.
  init(declared: String, isStrict: Bool = false) {
    let name = declared.uppercased()
    if name.isEmpty || isStrict && name == "ANY" {
      self = .any
    } else if name.contains("INT") {
      self = .integer
    } else if ["CHAR", "CLOB", "TEXT"].contains(where: name.contains) {
      self = .text
    } else if name.contains("BLOB") {
      self = .blob
    } else if ["REAL", "FLOA", "DOUB"].contains(where: name.contains) {
      self = .real
    } else {
      self = .numeric
    }
  }
}

/// Detects the type of a column from all of its values: one that gives each back as it was written,
/// but for a column of decimals, in which 2 is 2.0.
struct TypeDetector {
  private var hasIntegers = false
  /// Whether a column of REAL gives all integers back.
  private var haveIntegersDoubles = true
  private var hasReals = false
  /// Whether a column of NUMERIC gives all reals back as they are written.
  private var areRealsNumeric = true
  private var hasInfinities = false
  private var hasTexts = false

  mutating func add(_ bytes: UnsafeBufferPointer<UInt8>, isQuoted: Bool) {
    if bytes.isEmpty, !isQuoted || hasTexts { return }
    if let number = NumberText.writtenInteger(bytes) {
      add(number)
    } else if let number = NumberText.writtenReal(bytes) {
      hasReals = true
      if number == number.rounded(), number.isFinite { areRealsNumeric = false }
    } else if NumberText.infinity(bytes) != nil {
      hasInfinities = true
    } else {
      hasTexts = true
    }
  }

  mutating func add(_ value: JSONValue) {
    switch value {
    case .null: return
    case .bool: hasIntegers = true
    case .integer(let number): add(number)
    case .number(let text):
      if NumberText.jsonReal(text) == nil { hasTexts = true } else { hasReals = true }
    case .text, .nested: hasTexts = true
    }
  }

  private mutating func add(_ number: Int64) {
    hasIntegers = true
    if Double(exactly: number) == nil { haveIntegersDoubles = false }
  }

  var type: ImportType {
    // "Inf" alone is a word.
    if hasTexts || !hasIntegers && !hasReals { return .text }
    if !hasReals, !hasInfinities { return .integer }
    if !hasIntegers || haveIntegersDoubles { return .real }
    return areRealsNumeric ? .numeric : .text
  }
}

/// Numbers in text.
enum NumberText {
  /// The integer that the whole text is; nil if it is none, or too large.
  static func integer(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
    var index = 0
    let count = bytes.count
    guard count > 0 else { return nil }
    let isNegative = bytes[0] == UInt8(ascii: "-")
    if isNegative || bytes[0] == UInt8(ascii: "+") { index = 1 }
    guard index < count else { return nil }
    var number: Int64 = 0
    while index < count {
      let digit = Int64(bytes[index]) - 0x30
      guard (0...9).contains(digit) else { return nil }
      let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, overflows) =
        isNegative
        ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
      if isTooLarge || overflows { return nil }
      number = sum
      index += 1
    }
    return number
  }

  /// The integer whose text this is, exactly: 007, +49 and -0 are codes that look like numbers.
  static func writtenInteger(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
    guard let first = bytes.first, first != UInt8(ascii: "+"), let number = integer(bytes) else {
      return nil
    }
    let digits = first == UInt8(ascii: "-") ? bytes.dropFirst() : bytes[...]
    return digits.first != UInt8(ascii: "0") || bytes.count == 1 ? number : nil
  }

  /// The number whose exported text this is, exactly: 1.10 and 12E4 are codes that look like
  /// numbers.
  static func writtenReal(_ bytes: UnsafeBufferPointer<UInt8>) -> Double? {
    guard let number = real(bytes) else { return nil }
    var text = ValueText.text(number)
    return text.withUTF8 { $0.elementsEqual(bytes) } ? number : nil
  }

  /// The infinity whose exported text this is.
  static func infinity(_ bytes: UnsafeBufferPointer<UInt8>) -> Double? {
    if bytes.elementsEqual("Inf".utf8) { return .infinity }
    return bytes.elementsEqual("-Inf".utf8) ? -.infinity : nil
  }

  /// The number of JSON that the text is; nil if none has all its digits. JSON has no infinity: the
  /// text that is exported for it is one.
  static func jsonReal(_ text: String) -> Double? {
    switch text {
    case "9.0e+999", "9e999", "9.0e999": return .infinity
    case "-9.0e+999", "-9e999", "-9.0e999": return -.infinity
    default:
      var text = text
      return text.withUTF8 { real($0) }
    }
  }

  /// Whether the whole text is a number, whatever its digits.
  static func isNumber(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.allSatisfy(isNumberByte) && Double(String(decoding: bytes, as: UTF8.self)) != nil
  }

  /// Whether a number can have the byte.
  static func isNumberByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x2B, 0x2D, 0x2E, 0x45, 0x65: true
    default: false
    }
  }

  private static let longest = 1_100

  /// The number that the whole text is; nil if it is none, or if no number of SQLite has all its
  /// digits.
  static func real(_ bytes: UnsafeBufferPointer<UInt8>) -> Double? {
    guard !bytes.isEmpty, bytes.count < longest, bytes.allSatisfy(isNumberByte) else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { text in
      for (index, byte) in bytes.enumerated() { text[index] = CChar(byte) }
      text[bytes.count] = 0
      var end: UnsafeMutablePointer<CChar>?
      let number = strtod(text.baseAddress!, &end)
      guard end == text.baseAddress! + bytes.count else { return nil }
      return hasDigits(number, of: bytes) ? number : nil
    }
  }

  /// Whether a number has all the digits of the text that it was read from.
  private static func hasDigits(_ number: Double, of bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard number.isFinite else { return false }
    let mantissa = bytes.prefix { $0 | 0x20 != UInt8(ascii: "e") }
    // Any 15 are kept but by the smallest numbers.
    if mantissa.count <= 15, number.isNormal { return true }
    var digits = mantissa.filter { (0x30...0x39).contains($0) }.drop { $0 == 0x30 }
    while digits.last == 0x30 { digits.removeLast() }
    // Zero has none.
    if digits.isEmpty || digits.count <= 15 && number.isNormal { return true }
    let text = ValueText.scientific(number, digits: digits.count)
    return text.utf8.prefix { $0 != UInt8(ascii: "e") }.filter { (0x30...0x39).contains($0) }
      .elementsEqual(digits)
  }
}

/// The value of a field; nil if it doesn't fit the column's type.
enum ImportedValue {
  case null, integer(Int64), real(Double), text(String), blob(Data)

  init?(_ bytes: UnsafeBufferPointer<UInt8>, isQuoted: Bool, type: ImportType) {
    if bytes.isEmpty, !isQuoted {
      self = .null
      return
    }
    switch type {
    case .text: break
    case .integer, .real:
      guard let value = ImportedValue(numberIn: bytes) else { return nil }
      // SQLite keeps decimals in a column of integers, and makes decimals of integers in one of
      // them.
      if case .integer(let number) = value, type == .real {
        guard let number = Double(exactly: number) else { return nil }
        self = .real(number)
      } else {
        self = value
      }
      return
    case .numeric:
      if !isQuoted, let value = ImportedValue(numberIn: bytes) {
        self = value
        return
      }
      guard Self.isKeptByNumeric(bytes) else { return nil }
    case .any:
      guard !isQuoted else { break }
      if let number = NumberText.writtenInteger(bytes) {
        self = .integer(number)
        return
      }
      if let number = NumberText.writtenReal(bytes) ?? NumberText.infinity(bytes) {
        self = .real(number)
        return
      }
    case .blob:
      guard let data = Data(base64Encoded: Data(bytes)) else { return nil }
      self = .blob(data)
      return
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    self = .text(text)
  }

  private init?(numberIn bytes: UnsafeBufferPointer<UInt8>) {
    if let number = NumberText.integer(bytes) {
      self = .integer(number)
    } else if let number = NumberText.real(bytes) ?? NumberText.infinity(bytes) {
      self = .real(number)
    } else {
      return nil
    }
  }

  /// Whether a column of NUMERIC keeps the text, or makes a number of it that has all its digits.
  ///
  /// Spaces around a number are left out: <https://sqlite.org/datatype3.html#type_affinity>
  private static func isKeptByNumeric(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    guard let start = bytes.firstIndex(where: { !isSpace($0) }),
      let end = bytes.lastIndex(where: { !isSpace($0) })
    else { return true }
    let text = UnsafeBufferPointer(rebasing: bytes[start...end])
    if NumberText.integer(text) != nil || NumberText.real(text) != nil { return true }
    return !NumberText.isNumber(text)
  }

  init?(_ value: JSONValue, type: ImportType) {
    switch (value, type) {
    case (.null, _): self = .null
    // Each as it is written.
    case (.bool(let flag), .text): self = .text(flag ? "true" : "false")
    case (.integer(let number), .text): self = .text("\(number)")
    case (.number(let text), .text): self = .text(text)
    case (.bool(let flag), _): self = .integer(flag ? 1 : 0)
    case (.integer, .blob), (.number, .blob): return nil
    case (.integer(let number), .real):
      guard let number = Double(exactly: number) else { return nil }
      self = .real(number)
    case (.integer(let number), _): self = .integer(number)
    case (.number(let text), _):
      guard let number = NumberText.jsonReal(text) else { return nil }
      self = .real(number)
    case (.nested(let text), _), (.text(let text), .text), (.text(let text), .any):
      self = .text(text)
    case (.text(var text), _):
      guard !text.isEmpty || type == .blob || type == .numeric,
        let value = text.withUTF8({ ImportedValue($0, isQuoted: true, type: type) })
      else { return nil }
      self = value
    }
  }

  @inline(__always)
  func bind(to binder: inout StatementBinder) {
    switch self {
    case .null: binder.bind(DatabaseValue.null)
    case .integer(let number): binder.bind(number)
    case .real(let number): binder.bind(number)
    case .text(let text): binder.bind(text)
    case .blob(let data): binder.bind(data)
    }
  }
}
