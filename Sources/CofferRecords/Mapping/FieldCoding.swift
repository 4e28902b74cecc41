import CofferCore

/// How a property's value is stored in columns: see ``Field``. It is not to be adopted by other
/// types.
public protocol FieldCoding<Value>: Sendable {
  /// The property's type.
  associatedtype Value

  /// The value in the columns from `column` on, which is moved past them.
  static func read(_ row: FieldReader, at column: inout Int) throws -> Value

  /// Gives the next columns the value.
  static func write<Sink: FieldSink>(_ value: Value, to sink: inout Sink) throws
}

/// A value in one column.
public enum ValueCoding<Value: DatabaseValueConvertible>: FieldCoding {
  /// The column's value.
  @inlinable @inline(__always)
  public static func read(_ row: FieldReader, at column: inout Int) throws -> Value {
    defer { column &+= 1 }
    return try row.value(at: column)
  }

  /// Gives the column the value.
  @inlinable @inline(__always)
  public static func write<Sink: FieldSink>(_ value: Value, to sink: inout Sink) throws {
    sink.set(value)
  }
}
