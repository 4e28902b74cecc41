import CofferCore

/// A property of a type and its column, or columns: a line of a ``Mapping``.
///
/// ```swift
/// Field("name", \.name)                               // any value that a column can hold
/// Field("email", \.email, .unique, .collate(.nocase))
/// Field.json("tags", \.tags)                          // a Codable value, as JSON
/// Field.nested(\.address, Address.mapping, prefix: "address_")
/// ```
public struct Field<Record, Coding: FieldCoding>: Sendable {
  /// The property.
  @usableFromInline let keyPath: any KeyPath<Record, Coding.Value> & Sendable
  /// Where a struct's stored property is in it, in bytes; -1 for any other.
  @usableFromInline let offset: Int
  @usableFromInline let coding: Coding
  let columns: [MappedColumn]

  init(
    _ keyPath: any KeyPath<Record, Coding.Value> & Sendable, _ coding: Coding,
    _ columns: [MappedColumn]
  ) {
    self.keyPath = keyPath
    offset = MemoryLayout<Record>.offset(of: keyPath) ?? -1
    self.coding = coding
    self.columns = columns
  }

  /// A property in a column.
  ///
  /// - Parameters:
  ///   - name: The column's name.
  ///   - keyPath: The property.
  ///   - options: What the column is defined with: see ``MappedRecord/createTable(_:options:body:)``.
  public init<Value: DatabaseValueConvertible>(
    _ name: String, _ keyPath: any KeyPath<Record, Value> & Sendable, _ options: FieldOption...
  ) where Coding == ValueCoding<Value> {
    let column = MappedColumn(name, Value.self, StoredType(Value.self), options)
    self.init(keyPath, ValueCoding(), [column])
  }

  /// A property in a column, as JSON text; nil is NULL.
  ///
  /// Coders are those of `databaseJSONEncoder()` and `databaseJSONDecoder()`: sorted keys, dates as
  /// milliseconds since 1970.
  public static func json<Value: Codable>(
    _ name: String, _ keyPath: any KeyPath<Record, Value> & Sendable, _ options: FieldOption...
  ) -> Field where Coding == JSONCoding<Value> {
    Field(keyPath, JSONCoding(), [MappedColumn(name, Value.self, .json, options)])
  }

  /// A property in several columns, those of another mapping.
  ///
  /// ```swift
  /// struct Address {
  ///   var street: String, city: String
  ///   static let mapping = Mapping(
  ///     Address.init(street:city:), Field("street", \.street), Field("city", \.city))
  /// }
  /// ```
  ///
  /// - Parameter prefix: What the columns' names begin with, before those of the mapping.
  public static func nested<Nested: RecordMappingProtocol>(
    _ keyPath: any KeyPath<Record, Nested.Record> & Sendable, _ mapping: Nested,
    prefix: String = ""
  ) -> Field where Coding == NestedCoding<Nested> {
    Field(keyPath, NestedCoding(mapping), mapping.columns.map { $0.prefixed(prefix) })
  }

  /// An optional property in several columns, those of another mapping: nil where all of them are
  /// NULL.
  ///
  /// - Parameter prefix: What the columns' names begin with, before those of the mapping.
  public static func nestedOptional<Nested: RecordMappingProtocol>(
    _ keyPath: any KeyPath<Record, Nested.Record?> & Sendable, _ mapping: Nested,
    prefix: String = ""
  ) -> Field where Coding == OptionalNestedCoding<Nested> {
    Field(
      keyPath, OptionalNestedCoding(mapping), mapping.columns.map { $0.prefixed(prefix).nullable })
  }

  /// Gives the columns the property of a record.
  @inlinable @inline(__always)
  func write(_ record: UnsafePointer<Record>, to writer: inout FieldWriter) throws {
    if offset >= 0 {
      // SAFETY: the offset is that of a stored property of this very type.
      let property = (UnsafeRawPointer(record) + offset).assumingMemoryBound(
        to: Coding.Value.self)
      try coding.write(property.pointee, to: &writer)
    } else {
      try coding.write(record.pointee[keyPath: keyPath], to: &writer)
    }
  }
}
