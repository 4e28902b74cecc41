/// The typed columns of a record type, one for each stored property.
///
/// ```swift
/// struct Player: Codable { var name: String, score: Int }
/// RecordColumns<Player>.score  // TypedColumn<Int>
/// ```
///
/// The columns of a `Decodable` type have the names of its coding keys, those of other types the
/// names of the properties. Dates, data and UUIDs that are compared with a column, or assigned to
/// it, have the format in which the record type stores them.
///
/// Only stored properties of the record itself have columns. A query with another property throws a
/// ``DatabaseError`` when it is executed.
@dynamicMemberLookup
public enum RecordColumns<Record> {
  /// Returns the column of a stored property.
  @inlinable
  public static subscript<Value>(
    dynamicMember keyPath: KeyPath<Record, Value>
  ) -> TypedColumn<Value> {
    do {
      let name = try ColumnNames.name(of: keyPath, in: Record.self)
      return TypedColumn(name, form: _ColumnForm(Record.self, name, of: Value.self))
    } catch {
      // Here every expression would have to be marked with `try`.
      return TypedColumn("\(keyPath)", failure: error)
    }
  }
}
