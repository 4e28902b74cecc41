import Coffer
import Foundation

/// A condition on the rows of a table, as a person has chosen it.
struct Condition: Sendable {
  /// The comparisons, and what each is in SQL after the column.
  static let comparisons: KeyValuePairs<String, String> = [
    "=": "IS ?", "≠": "IS NOT ?", "<": "< ?", "≤": "<= ?", ">": "> ?", "≥": ">= ?",
    "contains": "LIKE ? ESCAPE '\\'", "begins with": "LIKE ? ESCAPE '\\'", "is NULL": "IS NULL",
    "is not NULL": "IS NOT NULL",
  ]

  let column: String
  let comparison: String
  let value: DatabaseValue
  private let comparisonSQL: String

  var sql: SQL {
    let arguments: StatementArguments =
      if !comparisonSQL.contains("?") { [] } else if comparisonSQL.hasPrefix("LIKE") {
        [(comparison == "contains" ? "%" : "") + pattern + "%"]
      } else { [value] }
    return "\(identifier: column) \(sql: comparisonSQL, arguments: arguments)"
  }

  /// The value as a pattern that matches it alone.
  private var pattern: String {
    ShownValue.whole(value).replacing(/[\\%_]/.matchingSemantics(.unicodeScalar)) {
      "\\" + $0.output
    }
  }

  /// Nil for another comparison.
  init?(_ column: String, _ comparison: String, _ value: DatabaseValue) {
    guard let sql = Self.comparisons.first(where: { $0.key == comparison })?.value else {
      return nil
    }
    (self.column, self.comparison, self.value, comparisonSQL) = (column, comparison, value, sql)
  }

  /// From a form: the text `007` is a text, `7` a number, `x'0a'` a blob.
  init?(_ column: String, _ comparison: String, text: String) {
    var value = text.databaseValue
    if comparison == "contains" || comparison == "begins with" {
      // A pattern is a text.
    } else if text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/) != nil {
      value = Int64(text)?.databaseValue ?? Double(text)?.databaseValue ?? value
    } else if let match = text.wholeMatch(of: /[xX]'((?:[0-9a-fA-F]{2})*)'/) {
      let digits = Array(match.output.1)
      let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
        UInt8(String(digits[$0...($0 + 1)]), radix: 16)
      }
      value = Data(bytes).databaseValue
    }
    self.init(column, comparison, value)
  }

  /// Conditions as values that an address can name.
  static func values(_ conditions: [Condition]) -> [DatabaseValue] {
    conditions.flatMap { [$0.column.databaseValue, $0.comparison.databaseValue, $0.value] }
  }

  /// The conditions of such values.
  static func list(_ values: [DatabaseValue]) -> [Condition] {
    stride(from: 0, to: values.count - 2, by: 3).compactMap { index in
      Condition(
        ShownValue.whole(values[index]), ShownValue.whole(values[index + 1]), values[index + 2])
    }
  }
}
