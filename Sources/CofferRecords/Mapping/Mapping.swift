import CofferCore

/// The columns of a type, and how its values are made from them: see ``MappedRecord``.
///
/// The parts of a record that several columns hold have mappings too: see
/// ``Field/nested(_:_:prefix:)``.
public struct Mapping<Record, each Coding: FieldCoding>: RecordMappingProtocol {
  @usableFromInline let make: @Sendable (repeat (each Coding).Value) -> Record
  @usableFromInline let fields: (repeat Field<Record, each Coding>)

  /// The columns, in the order of the fields.
  public let columns: [MappedColumn]
  /// Their names.
  public let columnNames: ContiguousArray<String>
  /// The properties that can take a rowid.
  public let rowIDSlots: [RowIDSlot<Record>]

  /// A mapping.
  ///
  /// - Parameters:
  ///   - make: Makes a value from those of the fields: an initializer, as a rule the one that
  ///     structs have by themselves.
  ///   - field: The fields, in the order of the initializer's arguments.
  public init(
    _ make: @escaping @Sendable (repeat (each Coding).Value) -> Record,
    _ field: repeat Field<Record, each Coding>
  ) {
    self.make = make
    fields = (repeat each field)
    var columns: [MappedColumn] = []
    var slots: [RowIDSlot<Record>] = []
    for field in repeat each field {
      columns += field.columns
      guard field.columns.count == 1 else { continue }
      if let slot = RowIDSlot<Record>(field.columns[0].name, field.keyPath) { slots.append(slot) }
    }
    rowIDSlots = slots
    self.columns = columns
    columnNames = ContiguousArray(columns.map(\.name))
  }

  /// The record in the columns of a row.
  @inlinable @inline(__always)
  public func read(_ reader: FieldReader, at column: inout Int) throws -> Record {
    make(repeat try (each fields).coding.read(reader, at: &column))
  }

  /// Gives the columns the values of a record.
  @inlinable @inline(__always)
  public func write(_ record: Record, to writer: inout FieldWriter) throws {
    try withUnsafePointer(to: record) { record in
      for field in repeat each fields { try field.write(record, to: &writer) }
    }
  }

  /// The column of a property; nil where it has none, or several.
  public func columnName(of property: AnyKeyPath) -> String? {
    for field in repeat each fields {
      if field.keyPath == property {
        return field.columns.count == 1 ? field.columns[0].name : nil
      }
    }
    return nil
  }
}
