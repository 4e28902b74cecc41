import CofferCore

/// A value in several columns, by a mapping of its own: see ``Field/nested(_:prefix:)``.
public enum NestedCoding<Value: MappedValue>: FieldCoding {
  /// The value of the mapping's columns.
  @inlinable @inline(__always)
  public static func read(_ row: FieldReader, at column: inout Int) throws -> Value {
    try Value.mapping.read(row, &column)
  }

  /// Gives the mapping's columns the value.
  @inlinable @inline(__always)
  public static func write<Sink: FieldSink>(_ value: Value, to sink: inout Sink) throws {
    try withUnsafePointer(to: value) { try sink.set($0, Value.mapping) }
  }
}

/// A value in several columns, or nil where all of them are NULL: see
/// ``Field/nestedOptional(_:prefix:)``.
public enum OptionalNestedCoding<Nested: MappedValue>: FieldCoding {
  /// What is mapped, or nil.
  public typealias Value = Nested?

  /// The value of the mapping's columns, or nil.
  @inlinable
  public static func read(_ row: FieldReader, at column: inout Int) throws -> Nested? {
    let mapping = Nested.mapping
    for index in column..<column + mapping.names.count where !row.isNull(at: index) {
      return try mapping.read(row, &column)
    }
    column &+= mapping.names.count
    return nil
  }

  /// Gives the mapping's columns the value, or NULL.
  @inlinable
  public static func write<Sink: FieldSink>(_ value: Nested?, to sink: inout Sink) throws {
    guard let value else {
      for _ in Nested.mapping.names { sink.set(Int?.none) }
      return
    }
    try NestedCoding.write(value, to: &sink)
  }
}
