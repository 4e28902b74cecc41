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
    try withUnsafeMutablePointer(to: &container) { container in
      var sink = ContainerSink(container, mapping.names)
      try withUnsafePointer(to: self) { try mapping.collect($0, &sink) }
    }
  }

  /// Binds the values to an insertion's parameters, without their names.
  @inlinable @inline(__always)
  public func _bindColumns(to binder: inout StatementBinder) throws -> Bool {
    var sink = BinderSink(binder)
    try withUnsafePointer(to: self) { try Self.mapping.bind($0, &sink) }
    binder = sink.binder
    return true
  }

  /// Whether the mapping's values are the ones: not where the type encodes by itself.
  public func _bindsColumns(of container: PersistenceContainer) throws -> Bool {
    var mapped = PersistenceContainer()
    try writeFields(to: &mapped)
    return container.count == mapped.count
      && zip(container, mapped).allSatisfy { $0.0 == $1.0 && $0.1 == $1.1 }
  }

  /// Says what the mapping and the table don't agree in.
  public static func _checkTable(_ db: Database, isInsertion: Bool) throws {
    try mapping.check(db, databaseTableName, isInsertion: isInsertion)
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
