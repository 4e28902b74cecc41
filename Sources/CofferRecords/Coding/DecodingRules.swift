import CofferCore
import FoundationEssentials

/// A type whose columns have no declared type.
///
/// A column therefore holds values of the type that its property had when the row was written.
///
/// Only values stored as numbers are read as numbers, and a fraction isn't truncated: SQLite would
/// convert the text "apples" to 0, and the next save would lose the text. NaN isn't written, since
/// SQLite would store NULL. Errors don't show the value.
package protocol StrictlyDecoded {
  /// The type named in errors.
  static var decodedType: any Any.Type { get }
}

/// The decoding strategies of a record type, independent of its static type.
final class DecodingRules {
  let record: any FetchableRecord.Type
  let columns: DatabaseColumnDecodingStrategy
  /// Whether the type is ``StrictlyDecoded``.
  var isStrict: Bool { strictType != nil }
  private let strictType: (any StrictlyDecoded.Type)?
  /// The name of the type in errors.
  var recordName: String { "\(strictType?.decodedType ?? record)" }
  // Not cached, since few types need it, and it can change while a statement is kept.
  var userInfo: [CodingUserInfoKey: Any] { record.databaseDecodingUserInfo }

  init(_ record: any FetchableRecord.Type) {
    self.record = record
    columns = record.databaseColumnDecodingStrategy
    strictType = record as? any StrictlyDecoded.Type
  }
}

extension FetchableRecord {
  /// An empty dictionary.
  public static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [:] }

  /// Returns a decoder with ``databaseDecodingUserInfo``.
  ///
  /// It decodes data from Base64, and dates from milliseconds since 1970.
  public static func databaseJSONDecoder(for column: String) -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dataDecodingStrategy = .base64
    decoder.dateDecodingStrategy = .millisecondsSince1970
    decoder.nonConformingFloatDecodingStrategy = .throw
    decoder.userInfo = sendable(databaseDecodingUserInfo)
    return decoder
  }

  /// Uses the conversion of `Data`.
  public static func databaseDataDecodingStrategy(
    for column: String
  ) -> DatabaseDataDecodingStrategy {
    .deferredToData
  }

  /// Uses the conversion of `Date`.
  public static func databaseDateDecodingStrategy(
    for column: String
  ) -> DatabaseDateDecodingStrategy {
    .deferredToDate
  }

  /// The columns have the names of the coding keys.
  public static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy {
    .useDefaultKeys
  }
}
