import Coffer
import Foundation

/// A value as a table shows it: shortened by SQL, so that a large one isn't read.
struct ShownValue: Sendable {
  /// SQLite's name: `null`, `integer`, `real`, `text` or `blob`.
  var type: String
  /// The beginning of a text or blob, or else the value; NULL if it is too large to be read.
  var value: DatabaseValue
  /// The size of a text or blob in bytes, where it is known.
  var size: Int?

  /// The characters of a text, and the bytes of a blob.
  private static let lengths = (text: 160, blob: 16)
  /// The largest text or blob that is read, in bytes: `substr` reads all of it.
  private static let largest = 1 << 20
  /// What ``bounded(_:_:)`` gives instead of a large value.
  static let tooLarge = Data("too large".utf8).databaseValue

  /// Whether SQLite knows the size of a text without reading it, from 3.43 on.
  static func knowsTextSizes(_ db: Database) -> Bool {
    (try? db.cachedStatement(sql: "SELECT octet_length('')")) != nil
  }

  /// Three columns: type, size, value.
  static func selection(_ column: String, _ knowsTextSizes: Bool) -> [String] {
    let name = column.quotedDatabaseIdentifier
    let blob = "typeof(\(name)) = 'blob'"
    let text = "typeof(\(name)) = 'text'"
    let isLarge =
      "\(blob) AND length(\(name)) > \(largest)"
      + (knowsTextSizes ? " OR \(text) AND octet_length(\(name)) > \(largest)" : "")
    return [
      "typeof(\(name))",
      "CASE WHEN \(blob) THEN length(\(name)) "
        + (knowsTextSizes ? "WHEN \(text) THEN octet_length(\(name)) " : "") + "END",
      """
      CASE WHEN \(isLarge) THEN NULL WHEN \(text) THEN substr(\(name), 1, \(lengths.text + 1)) \
      WHEN \(blob) THEN substr(\(name), 1, \(lengths.blob + 1)) ELSE \(name) END
      """,
    ]
  }

  /// A column, or a marker where the value is larger than an address should name.
  static func bounded(_ column: String, _ knowsTextSizes: Bool) -> String {
    let name = column.quotedDatabaseIdentifier
    let marker = "x'\("too large".utf8.map { String($0, radix: 16) }.joined())'"
    return "CASE WHEN typeof(\(name)) = 'blob' AND length(\(name)) > 16384 THEN \(marker) "
      + (knowsTextSizes
        ? "WHEN typeof(\(name)) = 'text' AND octet_length(\(name)) > 16384 THEN \(marker) " : "")
      + "ELSE \(name) END"
  }

  /// From three columns of a row.
  init(_ row: Row, at index: Int) {
    self.init(type: row[index], value: row[index + 2], size: row[index + 1])
  }

  init(type: String, value: DatabaseValue, size: Int?) {
    (self.type, self.value, self.size) = (type, value, size)
  }

  /// A value of a query's result.
  init(_ value: DatabaseValue) {
    switch value.storage {
    case .null: self.init(type: "null", value: value, size: nil)
    case .int64: self.init(type: "integer", value: value, size: nil)
    case .double: self.init(type: "real", value: value, size: nil)
    case .string(let text): self.init(type: "text", value: value, size: text.utf8.count)
    case .blob(let data): self.init(type: "blob", value: value, size: data.count)
    }
  }

  /// The beginning of a value of a query's row, without a copy of the rest.
  init(cutting row: Row, at index: Int) {
    let text = row.withUTF8(at: index) { bytes in
      unsafe bytes.map { bytes in
        // Four bytes are a character's most.
        let prefix = unsafe bytes.prefix(4 * (Self.lengths.text + 1))
        return (size: bytes.count, text: unsafe String(decoding: prefix, as: UTF8.self))
      }
    }
    if let text {
      self.init(type: "text", value: text.text.databaseValue, size: text.size)
      return
    }
    let blob = try? row.withUnsafeData(at: index) { data in
      data.map { (size: $0.count, data: Data($0.prefix(Self.lengths.blob + 1))) }
    }
    if let blob {
      self.init(type: "blob", value: blob.data.databaseValue, size: blob.size)
    } else {
      self.init(row[index] as DatabaseValue)
    }
  }

  /// The class of its cell.
  var cellClass: String? {
    switch type {
    case "null": "null"
    case "integer", "real": "number"
    case "blob": "blob"
    default: nil
    }
  }

  /// The text of a table, and whether a part is missing.
  var text: (text: String, isCut: Bool) {
    switch value.storage {
    case .null: return type == "null" ? ("NULL", false) : ("", true)
    case .int64(let number): return ("\(number)", false)
    case .double(let number): return ("\(number)", false)
    case .string(let text):
      // A character can be as long as the text.
      let scalars = text.unicodeScalars.prefix(Self.lengths.text + 1)
      guard scalars.count > Self.lengths.text else { return (text, false) }
      return (String(String.UnicodeScalarView(scalars.dropLast())), true)
    case .blob(let data):
      let digits = data.prefix(Self.lengths.blob).map {
        ($0 < 16 ? "0" : "") + String($0, radix: 16)
      }
      return ("x'\(digits.joined())'", data.count > Self.lengths.blob)
    }
  }
}
