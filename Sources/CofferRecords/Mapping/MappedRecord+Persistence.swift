import CofferCore
import CofferQuery

extension MappedRecord {
  /// Encodes the value of each of the mapping's columns.
  @inlinable
  public func encode(to container: inout PersistenceContainer) throws {
    try writeFields(to: &container)
  }

  @inlinable @inline(__always)
  func writeFields(to container: inout PersistenceContainer) throws {
    let mapping = Self.mapping
    try unsafe withUnsafeMutablePointer(to: &container) { container in
      var sink = ContainerSink(container, mapping.names)
      try unsafe withUnsafePointer(to: self) { try unsafe mapping.collect($0, &sink) }
    }
  }

  /// Binds the values to an insertion's parameters, without names.
  @inlinable @inline(__always)
  public func _bindColumns(to binder: inout StatementBinder) throws -> Bool {
    var sink = BinderSink(binder)
    try unsafe withUnsafePointer(to: self) { try unsafe Self.mapping.bind($0, &sink) }
    binder = sink.binder
    return true
  }

  /// Returns whether the container has exactly the mapping's values.
  ///
  /// False if the type implements `encode(to:)` differently.
  func bindsColumns(of container: PersistenceContainer) throws -> Bool {
    var mapped = PersistenceContainer()
    try writeFields(to: &mapped)
    return container.count == mapped.count
      && zip(container, mapped).allSatisfy { $0.0 == $1.0 && $0.1 == $1.1 }
  }

  /// Throws if the mapping doesn't match the table.
  public static func _checkTable(_ db: Database, isInsertion: Bool) throws {
    try mapping.check(db, databaseTableName, isInsertion: isInsertion)
  }

  /// Stores the rowid in the property of its column, if that is an optional integer that is nil.
  @inlinable
  public mutating func didInsert(_ inserted: InsertionSuccess) {
    let slots = Self.mapping.rowIDSlots
    guard !slots.isEmpty, let column = inserted.rowIDColumn else { return }
    for slot in slots where slot.takes(column) {
      slot.set(inserted.rowID, in: &self)
    }
  }
}

// For types that also get `init(row:)`, `encode(to:)` or `didInsert` from another protocol: the
// mapping takes precedence.

extension MappedRecord where Self: Decodable {
  /// Decodes a row by the mapping.
  @inlinable
  public init(row: Row) throws { self = try Self.mapping.record(from: row) }
}

extension MappedRecord where Self: Encodable {
  /// Encodes the value of each of the mapping's columns.
  @inlinable
  public func encode(to container: inout PersistenceContainer) throws {
    try writeFields(to: &container)
  }
}

extension MappedRecord where Self: PersistableRecord {
  /// Does nothing, since insertions don't change the record.
  @inlinable
  public func didInsert(_ inserted: InsertionSuccess) { inserted.stored.defaultCallbackCount &+= 1 }
}
