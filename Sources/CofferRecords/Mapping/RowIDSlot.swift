import CofferCore

/// An optional integer of a record, which takes the rowid when the record is inserted.
@usableFromInline
struct RowIDSlot<Record>: Sendable {
  /// The key path of a property, which may be changed.
  ///
  /// SAFETY: it is the one that was Sendable, with its class found out.
  private struct Property<ID>: @unchecked Sendable {
    let keyPath: WritableKeyPath<Record, ID?>
  }

  @usableFromInline let column: String
  /// Where an `Int64?` is in the record, in bytes; -1 for other types, and for computed properties.
  @usableFromInline let offset: Int
  @usableFromInline let assign: @Sendable (Int64, inout Record) -> Void

  /// Nil for properties that are none, or can't be changed.
  init?(_ column: String, _ property: any AnyKeyPath & Sendable) {
    let assign =
      RowIDSlot.assignment(property, Int64.self) ?? RowIDSlot.assignment(property, Int.self)
      ?? RowIDSlot.assignment(property, Int32.self)
    guard let assign else { return nil }
    self.column = column
    self.assign = assign
    let keyPath = property as? WritableKeyPath<Record, Int64?>
    offset = keyPath.flatMap { MemoryLayout<Record>.offset(of: $0) } ?? -1
  }

  private static func assignment<ID: FixedWidthInteger & Sendable>(
    _ keyPath: AnyKeyPath, _ type: ID.Type
  ) -> (@Sendable (Int64, inout Record) -> Void)? {
    guard let keyPath = keyPath as? WritableKeyPath<Record, ID?> else { return nil }
    let property = Property(keyPath: keyPath)
    return { rowID, record in
      // One that was given is the rowid already, or that of a conflict's other row.
      guard record[keyPath: property.keyPath] == nil else { return }
      record[keyPath: property.keyPath] = ID(exactly: rowID)
    }
  }

  /// Whether it is the slot of a column.
  @inlinable
  func takes(_ name: String) -> Bool { column == name || column.isSameName(as: name) }

  /// Gives the property the rowid, where it is nil.
  @inlinable
  func set(_ rowID: Int64, in record: inout Record) {
    guard offset >= 0 else { return assign(rowID, &record) }
    withUnsafeMutablePointer(to: &record) { record in
      // SAFETY: the offset is that of a stored property of this type, which is an `Int64?`.
      let property = (UnsafeMutableRawPointer(record) + offset).assumingMemoryBound(
        to: Int64?.self)
      if property.pointee == nil { property.pointee = rowID }
    }
  }
}
