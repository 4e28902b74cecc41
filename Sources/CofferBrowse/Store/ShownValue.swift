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
  /// Whether SQLite knows the size of a text without reading it.
  static let knowsTextSizes = Database.sqliteLibVersionNumber >= 3_043_000
  /// What ``bounded(_:)`` gives instead of a large value.
  static let tooLarge = Data("too large".utf8).databaseValue

  /// The condition for values that `substr` would read for too long, or that an address can't name.
  private static func isLarge(_ name: String, _ limit: Int) -> String {
    "(typeof(\(name)) = 'blob' AND length(\(name)) > \(limit)"
      + (knowsTextSizes
        ? " OR typeof(\(name)) = 'text' AND octet_length(\(name)) > \(limit))" : ")")
  }

  /// Three columns: type, size, value.
  static func selection(_ column: String) -> SQL {
    let name = column.quotedDatabaseIdentifier
    let textSize = knowsTextSizes ? "WHEN 'text' THEN octet_length(\(name)) " : ""
    return SQL(
      sql: """
        typeof(\(name)), CASE typeof(\(name)) WHEN 'blob' THEN length(\(name)) \(textSize)END,
        CASE WHEN \(isLarge(name, 1 << 20)) THEN NULL
          WHEN typeof(\(name)) = 'text' THEN substr(\(name), 1, \(lengths.text + 1))
          WHEN typeof(\(name)) = 'blob' THEN substr(\(name), 1, \(lengths.blob + 1)) ELSE \(name) END
        """)
  }

  /// A column, or ``tooLarge`` where the value is larger than an address should name.
  static func bounded(_ column: String) -> SQL {
    let name = column.quotedDatabaseIdentifier
    return "CASE WHEN \(sql: isLarge(name, 16_384)) THEN \(tooLarge) ELSE \(sql: name) END"
  }

  /// From three columns of a row.
  init(_ row: Row, at index: Int) {
    (type, size, value) = (row[index], row[index + 1], row[index + 2])
  }

  init(_ value: DatabaseValue) {
    self.value = value
    type =
      switch value.storage {
      case .null: "null"
      case .int64: "integer"
      case .double: "real"
      case .string: "text"
      case .blob: "blob"
      }
  }

  /// The beginning of a value of a query's row, without a copy of the rest.
  init(cutting row: Row, at index: Int) {
    let text = row.withUTF8(at: index) { bytes in
      // Four bytes are a character's most.
      unsafe bytes.map { bytes in
        unsafe String(decoding: bytes.prefix(4 * (Self.lengths.text + 1)), as: UTF8.self)
      }
    }
    let blob =
      text == nil
      ? try? row.withUnsafeData(at: index) { $0.map { Data($0.prefix(Self.lengths.blob + 1)) } }
      : nil
    self.init(text?.databaseValue ?? blob?.databaseValue ?? row[index])
  }

  /// All of a value that was read as a whole.
  static func whole(_ value: DatabaseValue) -> String {
    String.fromDatabaseValue(value) ?? ShownValue(value).text.text
  }

  /// The class of its cell.
  var cellClass: String? {
    switch type {
    case "integer", "real": "number"
    case "text": nil
    default: type
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
