import CofferCore

/// Stores a value in the columns of its type's mapping: see ``Field/nested(_:prefix:)``.
public enum NestedCoding<Value: MappedValue>: FieldCoding {
  /// Reads the value from the mapping's columns.
  @inlinable @inline(__always)
  public static func read(_ row: FieldReader, at column: inout Int) throws -> Value {
    try Value.mapping.read(row, &column)
  }

  /// Writes the value to the mapping's columns.
  @inlinable @inline(__always)
  public static func write<Sink: FieldSink>(_ value: Value, to sink: inout Sink) throws {
    try unsafe withUnsafePointer(to: value) { try sink.set($0, Value.mapping) }
  }
}

/// Stores an optional value in the columns of its type's mapping.
///
/// Nil is stored as NULL in all columns. See ``Field/nestedOptional(_:prefix:)``.
public enum OptionalNestedCoding<Nested: MappedValue>: FieldCoding {
  /// The mapped type, or nil.
  public typealias Value = Nested?

  /// Reads the value from the mapping's columns; nil if all are NULL.
  @inlinable
  public static func read(_ row: FieldReader, at column: inout Int) throws -> Nested? {
    let mapping = Nested.mapping
    for index in column..<column + mapping.names.count where !row.isNull(at: index) {
      return try mapping.read(row, &column)
    }
    column &+= mapping.names.count
    return nil
  }

  /// Writes the value to the mapping's columns, or NULL for nil.
  @inlinable
  public static func write<Sink: FieldSink>(_ value: Nested?, to sink: inout Sink) throws {
    guard let value else {
      for _ in Nested.mapping.names { sink.set(Int?.none) }
      return
    }
    try NestedCoding.write(value, to: &sink)
  }
}
