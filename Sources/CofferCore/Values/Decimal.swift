import CofferVault
import FoundationEssentials

extension Decimal: DatabaseValueConvertible, StatementColumnConvertible {
  /// The decimal text, such as `-12.50`, with all digits and a point in every locale.
  ///
  /// Declare the column as `TEXT`: with a numeric affinity, SQLite would convert the text to a
  /// real.
  public var databaseValue: DatabaseValue { description.databaseValue }

  /// Returns the number of a text, integer or real.
  ///
  /// A real is converted from its shortest decimal text, so that 0.1 gives 0.1. Nil for other
  /// values, for a text with more than a number, and beyond the range of `Decimal`. Digits after
  /// the 38th are lost.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Decimal? {
    switch dbValue.storage {
    case .int64(let value): Decimal(value)
    case .double(let value): Decimal(databaseText: value.description)
    case .string(let value): Decimal(databaseText: value)
    default: nil
    }
  }

  /// Creates a number from the column's text, integer or real.
  @safe public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    let dbValue = DatabaseValue(sqliteStatement: sqliteStatement, index: index)
    guard let value = Self.fromDatabaseValue(dbValue) else { return nil }
    self = value
  }

  // Decimal(string:) ignores any text after the number.
  private init?(databaseText text: String) {
    if text == "NaN" {
      self = .nan
      return
    }
    guard Self.isNumber(text.utf8), let value = Decimal(string: text) else { return nil }
    self = value
  }

  private static func isNumber(_ text: String.UTF8View) -> Bool {
    var rest = text[...]
    func skip(_ characters: StaticString) -> Bool {
      guard let first = rest.first,
        characters.withUTF8Buffer({ unsafe $0.contains(first) })
      else { return false }
      rest.removeFirst()
      return true
    }
    func skipDigits() -> Bool {
      let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
      rest = rest[digits.endIndex...]
      return !digits.isEmpty
    }
    _ = skip("+-")
    let hasWhole = skipDigits()
    let hasFraction = skip(".") && skipDigits()
    guard hasWhole || hasFraction else { return false }
    if skip("eE") {
      _ = skip("+-")
      guard skipDigits() else { return false }
    }
    return rest.isEmpty
  }
}
