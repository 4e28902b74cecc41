import CofferCore
import FoundationEssentials

/// An error of a record.
public enum RecordError: Error {
  /// The table has no row with the key, a dictionary of column names and values.
  case recordNotFound(databaseTableName: String, key: [String: DatabaseValue])
}

extension RecordError: CustomStringConvertible, LocalizedError {
  /// The table, and the columns of the key without their values.
  public var description: String {
    switch self {
    case .recordNotFound(let table, let key):
      let nulls = key.filter { $0.value.isNull }.keys.sorted().joined(separator: ", ")
      return nulls.isEmpty
        ? "table \(table) has no row with that key (\(key.keys.sorted().joined(separator: ", ")))"
        : "table \(table) has no row whose key is NULL (\(nulls)): a record has its key after it was "
          + "inserted"
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}

/// The former name of ``RecordError``.
@available(*, deprecated, renamed: "RecordError")
public typealias PersistenceError = RecordError
