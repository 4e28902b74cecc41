import CofferCore
import FoundationEssentials

/// The SQL functions that aggregate numbers.
enum NumberAggregate: String {
  case sum
  case mean = "avg"

  /// Returns SQL of a column's sum or mean, and of the number of its non-numeric values.
  ///
  /// - Parameter isDecimal: Whether the values are decimal numbers, stored as text. SQLite's
  ///   functions would lose digits of them; Coffer's throw if a value isn't numeric.
  func sql(_ name: String, isDecimal: Bool, _ db: Database) -> String {
    guard isDecimal else {
      return "\(rawValue)(\(name)), total(typeof(\(name)) NOT IN ('integer', 'real', 'null'))"
    }
    let function = "coffer_decimal_\(rawValue)"
    db.ensure(
      function: self == .sum
        ? DatabaseFunction(function, argumentCount: 1, pure: true, aggregate: DecimalSum.self)
        : DatabaseFunction(function, argumentCount: 1, pure: true, aggregate: DecimalMean.self))
    return "\(function)(\(name)), 0.0"
  }
}

private struct DecimalSum: DatabaseAggregate {
  var sum = Decimal()
  var count = 0

  mutating func step(_ values: [DatabaseValue]) throws {
    guard !values[0].isNull else { return }
    guard let number = Decimal.fromDatabaseValue(values[0]) else {
      throw DocumentError(
        "a stored value is not a decimal number",
        hint: "fetchResults() tells which document has it.")
    }
    sum += number
    count += 1
  }

  func finalize() -> (any DatabaseValueConvertible)? { count > 0 ? sum : nil }
}

private struct DecimalMean: DatabaseAggregate {
  var values = DecimalSum()

  mutating func step(_ dbValues: [DatabaseValue]) throws { try values.step(dbValues) }

  func finalize() -> (any DatabaseValueConvertible)? {
    values.count > 0 ? Double((values.sum / Decimal(values.count)).description) : nil
  }
}
