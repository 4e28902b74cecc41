import CofferCore

/// An error of a record.
public enum RecordError: Error {
  /// The table has no row with the key, a dictionary of column names and values.
  case recordNotFound(databaseTableName: String, key: [String: DatabaseValue])
}

extension RecordError: CustomStringConvertible {
  /// The table, and the columns of the key without their values.
  public var description: String {
    switch self {
    case .recordNotFound(let table, let key):
      "table \(table) has no row with that key (\(key.keys.sorted().joined(separator: ", ")))"
    }
  }
}

/// The former name of ``RecordError``.
@available(*, deprecated, renamed: "RecordError")
public typealias PersistenceError = RecordError
