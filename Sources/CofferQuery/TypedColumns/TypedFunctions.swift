import CofferCore
import FoundationEssentials

/// Returns `ABS(value)`: the absolute value.
public func abs<Value: SQLNumber>(
  _ value: some SQLTypedExpressible<Value>
) -> TypedExpression<Value> {
  TypedExpression(abs(value.sqlExpression))
}

/// Returns `LENGTH(value)`: the number of characters of text, or of bytes of data.
public func length<Value: SQLMeasurable>(
  _ value: some SQLTypedExpressible<Value>
) -> TypedExpression<Value.SQLLength> {
  TypedExpression(length(value.sqlExpression))
}

extension SQLTypedExpressible where SQLValue: DatabaseValueConvertible {
  /// Returns `NULLIF(value, other)`: the value, or NULL if it equals `other`.
  public func nullIf(_ other: SQLValue._Base) -> TypedExpression<SQLValue._Base?> {
    TypedExpression(sqlExpression.nullIf(operand(other)), form: _form)
  }

  /// Returns `TYPEOF(value)`: `null`, `integer`, `real`, `text` or `blob`.
  public func typeOf() -> TypedExpression<String> { TypedExpression(sqlExpression.typeOf()) }
}

extension SQLTypedExpressible where SQLValue: DatabaseValueConvertible, SQLValue._Base == Double {
  /// Returns `ROUND(value, digits)`: the value rounded to a number of decimal digits.
  public func round(digits: Int = 0) -> TypedExpression<SQLValue> {
    TypedExpression(sqlExpression.round(digits: digits))
  }
}

extension SQLTypedExpressible where SQLValue: DatabaseValueConvertible, SQLValue._Base == String {
  /// Returns `TRIM(text)`: the text without leading and trailing spaces.
  public func trim() -> TypedExpression<SQLValue> { TypedExpression(sqlExpression.trim()) }

  /// Returns `REPLACE(text, part, replacement)`: the text with each occurrence of `part` replaced.
  public func replace(_ part: String, with replacement: String) -> TypedExpression<SQLValue> {
    TypedExpression(sqlExpression.replace(part, with: replacement))
  }

  /// Returns `SUBSTR(text, start, length)`: a substring; the first character has index 1.
  public func substr(_ start: Int, _ length: Int? = nil) -> TypedExpression<SQLValue> {
    TypedExpression(sqlExpression.substr(start, length))
  }
}

extension SQLTypedExpressible
where SQLValue: SQLMeasurable & DatabaseValueConvertible, SQLValue._Base == String {
  /// Returns `INSTR(text, part)`: the index of the first occurrence, counted from 1, or 0.
  public func instr(_ part: String) -> TypedExpression<SQLValue.SQLLength> {
    TypedExpression(sqlExpression.instr(part))
  }
}

/// Returns `MAX(a, b)`: the greatest of two values, or NULL if one is NULL.
public func max<Value>(
  _ first: some SQLTypedExpressible<Value>, _ second: some SQLTypedExpressible<Value>
) -> TypedExpression<Value> {
  TypedExpression(max(first.sqlExpression, second))
}

/// Returns `MAX(a, b)`: the greatest of two values, or NULL if one is NULL.
public func max<Value: DatabaseValueConvertible>(
  _ first: some SQLTypedExpressible<Value>, _ second: Value
) -> TypedExpression<Value> {
  TypedExpression(max(first.sqlExpression, second))
}

/// Returns `MIN(a, b)`: the least of two values, or NULL if one is NULL.
public func min<Value>(
  _ first: some SQLTypedExpressible<Value>, _ second: some SQLTypedExpressible<Value>
) -> TypedExpression<Value> {
  TypedExpression(min(first.sqlExpression, second))
}

/// Returns `MIN(a, b)`: the least of two values, or NULL if one is NULL.
public func min<Value: DatabaseValueConvertible>(
  _ first: some SQLTypedExpressible<Value>, _ second: Value
) -> TypedExpression<Value> {
  TypedExpression(min(first.sqlExpression, second))
}

// MARK: Types

/// Returns `CAST(expression AS type)`: the value converted to a storage class.
public func cast(
  _ expression: some SQLTypedExpressible, as storageClass: Database.StorageClass
) -> SQLExpression {
  cast(expression.sqlExpression, as: storageClass)
}

/// A target type of `cast(_:as:)`.
public protocol SQLCastTarget: DatabaseValueConvertible {
  /// The storage class that SQLite converts values to.
  static var sqlStorageClass: Database.StorageClass { get }
}

extension Int: SQLCastTarget {
  /// The `INTEGER` storage class.
  public static var sqlStorageClass: Database.StorageClass { .integer }
}

extension Int64: SQLCastTarget {
  /// The `INTEGER` storage class.
  public static var sqlStorageClass: Database.StorageClass { .integer }
}

extension Double: SQLCastTarget {
  /// The `REAL` storage class.
  public static var sqlStorageClass: Database.StorageClass { .real }
}

extension String: SQLCastTarget {
  /// The `TEXT` storage class.
  public static var sqlStorageClass: Database.StorageClass { .text }
}

extension Data: SQLCastTarget {
  /// The `BLOB` storage class.
  public static var sqlStorageClass: Database.StorageClass { .blob }
}

/// Returns `CAST(expression AS type)`: the value converted to a type.
///
/// ```swift
/// Player.select { cast($0.score, as: Double.self) / 2 }
/// ```
public func cast<Value, Target: SQLCastTarget>(
  _ expression: some SQLTypedExpressible<Value>, as type: Target.Type
) -> TypedExpression<Target> {
  TypedExpression(cast(expression.sqlExpression, as: Target.sqlStorageClass))
}

/// Returns `CAST(expression AS type)`: the value converted to a type, or NULL.
public func cast<Value, Target: SQLCastTarget>(
  _ expression: some SQLTypedExpressible<Value?>, as type: Target.Type
) -> TypedExpression<Target?> {
  TypedExpression(cast(expression.sqlExpression, as: Target.sqlStorageClass))
}
