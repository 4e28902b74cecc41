import CofferCore

/// How a property's value is stored in columns: see ``Field``.
public protocol FieldCoding<Value>: Sendable {
  /// The property's type.
  associatedtype Value

  /// The value in the columns from `column` on, which is moved past them.
  func read(_ reader: FieldReader, at column: inout Int) throws -> Value

  /// Gives the next columns the value.
  func write(_ value: Value, to writer: inout FieldWriter) throws
}

/// A value in one column.
public struct ValueCoding<Value: DatabaseValueConvertible>: FieldCoding {
  @inlinable
  init() {}

  /// The column's value.
  @inlinable @inline(__always)
  public func read(_ reader: FieldReader, at column: inout Int) throws -> Value {
    defer { column &+= 1 }
    return try reader.value(at: column)
  }

  /// Gives the column the value.
  @inlinable @inline(__always)
  public func write(_ value: Value, to writer: inout FieldWriter) throws {
    writer.set(value)
  }
}
