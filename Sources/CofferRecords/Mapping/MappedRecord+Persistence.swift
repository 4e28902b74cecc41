import CofferCore
import CofferQuery

extension MappedRecord {
  /// Gives each column of the mapping its value.
  @inlinable
  public func encode(to container: inout PersistenceContainer) throws {
    try writeFields(to: &container)
  }

  @inlinable @inline(__always)
  package func writeFields(to container: inout PersistenceContainer) throws {
    let mapping = Self.mapping
    var names = FieldNames(mapping.names)
    try withUnsafePointer(to: self) { try mapping.write($0, &container, &names) }
  }

  /// Keeps the rowid, where its column is that of an optional integer, which is nil.
  @inlinable
  public mutating func didInsert(_ inserted: InsertionSuccess) { keepRowID(inserted) }

  @usableFromInline
  package mutating func keepRowID(_ inserted: InsertionSuccess) {
    guard let column = inserted.rowIDColumn else { return }
    for slot in Self.mapping.rowIDSlots where RowLayout.matches(slot.column, column) {
      slot.set(inserted.rowID, in: &self)
    }
  }
}

// For types that have `init(row:)`, `encode(to:)` or `didInsert` by another protocol too: the mapping
// counts.

extension MappedRecord where Self: Decodable {
  /// The record that a row holds, by the mapping.
  @inlinable
  public init(row: Row) throws { self = try Self.mapping.record(from: row) }
}

extension MappedRecord where Self: Encodable {
  /// Gives each column of the mapping its value.
  @inlinable
  public func encode(to container: inout PersistenceContainer) throws {
    try writeFields(to: &container)
  }
}

extension MappedRecord where Self: PersistableRecord {
  /// Does nothing: no insertion changes the record.
  @inlinable
  public func didInsert(_ inserted: InsertionSuccess) {}
}
