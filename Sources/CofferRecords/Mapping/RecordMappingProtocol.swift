import CofferCore

/// What a ``Mapping`` is, whatever its fields: a type to write in generic code. It is not to be
/// adopted by other types.
public protocol RecordMappingProtocol<Record>: Sendable {
  /// What is mapped.
  associatedtype Record

  /// The columns, in the order of the fields.
  var columns: [MappedColumn] { get }

  /// The properties that can take a rowid.
  var rowIDSlots: [RowIDSlot<Record>] { get }

  /// The names of the columns.
  var columnNames: ContiguousArray<String> { get }

  /// The record in the columns of a row.
  func read(_ reader: FieldReader, at column: inout Int) throws -> Record

  /// Gives the columns the values of a record.
  func write(_ record: Record, to writer: inout FieldWriter) throws

  /// The column of a property; nil where it has none, or several.
  func columnName(of property: AnyKeyPath) -> String?
}

extension RecordMappingProtocol {
  /// The record that a row holds.
  @inlinable @inline(__always)
  package func record(from row: Row) throws -> Record {
    let plan = try row.plan(MappingPlan<Record>.self) { try MappingPlan(row, columns) }
    let reader = FieldReader(row: row, indices: plan.indices)
    var column = 0
    do { return try read(reader, at: &column) } catch { throw plan.located(error) }
  }
}
