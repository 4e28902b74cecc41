import CofferCore
import Foundation

/// How an `Encodable` record stores `Data`.
public enum DatabaseDataEncodingStrategy: Sendable {
  /// As a blob.
  case deferredToData
  /// As text.
  ///
  /// Encoding throws if the bytes aren't valid UTF-8.
  case text
  /// As the value that the function returns; nil is NULL.
  case custom(@Sendable (Data) -> (any DatabaseValueConvertible)?)
}

/// How an `Encodable` record stores a `Date`.
public enum DatabaseDateEncodingStrategy: Sendable {
  /// As text such as `2024-05-31 08:15:00.000`, in UTC.
  case deferredToDate
  /// As a real: seconds since the start of 2001, in UTC.
  case timeIntervalSinceReferenceDate
  /// As a real: seconds since the start of 1970, in UTC.
  case timeIntervalSince1970
  /// As an integer: whole seconds since the start of 1970, in UTC.
  case secondsSince1970
  /// As an integer: whole milliseconds since the start of 1970, in UTC.
  case millisecondsSince1970
  /// As text such as `2024-05-31T08:15:00Z`.
  case iso8601
  /// As text by a formatter, which must not be modified afterwards.
  case formatted(DateFormatter)
  /// As the value that the function returns; nil is NULL.
  case custom(@Sendable (Date) -> (any DatabaseValueConvertible)?)
}

/// How an `Encodable` record stores a `UUID`.
public enum DatabaseUUIDEncodingStrategy: Sendable {
  /// As a blob of sixteen bytes.
  case deferredToUUID
  /// As text such as `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`.
  case uppercaseString
  /// As text such as `e621e1f8-c36c-495a-93fc-0c247a3e6e5f`.
  case lowercaseString
}

/// How the coding keys of an `Encodable` record become names of columns.
public enum DatabaseColumnEncodingStrategy: Sendable {
  /// The keys are the names.
  case useDefaultKeys
  /// `playerID` becomes `player_id`.
  case convertToSnakeCase
  /// The function returns the names.
  case custom(@Sendable (any CodingKey) -> String)
}
