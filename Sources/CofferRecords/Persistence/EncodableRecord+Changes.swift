import CofferCore
import CofferQuery

extension EncodableRecord {
  /// The columns that the record stores, with their values.
  public var databaseDictionary: [String: DatabaseValue] {
    get throws {
      let container = try PersistenceContainer(self)
      return Dictionary(
        container.entries.map { ($0.column, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
  }

  /// Whether both records store the same values; false where one can't be encoded.
  public func databaseEquals(_ record: Self) -> Bool {
    guard let own = try? PersistenceContainer(self),
      let other = try? PersistenceContainer(record)
    else { return false }
    return own.changes(from: other).isEmpty
  }

  /// The columns in which the record differs from another one, with the values of the other one.
  ///
  /// ```swift
  /// let changes = try newPlayer.databaseChanges(from: oldPlayer)
  /// // ["score": 100], where the old player has 100, and the new one something else
  /// ```
  ///
  /// Those that the other one doesn't have were NULL.
  public func databaseChanges(
    from record: some EncodableRecord
  ) throws -> [String: DatabaseValue] {
    try PersistenceContainer(self).changes(from: PersistenceContainer(record)).dictionary
  }

  /// Changes the record.
  ///
  /// - Returns: The columns that are different then, with their values before.
  public mutating func databaseChanges(
    modify: (inout Self) throws -> Void
  ) throws -> [String: DatabaseValue] {
    let old = try PersistenceContainer(self)
    try modify(&self)
    return try PersistenceContainer(self).changes(from: old).dictionary
  }
}

extension PersistenceContainer {
  /// The columns in which the values differ from those of another container, with the latter.
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
