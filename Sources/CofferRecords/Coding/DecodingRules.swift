import CofferCore
import FoundationEssentials

/// What a record type says about its decoding, with the type itself left out.
final class DecodingRules {
  let record: any FetchableRecord.Type
  let columns: DatabaseColumnDecodingStrategy
  let userInfo: [CodingUserInfoKey: Any]

  init(_ record: any FetchableRecord.Type) {
    self.record = record
    columns = record.databaseColumnDecodingStrategy
    userInfo = record.databaseDecodingUserInfo
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
    decoder.userInfo = databaseDecodingUserInfo.asSendable
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

extension [CodingUserInfoKey: Any] {
  /// The same as the JSON coders want it.
  var asSendable: [CodingUserInfoKey: any Sendable] {
    // SAFETY: Sendable is a marker: `Any` and `any Sendable` are the same type when the program
    // runs. The coders in which these values end are used where they are made.
    unsafeBitCast(self, to: [CodingUserInfoKey: any Sendable].self)
  }
}
