import CofferCore
import CofferQuery

extension EncodableRecord {
  /// The columns that the record stores, with their values.
  public var databaseDictionary: [String: DatabaseValue] {
    get throws { try PersistenceContainer(self).entries.dictionary }
  }

  /// Returns whether both records store the same values.
  ///
  /// False if a record can't be encoded.
  public func databaseEquals(_ record: Self) -> Bool {
    guard let own = try? PersistenceContainer(self),
      let other = try? PersistenceContainer(record)
    else { return false }
    return own.changes(from: other).isEmpty
  }

  /// Returns the columns in which the record differs from another one, with the other's values.
  ///
  /// ```swift
  /// let changes = try newPlayer.databaseChanges(from: oldPlayer)
  /// // ["score": 100], the previous score
  /// ```
  ///
  /// Columns that the other record lacks count as NULL.
  public func databaseChanges(
    from record: some EncodableRecord
  ) throws -> [String: DatabaseValue] {
    try PersistenceContainer(self).changes(from: PersistenceContainer(record)).dictionary
  }

  /// Modifies the record.
  ///
  /// - Returns: The columns that have changed, with their previous values.
  public mutating func databaseChanges(
    modify: (inout Self) throws -> Void
  ) throws -> [String: DatabaseValue] {
    let old = try PersistenceContainer(self)
    try modify(&self)
    return try PersistenceContainer(self).changes(from: old).dictionary
  }
}

extension PersistenceContainer {
  /// Returns the columns whose values differ from `old`, with the values of `old`.
  func changes(from old: PersistenceContainer) -> [Entry] {
    entries.compactMap { entry in
      let value = old.storedValue(entry.column) ?? .null
      return value == entry.value ? nil : Entry(column: entry.column, value: value)
    }
  }
}

extension [PersistenceContainer.Entry] {
  var dictionary: [String: DatabaseValue] {
    Dictionary(map { ($0.column, $0.value) }, uniquingKeysWith: { first, _ in first })
  }
}
