import CofferCore
import Foundation

extension DatabaseDateEncodingStrategy {
  /// Returns the value to store; nil if SQLite's integers are too small for it.
  func databaseValue(_ date: Date) -> DatabaseValue? {
    switch self {
    case .deferredToDate: date.databaseValue
    case .timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.databaseValue
    case .timeIntervalSince1970: date.timeIntervalSince1970.databaseValue
    case .secondsSince1970:
      Int64(exactly: date.timeIntervalSince1970.rounded(.down))?.databaseValue
    case .millisecondsSince1970:
      Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded(.down))?.databaseValue
    case .iso8601: date.formatted(.iso8601).databaseValue
    case .formatted(let formatter): formatter.string(from: date).databaseValue
    case .custom(let convert): convert(date)?.databaseValue ?? .null
    }
  }
}

extension DatabaseDataEncodingStrategy {
  /// Returns the value to store; nil if it has to be text and isn't UTF-8.
  func databaseValue(_ data: Data) -> DatabaseValue? {
    switch self {
    case .deferredToData: data.databaseValue
    case .text: String(validating: data, as: UTF8.self)?.databaseValue
    case .custom(let convert): convert(data)?.databaseValue ?? .null
    }
  }
}

extension DatabaseUUIDEncodingStrategy {
  /// Returns the value to store.
  func databaseValue(_ uuid: UUID) -> DatabaseValue {
    switch self {
    case .deferredToUUID: uuid.databaseValue
    case .uppercaseString: uuid.uuidString.databaseValue
    case .lowercaseString: uuid.uuidString.lowercased().databaseValue
    }
  }
}

extension DatabaseColumnEncodingStrategy {
  /// Returns the column of a coding key.
  func column(ofKey key: any CodingKey) -> String {
    switch self {
    case .useDefaultKeys: key.stringValue
    case .convertToSnakeCase: SnakeCase.snakeCased(key.stringValue)
    case .custom(let column): column(key)
    }
  }
}
