import CofferCore
import FoundationEssentials

/// A type whose columns follow no declaration, but what its properties were when a row was written.
///
/// What isn't stored as a number is none then, and a fraction stays one: what SQLite would make of
/// a text, as 0 of "apples", would be lost with the next save. Nor is a number written as NULL, which
/// SQLite makes of NaN. Errors don't show the value.
package protocol StrictlyDecoded {
  /// The type that errors name.
  static var decodedType: any Any.Type { get }
}

/// What a record type says about its decoding, with the type itself left out.
final class DecodingRules {
  let record: any FetchableRecord.Type
  let columns: DatabaseColumnDecodingStrategy
  /// Whether the type is ``StrictlyDecoded``.
  var isStrict: Bool { strictType != nil }
  private let strictType: (any StrictlyDecoded.Type)?
  /// What errors call the type.
  var recordName: String { "\(strictType?.decodedType ?? record)" }
  // Asked for each time: few ask, and what they get may change while a statement is kept.
  var userInfo: [CodingUserInfoKey: Any] { record.databaseDecodingUserInfo }

  init(_ record: any FetchableRecord.Type) {
    self.record = record
    columns = record.databaseColumnDecodingStrategy
    strictType = record as? any StrictlyDecoded.Type
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
