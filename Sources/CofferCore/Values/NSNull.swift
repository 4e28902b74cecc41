import Foundation

extension NSNull: DatabaseValueConvertible {
  /// NULL.
  public var databaseValue: DatabaseValue { .null }

  /// Nil, always: NULL is the absence of a value.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? { nil }
}
