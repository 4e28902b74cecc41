/// The columns of a record type: its stored properties, with their types.
///
/// ```swift
/// struct Player: Codable { var name: String, score: Int }
/// RecordColumns<Player>.score  // TypedColumn<Int>
/// ```
///
/// A `Decodable` type's columns are named as its coding keys, others as the
/// properties. Dates, data and UUIDs that a column is compared with, or set to, have the form in
/// which the record type stores them.
/// - Precondition: The property is a stored one of the record itself.
@dynamicMemberLookup
public enum RecordColumns<Record> {
  /// The column of a stored property.
  public static subscript<Value>(
    dynamicMember keyPath: KeyPath<Record, Value>
  ) -> TypedColumn<Value> {
    let name = ColumnNames.name(of: keyPath, in: Record.self)
    return TypedColumn(name, form: _ColumnForm(Record.self, name, of: Value.self))
  }
}
