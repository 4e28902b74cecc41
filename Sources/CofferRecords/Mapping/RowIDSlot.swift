import CofferCore

/// An optional integer property that receives the rowid when the record is inserted.
@usableFromInline
struct RowIDSlot<Record>: Sendable {
  /// The key path of a writable property.
  ///
  /// SAFETY: `keyPath` is the Sendable key path passed to `init`, cast to its writable class.
  private struct Property<ID>: @unchecked Sendable {
    let keyPath: WritableKeyPath<Record, ID?>
  }

  @usableFromInline let column: String
  /// The offset of a stored `Int64?` property, in bytes; -1 for other properties.
  @usableFromInline let offset: Int
  @usableFromInline let assign: @Sendable (Int64, inout Record) -> Void

  /// Returns nil if the property isn't an optional integer, or can't be written.
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
      // A value that is set is already the rowid, or after a conflict, that of the existing row.
      guard record[keyPath: property.keyPath] == nil else { return }
      record[keyPath: property.keyPath] = ID(exactly: rowID)
    }
  }

  /// Returns whether this is the slot of a column.
  @inlinable
  func takes(_ name: String) -> Bool { column == name || column.isSameName(as: name) }

  /// Sets the property to the rowid if it is nil.
  @inlinable
  func set(_ rowID: Int64, in record: inout Record) {
    guard offset >= 0 else { return assign(rowID, &record) }
    unsafe withUnsafeMutablePointer(to: &record) { record in
      // SAFETY: `offset` is the offset of a stored property of type `Int64?` in `Record`.
      let property = unsafe (UnsafeMutableRawPointer(record) + offset).assumingMemoryBound(
        to: Int64?.self)
      if unsafe property.pointee == nil { unsafe property.pointee = rowID }
    }
  }
}
