import CofferCore
import FoundationEssentials

/// `ABS(value)`
public func abs<Value: SQLNumber>(
  _ value: some SQLTypedExpressible<Value>
) -> TypedExpression<Value> {
  TypedExpression(abs(value.sqlExpression))
}

/// `ROUND(value, digits)`: a number rounded to digits after the point.
public func round<Value: DatabaseValueConvertible>(
  _ value: some SQLTypedExpressible<Value>, digits: Int? = nil
) -> TypedExpression<Value> where Value._Base == Double {
  TypedExpression(round(value.sqlExpression, digits: digits))
}

/// `LENGTH(value)`: characters of text, bytes of data.
public func length<Value: SQLMeasurable>(
  _ value: some SQLTypedExpressible<Value>
) -> TypedExpression<Value.SQLLength> {
  TypedExpression(length(value.sqlExpression))
}

/// `TRIM(text)`: text without the spaces around it.
public func trim<Value: DatabaseValueConvertible>(
  _ text: some SQLTypedExpressible<Value>
) -> TypedExpression<Value> where Value._Base == String {
  TypedExpression(trim(text.sqlExpression))
}

/// `REPLACE(text, part, replacement)`
public func replace<Value: DatabaseValueConvertible>(
  _ text: some SQLTypedExpressible<Value>, _ part: String, with replacement: String
) -> TypedExpression<Value> where Value._Base == String {
  TypedExpression(replace(text.sqlExpression, part, with: replacement))
}

/// `SUBSTR(text, start, length)`: a part of text; the first character is 1.
public func substr<Value: DatabaseValueConvertible>(
  _ text: some SQLTypedExpressible<Value>, _ start: Int, _ length: Int? = nil
) -> TypedExpression<Value> where Value._Base == String {
  TypedExpression(substr(text.sqlExpression, start, length))
}

/// `INSTR(text, part)`: the place of the first occurrence, from 1 on; 0 for none.
public func instr<Value: SQLMeasurable & DatabaseValueConvertible>(
  _ text: some SQLTypedExpressible<Value>, _ part: String
) -> TypedExpression<Value.SQLLength>
where Value._Base == String {
  TypedExpression(instr(text.sqlExpression, part))
}

/// `NULLIF(a, b)`: `a`, or NULL where it equals `b`.
public func nullIf<Value: DatabaseValueConvertible>(
  _ value: some SQLTypedExpressible<Value>, _ other: Value
) -> TypedExpression<Value?> {
  TypedExpression(nullIf(value.sqlExpression, other))
}

/// `TYPEOF(value)`: `null`, `integer`, `real`, `text` or `blob`.
public func typeOf(_ value: some SQLTypedExpressible) -> TypedExpression<String> {
  TypedExpression(typeOf(value.sqlExpression))
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
