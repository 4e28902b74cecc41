import CofferCore

/// The columns of a type, and the way its values are created from them: see ``MappedRecord``.
///
/// A part of a record that is stored in several columns has a mapping too: see ``MappedValue``.
@safe public struct Mapping<Record>: Sendable {
  /// The columns, in the order of the fields.
  public let columns: [MappedColumn]

  let parts: [FieldPart<Record>]
  @usableFromInline let rowIDSlots: [RowIDSlot<Record>]
  /// A column with two fields, which initializers can't report since they don't throw.
  private let duplicate: String?
  @usableFromInline let names: ContiguousArray<String>
  @usableFromInline let read: @Sendable (FieldReader, inout Int) throws -> Record
  @usableFromInline
  @safe let collect: @Sendable (UnsafePointer<Record>, inout ContainerSink) throws -> Void
  @usableFromInline
  @safe let bind: @Sendable (UnsafePointer<Record>, inout BinderSink) throws -> Void

  @usableFromInline
  @safe init(
    _ parts: [FieldPart<Record>],
    read: @escaping @Sendable (FieldReader, inout Int) throws -> Record,
    collect: @escaping @Sendable (UnsafePointer<Record>, inout ContainerSink) throws -> Void,
    bind: @escaping @Sendable (UnsafePointer<Record>, inout BinderSink) throws -> Void
  ) {
    self.parts = parts
    self.read = read
    self.collect = unsafe collect
    self.bind = unsafe bind
    columns = parts.flatMap(\.columns)
    names = ContiguousArray(columns.map(\.name))
    duplicate = MappingChecks.duplicate(in: columns)
    rowIDSlots = parts.compactMap { part in
      part.columns.count == 1 ? RowIDSlot(part.columns[0].name, part.keyPath) : nil
    }
  }

  @inlinable
  init(
    _ fields: FieldList<Record, some FieldWriting<Record>>,
    read: @escaping @Sendable (FieldReader, inout Int) throws -> Record
  ) {
    let writing = fields.writing
    self.init(
      fields.parts, read: read, collect: { try writing.write($0, to: &$1) },
      bind: { try writing.write($0, to: &$1) })
  }

  /// Creates a mapping.
  ///
  /// - Parameters:
  ///   - make: Creates a value from the values of the fields; usually the memberwise initializer.
  ///   - field: The fields, in the order of the initializer's arguments.
  @_disfavoredOverload
  public init<each Value, each Coding: FieldCoding>(
    _ make: @escaping @Sendable (repeat each Value) -> Record,
    _ field: repeat Field<Record, each Value, each Coding>
  ) where repeat (each Coding).Value == each Value {
    var parts: [FieldPart<Record>] = []
    for field in repeat each field { parts.append(field.part) }
    self.init(
      parts,
      read: { row, column in
        make(repeat try (each Coding).read(row, at: &column))
      },
      collect: { record, sink in
        for field in repeat each field { try field.access.write(record, to: &sink) }
      },
      bind: { record, sink in
        for field in repeat each field { try field.access.write(record, to: &sink) }
      })
  }

  /// - Throws: ``DatabaseError`` if two fields have the same column.
  func checkNames() throws {
    guard let duplicate else { return }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "the mapping of \(Record.self) has two fields for column "
        + duplicate.quotedDatabaseIdentifier,
      hint: "Use a separate column for each field; for nested fields, use a prefix.")
  }

  /// Returns the column of a property; nil if it has none or several.
  func columnName(of property: AnyKeyPath) -> String? {
    guard let part = parts.first(where: { $0.keyPath == property }), part.columns.count == 1
    else { return nil }
    return part.columns[0].name
  }
}
