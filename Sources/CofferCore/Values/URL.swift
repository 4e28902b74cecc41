import CofferVault
import FoundationEssentials

extension URL: DatabaseValueConvertible {
  /// The absolute string, as text.
  public var databaseValue: DatabaseValue { absoluteString.databaseValue }

  /// Returns the URL of a text, or of a blob that is valid UTF-8; nil for other values.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> URL? {
    guard let text = String.fromDatabaseValue(dbValue) else { return nil }
    return URL(string: text)
  }
}
