import CofferCore

/// The way in which a property's value is stored in columns: see ``Field``.
///
/// Types outside the library must not conform to it.
public protocol FieldCoding<Value>: Sendable {
  /// The type of the property.
  associatedtype Value

  /// Reads the value from the columns at `column`, and moves `column` past them.
  static func read(_ row: FieldReader, at column: inout Int) throws -> Value

  /// Writes the value to the next columns.
  static func write<Sink: FieldSink>(_ value: Value, to sink: inout Sink) throws
}

/// Stores a value in one column.
public enum ValueCoding<Value: DatabaseValueConvertible>: FieldCoding {
  /// Reads the value of the column.
  @inlinable @inline(__always)
  public static func read(_ row: FieldReader, at column: inout Int) throws -> Value {
    defer { column &+= 1 }
    return try row.value(at: column)
  }

  /// Writes the value to the column.
  @inlinable @inline(__always)
  public static func write<Sink: FieldSink>(_ value: Value, to sink: inout Sink) throws {
    sink.set(value)
  }
}
