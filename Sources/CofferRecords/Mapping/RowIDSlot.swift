import CofferCore

/// An optional integer of a record, which takes the rowid when the record is inserted.
struct RowIDSlot<Record>: Sendable {
  /// The key path of a property, which may be changed.
  ///
  /// SAFETY: it is the one that was Sendable, with its class found out.
  private struct Property<ID>: @unchecked Sendable {
    let keyPath: WritableKeyPath<Record, ID?>
  }

  let column: String
  private let assign: @Sendable (Int64, inout Record) -> Void

  /// Nil for properties that are none, or can't be changed.
  init?(_ column: String, _ property: any AnyKeyPath & Sendable) {
    self.column = column
    if let assign = RowIDSlot.assignment(property, Int64.self)
      ?? RowIDSlot.assignment(property, Int.self) ?? RowIDSlot.assignment(property, Int32.self)
    {
      self.assign = assign
    } else {
      return nil
    }
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

  func set(_ rowID: Int64, in record: inout Record) { assign(rowID, &record) }
}
