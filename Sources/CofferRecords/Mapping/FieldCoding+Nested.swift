import CofferCore

/// A value in several columns, by a mapping of its own: see ``Field/nested(_:_:prefix:)``.
public struct NestedCoding<Nested: RecordMappingProtocol>: FieldCoding {
  /// What is mapped.
  public typealias Value = Nested.Record

  @usableFromInline let mapping: Nested

  init(_ mapping: Nested) { self.mapping = mapping }

  /// The value of the mapping's columns.
  @inlinable @inline(__always)
  public func read(_ reader: FieldReader, at column: inout Int) throws -> Nested.Record {
    try mapping.read(reader, at: &column)
  }

  /// Gives the mapping's columns the value.
  @inlinable @inline(__always)
  public func write(_ value: Nested.Record, to writer: inout FieldWriter) throws {
    try mapping.write(value, to: &writer)
  }
}

/// A value in several columns, or nil where all of them are NULL: see
/// ``Field/nestedOptional(_:_:prefix:)``.
public struct OptionalNestedCoding<Nested: RecordMappingProtocol>: FieldCoding {
  /// What is mapped, or nil.
  public typealias Value = Nested.Record?

  @usableFromInline let mapping: Nested
  @usableFromInline let count: Int

  init(_ mapping: Nested) {
    self.mapping = mapping
    count = mapping.columns.count
  }

  /// The value of the mapping's columns, or nil.
  @inlinable @inline(__always)
  public func read(_ reader: FieldReader, at column: inout Int) throws -> Nested.Record? {
    for index in column..<column + count where !reader.isNull(at: index) {
      return try mapping.read(reader, at: &column)
    }
    column &+= count
    return nil
  }

  /// Gives the mapping's columns the value, or NULL.
  @inlinable @inline(__always)
  public func write(_ value: Nested.Record?, to writer: inout FieldWriter) throws {
    switch value {
    case .some(let value): try mapping.write(value, to: &writer)
    case .none: for _ in 0..<count { writer.set(Int?.none) }
    }
  }
}
