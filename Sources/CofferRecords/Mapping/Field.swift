import CofferCore

/// A property of a type and its column or columns: one line of a ``Mapping``.
///
/// ```swift
/// Field("name", \.name)                               // any value that a column can hold
/// Field("email", \.email, .unique, .collate(.nocase))
/// Field.json("tags", \.tags)                          // a Codable value, as JSON
/// Field.nested(\.address, prefix: "address_")
/// ```
public struct Field<Record, Value, Coding: FieldCoding<Value>>: Sendable {
  /// The parts of the field that don't depend on its types.
  @usableFromInline let part: FieldPart<Record>
  @usableFromInline let access: FieldAccess<Record, Value, Coding>

  init(_ keyPath: any KeyPath<Record, Value> & Sendable, _ columns: [MappedColumn]) {
    part = FieldPart(keyPath: keyPath, columns: columns)
    access = FieldAccess(keyPath)
  }

  /// Creates a field that stores a property in one column.
  ///
  /// - Parameters:
  ///   - name: The name of the column.
  ///   - keyPath: The property.
  ///   - options: Options of the column's definition: see
  ///     ``MappedRecord/createTable(_:options:body:)``.
  public init(
    _ name: String, _ keyPath: any KeyPath<Record, Value> & Sendable, _ options: FieldOption...
  ) where Value: DatabaseValueConvertible, Coding == ValueCoding<Value> {
    self.init(keyPath, [MappedColumn(name, Value.self, StoredType(Value.self), options)])
  }

  /// Creates a field that stores a property in one column as JSON text; nil is NULL.
  ///
  /// The coders are `databaseJSONEncoder()` and `databaseJSONDecoder()`: keys are sorted, and dates
  /// are milliseconds since 1970.
  public static func json(
    _ name: String, _ keyPath: any KeyPath<Record, Value> & Sendable, _ options: FieldOption...
  ) -> Field where Value: Codable, Coding == JSONCoding<Value> {
    Field(keyPath, [MappedColumn(name, Value.self, .json, options)])
  }

  /// Creates a field that stores a property in the columns of its type's mapping.
  ///
  /// - Parameter prefix: A prefix for the names of the mapping's columns.
  public static func nested(
    _ keyPath: any KeyPath<Record, Value> & Sendable, prefix: String = ""
  ) -> Field where Value: MappedValue, Coding == NestedCoding<Value> {
    Field(keyPath, Value.mapping.columns.map { $0.prefixed(prefix) })
  }

  /// Creates a field that stores an optional property in the columns of its type's mapping.
  ///
  /// Nil is stored as NULL in all columns.
  ///
  /// - Parameter prefix: A prefix for the names of the mapping's columns.
  public static func nestedOptional<Nested: MappedValue>(
    _ keyPath: any KeyPath<Record, Nested?> & Sendable, prefix: String = ""
  ) -> Field where Value == Nested?, Coding == OptionalNestedCoding<Nested> {
    Field(keyPath, Nested.mapping.columns.map { $0.prefixed(prefix).nullable })
  }
}
