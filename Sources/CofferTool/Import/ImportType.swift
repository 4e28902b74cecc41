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

  /// The type with the affinity of a declared one: <https://sqlite.org/datatype3.html>
  init(declared: String) {
    let name = declared.uppercased()
    if name.contains("INT") {
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

/// Detects the type of a column from all of its values.
struct TypeDetector {
  private var canBeInteger = true
  private var canBeReal = true
  private var hasValues = false

  mutating func add(_ bytes: UnsafeBufferPointer<UInt8>, isQuoted: Bool) {
    if bytes.isEmpty, !isQuoted { return }
    hasValues = true
    guard canBeReal else { return }
    if canBeInteger, NumberText.integer(bytes) == nil { canBeInteger = false }
    if NumberText.real(bytes) == nil { canBeReal = false }
    // 007 and +49 are no numbers but names that look like some.
    if bytes.count > 1, let first = bytes.first {
      let digits = first == UInt8(ascii: "-") ? bytes.dropFirst() : bytes[...]
      let hasLeadingZero =
        digits.first == UInt8(ascii: "0") && digits.count > 1
        && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digits.dropFirst().first ?? 0)
      if first == UInt8(ascii: "+") || hasLeadingZero { (canBeInteger, canBeReal) = (false, false) }
    }
  }

  mutating func add(_ value: JSONValue) {
    switch value {
    case .null: return
    case .integer, .bool: break
    case .real: canBeInteger = false
    case .text, .nested: (canBeInteger, canBeReal) = (false, false)
    }
    hasValues = true
  }

  var type: ImportType {
    !hasValues ? .text : canBeInteger ? .integer : canBeReal ? .real : .text
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

  /// The number that the whole text is; nil if it is none.
  static func real(_ bytes: UnsafeBufferPointer<UInt8>) -> Double? {
    guard !bytes.isEmpty, bytes.count < 64,
      bytes.allSatisfy({
        (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0)
      })
    else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
      for (index, byte) in bytes.enumerated() { text[index] = CChar(byte) }
      text[bytes.count] = 0
      var end: UnsafeMutablePointer<CChar>?
      let number = strtod(text.baseAddress!, &end)
      return end == text.baseAddress! + bytes.count ? number : nil
    }
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
    case .integer:
      if let number = NumberText.integer(bytes) {
        self = .integer(number)
        return
      }
      // SQLite keeps such a number in a column of integers.
      guard let number = NumberText.real(bytes) else { return nil }
      self = .real(number)
      return
    case .real:
      guard let number = NumberText.real(bytes) else { return nil }
      self = .real(number)
      return
    case .numeric:
      if !isQuoted {
        if let number = NumberText.integer(bytes) {
          self = .integer(number)
          return
        }
        if let number = NumberText.real(bytes) {
          self = .real(number)
          return
        }
      }
    case .blob:
      guard let data = Data(base64Encoded: Data(bytes)) else { return nil }
      self = .blob(data)
      return
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    self = .text(text)
  }

  init?(_ value: JSONValue, type: ImportType) {
    switch value {
    case .null: self = .null
    case .bool(let flag): self = .integer(flag ? 1 : 0)
    case .integer(let number):
      self = type == .real ? .real(Double(number)) : .integer(number)
      if type == .blob { return nil }
    case .real(let number):
      self = .real(number)
      if type == .blob { return nil }
    case .nested(let text): self = .text(text)
    case .text(let text):
      switch type {
      case .text, .numeric: self = .text(text)
      case .blob:
        guard let data = Data(base64Encoded: text) else { return nil }
        self = .blob(data)
      case .integer, .real:
        guard !text.isEmpty else { return nil }
        var text = text
        guard let value = text.withUTF8({ ImportedValue($0, isQuoted: true, type: type) }) else {
          return nil
        }
        self = value
      }
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
