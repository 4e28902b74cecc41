import CofferCore
import FoundationEssentials

/// `ABS(value)`
public func abs<Value: SQLNumber>(
  _ value: some SQLTypedExpressible<Value>
) -> TypedExpression<Value> {
  TypedExpression(abs(value.sqlExpression))
}

/// `LENGTH(value)`: characters of text, bytes of data.
public func length<Value: SQLMeasurable>(
  _ value: some SQLTypedExpressible<Value>
) -> TypedExpression<Value.SQLLength> {
  TypedExpression(length(value.sqlExpression))
}

extension SQLTypedExpressible where SQLValue: DatabaseValueConvertible {
  /// `NULLIF(value, other)`: the value, or NULL where it equals `other`.
  public func nullIf(_ other: SQLValue._Base) -> TypedExpression<SQLValue._Base?> {
    TypedExpression(sqlExpression.nullIf(operand(other)), form: _form)
  }

  /// `TYPEOF(value)`: `null`, `integer`, `real`, `text` or `blob`.
  public func typeOf() -> TypedExpression<String> { TypedExpression(sqlExpression.typeOf()) }
}

extension SQLTypedExpressible where SQLValue: DatabaseValueConvertible, SQLValue._Base == Double {
  /// `ROUND(value, digits)`: a number rounded to digits after the point.
  public func round(digits: Int = 0) -> TypedExpression<SQLValue> {
    TypedExpression(sqlExpression.round(digits: digits))
  }
}

extension SQLTypedExpressible where SQLValue: DatabaseValueConvertible, SQLValue._Base == String {
  /// `TRIM(text)`: text without the spaces around it.
  public func trim() -> TypedExpression<SQLValue> { TypedExpression(sqlExpression.trim()) }

  /// `REPLACE(text, part, replacement)`: the text with each `part` replaced.
  public func replace(_ part: String, with replacement: String) -> TypedExpression<SQLValue> {
    TypedExpression(sqlExpression.replace(part, with: replacement))
  }

  /// `SUBSTR(text, start, length)`: a part of text; the first character is 1.
  public func substr(_ start: Int, _ length: Int? = nil) -> TypedExpression<SQLValue> {
    TypedExpression(sqlExpression.substr(start, length))
  }
}

extension SQLTypedExpressible
where SQLValue: SQLMeasurable & DatabaseValueConvertible, SQLValue._Base == String {
  /// `INSTR(text, part)`: the place of the first occurrence, from 1 on; 0 for none.
  public func instr(_ part: String) -> TypedExpression<SQLValue.SQLLength> {
    TypedExpression(sqlExpression.instr(part))
  }
}

/// `MAX(a, b)`: the greatest of two values; NULL where one is.
public func max<Value>(
  _ first: some SQLTypedExpressible<Value>, _ second: some SQLTypedExpressible<Value>
) -> TypedExpression<Value> {
  TypedExpression(max(first.sqlExpression, second))
}

/// `MAX(a, b)`: the greatest of two values; NULL where one is.
public func max<Value: DatabaseValueConvertible>(
  _ first: some SQLTypedExpressible<Value>, _ second: Value
) -> TypedExpression<Value> {
  TypedExpression(max(first.sqlExpression, second))
}

/// `MIN(a, b)`: the least of two values; NULL where one is.
public func min<Value>(
  _ first: some SQLTypedExpressible<Value>, _ second: some SQLTypedExpressible<Value>
) -> TypedExpression<Value> {
  TypedExpression(min(first.sqlExpression, second))
}

/// `MIN(a, b)`: the least of two values; NULL where one is.
public func min<Value: DatabaseValueConvertible>(
  _ first: some SQLTypedExpressible<Value>, _ second: Value
) -> TypedExpression<Value> {
  TypedExpression(min(first.sqlExpression, second))
}

// MARK: Types

/// `CAST(expression AS type)`: the value converted to a storage class.
public func cast(
  _ expression: some SQLTypedExpressible, as storageClass: Database.StorageClass
) -> SQLExpression {
  cast(expression.sqlExpression, as: storageClass)
}

/// A type that `cast(_:as:)` converts to.
public protocol SQLCastTarget: DatabaseValueConvertible {
  /// What SQLite converts to.
  static var sqlStorageClass: Database.StorageClass { get }
}

extension Int: SQLCastTarget {
  /// An integer.
  public static var sqlStorageClass: Database.StorageClass { .integer }
}

extension Int64: SQLCastTarget {
  /// An integer.
  public static var sqlStorageClass: Database.StorageClass { .integer }
}

extension Double: SQLCastTarget {
  /// A real number.
  public static var sqlStorageClass: Database.StorageClass { .real }
}

extension String: SQLCastTarget {
  /// Text.
  public static var sqlStorageClass: Database.StorageClass { .text }
}

extension Data: SQLCastTarget {
  /// A blob.
  public static var sqlStorageClass: Database.StorageClass { .blob }
}

/// `CAST(expression AS type)`: the value converted to a type.
///
/// ```swift
/// Player.select { cast($0.score, as: Double.self) / 2 }
/// ```
public func cast<Value, Target: SQLCastTarget>(
  _ expression: some SQLTypedExpressible<Value>, as type: Target.Type
) -> TypedExpression<Target> {
  TypedExpression(cast(expression.sqlExpression, as: Target.sqlStorageClass))
}

/// `CAST(expression AS type)`: the value converted to a type, NULL where it is.
public func cast<Value, Target: SQLCastTarget>(
  _ expression: some SQLTypedExpressible<Value?>, as type: Target.Type
) -> TypedExpression<Target?> {
  TypedExpression(cast(expression.sqlExpression, as: Target.sqlStorageClass))
}
