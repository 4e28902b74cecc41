import CofferCore
import CofferQuery
import FoundationEssentials

// Dates with all their digits, as documents store them; columns of records have milliseconds.

/// A date, or one that may be nil.
public protocol DocumentDate: Codable {}

extension Date: DocumentDate {}
extension Optional: DocumentDate where Wrapped == Date {}

extension DocumentExpression where Value: DocumentDate {
  private func compared(_ symbol: String, _ date: Date) -> TypedPredicate {
    let date = SQLExpression(date.exactDatabaseValue)
    return TypedPredicate(withColumn { SQLExpression(.binary(symbol, $1, date)) })
  }

  private func compared(_ comparison: Comparison, _ date: Date) -> TypedPredicate {
    let date = SQLExpression(date.exactDatabaseValue)
    return TypedPredicate(withColumn { SQLExpression(.comparison(comparison, $1, date)) })
  }

  fileprivate func isContained(in dates: some Sequence<Date>) -> TypedPredicate {
    let dates = dates.map { SQLExpression($0.exactDatabaseValue) }
    return TypedPredicate(withColumn { $1.isContained(in: SQLCollection(dates)) })
  }

  /// Whether the date is another one, to the last digit.
  public static func == (lhs: Self, rhs: Date) -> TypedPredicate { lhs.compared(.equal, rhs) }

  /// Whether the date is another one, to the last digit.
  public static func == (lhs: Date, rhs: Self) -> TypedPredicate { rhs.compared(.equal, lhs) }

  /// Whether the date isn't another one.
  public static func != (lhs: Self, rhs: Date) -> TypedPredicate { lhs.compared(.notEqual, rhs) }

  /// Whether the date isn't another one.
  public static func != (lhs: Date, rhs: Self) -> TypedPredicate { rhs.compared(.notEqual, lhs) }

  /// Whether the date is before another one.
  public static func < (lhs: Self, rhs: Date) -> TypedPredicate { lhs.compared(" < ", rhs) }

  /// Whether the date is before another one, or the same.
  public static func <= (lhs: Self, rhs: Date) -> TypedPredicate { lhs.compared(" <= ", rhs) }

  /// Whether the date is after another one.
  public static func > (lhs: Self, rhs: Date) -> TypedPredicate { lhs.compared(" > ", rhs) }

  /// Whether the date is after another one, or the same.
  public static func >= (lhs: Self, rhs: Date) -> TypedPredicate { lhs.compared(" >= ", rhs) }

  /// Whether the date is after another one.
  public static func < (lhs: Date, rhs: Self) -> TypedPredicate { rhs.compared(" > ", lhs) }

  /// Whether the date is after another one, or the same.
  public static func <= (lhs: Date, rhs: Self) -> TypedPredicate { rhs.compared(" >= ", lhs) }

  /// Whether the date is before another one.
  public static func > (lhs: Date, rhs: Self) -> TypedPredicate { rhs.compared(" < ", lhs) }

  /// Whether the date is before another one, or the same.
  public static func >= (lhs: Date, rhs: Self) -> TypedPredicate { rhs.compared(" <= ", lhs) }
}

extension ClosedRange<Date> {
  /// Whether the range has the date, to the last digit.
  public func contains<Document>(
    _ property: DocumentExpression<Document, Date>
  ) -> TypedPredicate {
    property >= lowerBound && property <= upperBound
  }

  /// Whether the range has the date, to the last digit; nil is in no range.
  public func contains<Document>(
    _ property: DocumentExpression<Document, Date?>
  ) -> TypedPredicate {
    property >= lowerBound && property <= upperBound
  }
}

extension Range<Date> {
  /// Whether the range has the date, to the last digit.
  public func contains<Document>(
    _ property: DocumentExpression<Document, Date>
  ) -> TypedPredicate {
    property >= lowerBound && property < upperBound
  }

  /// Whether the range has the date, to the last digit; nil is in no range.
  public func contains<Document>(
    _ property: DocumentExpression<Document, Date?>
  ) -> TypedPredicate {
    property >= lowerBound && property < upperBound
  }
}

extension PartialRangeFrom<Date> {
  /// Whether the range has the date, to the last digit.
  public func contains<Document>(
    _ property: DocumentExpression<Document, Date>
  ) -> TypedPredicate {
    property >= lowerBound
  }

  /// Whether the range has the date, to the last digit; nil is in no range.
  public func contains<Document>(
    _ property: DocumentExpression<Document, Date?>
  ) -> TypedPredicate {
    property >= lowerBound
  }
}

extension PartialRangeThrough<Date> {
  /// Whether the range has the date, to the last digit.
  public func contains<Document>(
    _ property: DocumentExpression<Document, Date>
  ) -> TypedPredicate {
    property <= upperBound
  }

  /// Whether the range has the date, to the last digit; nil is in no range.
  public func contains<Document>(
    _ property: DocumentExpression<Document, Date?>
  ) -> TypedPredicate {
    property <= upperBound
  }
}

extension PartialRangeUpTo<Date> {
  /// Whether the range has the date, to the last digit.
  public func contains<Document>(
    _ property: DocumentExpression<Document, Date>
  ) -> TypedPredicate {
    property < upperBound
  }

  /// Whether the range has the date, to the last digit; nil is in no range.
  public func contains<Document>(
    _ property: DocumentExpression<Document, Date?>
  ) -> TypedPredicate {
    property < upperBound
  }
}

extension Sequence<Date> {
  /// Whether the list has the date, to the last digit.
  public func contains<Document>(
    _ property: DocumentExpression<Document, Date>
  ) -> TypedPredicate {
    property.isContained(in: self)
  }

  /// Whether the list has the date, to the last digit; nil is in no list.
  public func contains<Document>(
    _ property: DocumentExpression<Document, Date?>
  ) -> TypedPredicate {
    property.isContained(in: self)
  }
}
