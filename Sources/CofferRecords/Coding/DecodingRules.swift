import CofferCore
import FoundationEssentials

/// What a record type says about its decoding, with the type itself left out.
final class DecodingRules {
  let record: any FetchableRecord.Type
  let columns: DatabaseColumnDecodingStrategy
  // Asked for each time: few ask, and what they get may change while a statement is kept.
  var userInfo: [CodingUserInfoKey: Any] { record.databaseDecodingUserInfo }

  init(_ record: any FetchableRecord.Type) {
    self.record = record
    columns = record.databaseColumnDecodingStrategy
  }
}

extension FetchableRecord {
  /// Nothing.
  public static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [:] }

  /// A decoder that takes data as Base64 and dates as milliseconds since 1970, with
  /// ``databaseDecodingUserInfo``.
  public static func databaseJSONDecoder(for column: String) -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dataDecodingStrategy = .base64
    decoder.dateDecodingStrategy = .millisecondsSince1970
    decoder.nonConformingFloatDecodingStrategy = .throw
    decoder.userInfo = sendable(databaseDecodingUserInfo)
    return decoder
  }

  /// As `Data` is read elsewhere.
  public static func databaseDataDecodingStrategy(
    for column: String
  ) -> DatabaseDataDecodingStrategy {
    .deferredToData
  }

  /// As `Date` is read elsewhere.
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
