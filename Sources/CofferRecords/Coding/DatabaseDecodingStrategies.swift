import CofferCore
import Foundation

/// How a `Decodable` record reads the `Date` properties of a column.
///
/// NULL is nil for an optional property, whatever the strategy.
public enum DatabaseDateDecodingStrategy: Sendable {
  /// The conversion of `Date`: SQLite's date formats, or seconds since 1970.
  case deferredToDate
  /// A number: seconds since 1 January 2001, UTC.
  case timeIntervalSinceReferenceDate
  /// A number: seconds since 1 January 1970, UTC.
  case timeIntervalSince1970
  /// A number: milliseconds since 1 January 1970, UTC.
  case millisecondsSince1970
  /// A text such as `2018-08-19T17:18:07Z`.
  case iso8601
  /// A text that the formatter parses.
  case formatted(DateFormatter)
  /// The result of the closure; nil if the value isn't a date.
  case custom(@Sendable (DatabaseValue) -> Date?)
}

extension DatabaseDateDecodingStrategy {
  /// Returns the date for a stored value; nil if the value isn't a date.
  package func date(from value: DatabaseValue) -> Date? {
    switch self {
    case .deferredToDate: Date.fromDatabaseValue(value)
    case .timeIntervalSinceReferenceDate:
      Double.fromDatabaseValue(value).map(Date.init(timeIntervalSinceReferenceDate:))
    case .timeIntervalSince1970:
      Double.fromDatabaseValue(value).map(Date.init(timeIntervalSince1970:))
    case .millisecondsSince1970:
      Double.fromDatabaseValue(value).map { Date(timeIntervalSince1970: $0 / 1000) }
    case .iso8601:
      String.fromDatabaseValue(value).flatMap { try? Date($0, strategy: .iso8601) }
    case .formatted(let formatter):
      String.fromDatabaseValue(value).flatMap(formatter.date(from:))
    case .custom(let convert): convert(value)
    }
  }
}

/// How a `Decodable` record reads the `Data` properties of a column.
///
/// NULL is nil for an optional property, whatever the strategy.
public enum DatabaseDataDecodingStrategy: Sendable {
  /// The conversion of `Data`: the bytes of a blob, or the UTF-8 of a text.
  case deferredToData
  /// The result of the closure; nil if the value isn't data.
  case custom(@Sendable (DatabaseValue) -> Data?)
}

/// How a `Decodable` record finds the column of a coding key.
public enum DatabaseColumnDecodingStrategy: Sendable {
  /// The column has the name of the key.
  case useDefaultKeys
  /// The key `teamId` is read from the column `team_id`.
  ///
  /// Underscores at the ends are kept. A key without such a column, such as `teamID`, is read from
  /// the column in which `convertToSnakeCase` would store it.
  case convertFromSnakeCase
  /// The closure returns the key for the name of a column.
  case custom(@Sendable (String) -> any CodingKey)
}

extension DatabaseColumnDecodingStrategy {
  /// Returns the index of a coding key's column in the adapted row.
  func columnIndex(ofKey key: String, in row: Row) -> Int? {
    switch self {
    case .useDefaultKeys:
      return row.layout.index(ofColumn: key)
    case .convertFromSnakeCase:
      let names = row.layout.columnNames
      return names.firstIndex { SnakeCase.camelCased($0) == key }
        ?? row.layout.index(ofColumn: SnakeCase.snakeCased(key))
    case .custom(let keyOfColumn):
      return row.layout.columnNames.firstIndex { keyOfColumn($0).stringValue == key }
    }
  }

  /// Returns the coding key of a column.
  func key(ofColumn column: String) -> String {
    switch self {
    case .useDefaultKeys: column
    case .convertFromSnakeCase: SnakeCase.camelCased(column)
    case .custom(let keyOfColumn): keyOfColumn(column).stringValue
    }
  }
}
