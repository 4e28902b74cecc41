import CofferCore

/// A property of a type and its column, or columns: a line of a ``Mapping``.
///
/// ```swift
/// Field("name", \.name)                               // any value that a column can hold
/// Field("email", \.email, .unique, .collate(.nocase))
/// Field.json("tags", \.tags)                          // a Codable value, as JSON
/// Field.nested(\.address, prefix: "address_")
/// ```
public struct Field<Record, Value, Coding: FieldCoding<Value>>: Sendable {
  /// What is left of the field once its types are forgotten.
  @usableFromInline let part: FieldPart<Record>
  @usableFromInline let access: FieldAccess<Record, Value, Coding>

  init(_ keyPath: any KeyPath<Record, Value> & Sendable, _ columns: [MappedColumn]) {
    part = FieldPart(keyPath: keyPath, columns: columns)
    access = FieldAccess(keyPath)
  }

  /// A property in a column.
  ///
  /// - Parameters:
  ///   - name: The column's name.
  ///   - keyPath: The property.
  ///   - options: What the column is defined with: see ``MappedRecord/createTable(_:options:body:)``.
  public init(
    _ name: String, _ keyPath: any KeyPath<Record, Value> & Sendable, _ options: FieldOption...
  ) where Value: DatabaseValueConvertible, Coding == ValueCoding<Value> {
    self.init(keyPath, [MappedColumn(name, Value.self, StoredType(Value.self), options)])
  }

  /// A property in a column, as JSON text; nil is NULL.
  ///
  /// Coders are those of `databaseJSONEncoder()` and `databaseJSONDecoder()`: sorted keys, dates as
  /// milliseconds since 1970.
  public static func json(
    _ name: String, _ keyPath: any KeyPath<Record, Value> & Sendable, _ options: FieldOption...
  ) -> Field where Value: Codable, Coding == JSONCoding<Value> {
    Field(keyPath, [MappedColumn(name, Value.self, .json, options)])
  }

  /// A property in several columns, those of its type's mapping.
  ///
  /// - Parameter prefix: What the columns' names begin with, before those of the mapping.
  public static func nested(
    _ keyPath: any KeyPath<Record, Value> & Sendable, prefix: String = ""
  ) -> Field where Value: MappedValue, Coding == NestedCoding<Value> {
    Field(keyPath, Value.mapping.columns.map { $0.prefixed(prefix) })
  }

  /// An optional property in several columns, those of its type's mapping: nil where all of them
  /// are NULL.
  ///
  /// - Parameter prefix: What the columns' names begin with, before those of the mapping.
  public static func nestedOptional<Nested: MappedValue>(
    _ keyPath: any KeyPath<Record, Nested?> & Sendable, prefix: String = ""
  ) -> Field where Value == Nested?, Coding == OptionalNestedCoding<Nested> {
    Field(keyPath, Nested.mapping.columns.map { $0.prefixed(prefix).nullable })
  }
}
