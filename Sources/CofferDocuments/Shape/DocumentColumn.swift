import CofferCore
import CofferQuery

/// The target of a document's key path: a column, or a value in the JSON of a column.
struct DocumentColumn: Hashable, Sendable {
  var name: String
  /// The coding keys inside the column's JSON, and indexes such as `[0]`: see `PathStep`. Empty for
  /// the column itself.
  var path: [String] = []
  /// The declared collation. The default is ``Collation/string`` for strings, except the
  /// identifier; other values have none.
  var collation: Collation?
  /// The form of numbers. Some of them are strings: all decimal numbers, and integers in JSON that
  /// are greater than SQLite's.
  var numbers = JSONNumbers.plain

  /// The collation of queries and indexes.
  var comparing: Collation? { collation ?? (hasNumericTexts ? .decimal : nil) }

  /// Whether some numbers are strings.
  var hasNumericTexts: Bool { numbers != .plain }

  var isNested: Bool { !path.isEmpty }

  /// The struct that has this part of a column as a property.
  var parent: DocumentColumn { DocumentColumn(name: name, path: path.dropLast()) }

  /// Whether it is an element of a list, or inside one.
  var isInList: Bool { path.contains(where: PathStep.isIndex) }

  /// The name of the property in messages: `address.city`.
  var description: String {
    path.reduce(name) { $0 + (PathStep.isIndex($1) ? $1 : "." + PathStep.name($1)) }
  }

  /// The path in the JSON: `$.address.city`, `$."street 2"`, `$.tags[0]`.
  var jsonPath: String {
    path.reduce("$") { path, step in
      if PathStep.isIndex(step) { return path + step }
      let name = PathStep.name(step)
      let isPlain = !name.isEmpty && name.utf8.allSatisfy(DocumentColumn.isPlain)
      return path + "." + (isPlain ? name : DocumentColumn.quoted(name))
    }
  }

  /// The SQL of the value: `"name"`, `coffer_json("address", '$.city')`.
  ///
  /// Queries and indexes use the same text, by which SQLite finds the index of an expression.
  func sqlText() -> String { sqlText(of: name.quotedDatabaseIdentifier) }

  /// Returns the SQL of the value inside a value of the whole column.
  func sqlText(of stored: String) -> String {
    guard isNested else { return stored }
    return "coffer_json\(numbers.suffix)(\(stored), \(jsonPath.databaseValue.sqlLiteral))"
  }

  /// Returns the SQL of the whole column after this value is replaced.
  ///
  /// - Parameters:
  ///   - value: The SQL of the value, as ``DocumentValue/assigned(_:to:)`` gives it.
  ///   - stored: The SQL of the JSON to change; nil for the column's.
  func setting(_ value: SQL, in stored: SQL? = nil) -> SQL {
    guard isNested else { return value }
    let path = jsonPath.databaseValue.sqlLiteral
    return "coffer_json_set(\(stored ?? "\(identifier: name)"), \(sql: path), \(value))"
  }

  // MARK: Steps

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): true
    default: false
    }
  }

  /// Returns the name as a JSON text.
  static func quoted(_ name: String) -> String {
    var result = "\""
    for character in name.unicodeScalars {
      switch character {
      case "\"", "\\": result += "\\\(character)"
      case "\0"..<" ":
        let digits = String(character.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(character)
      }
    }
    return result + "\""
  }
}
