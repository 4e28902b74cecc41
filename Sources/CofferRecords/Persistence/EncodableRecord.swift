import CofferCore
import CofferQuery
import FoundationEssentials

/// A type that declares which columns it stores, and their values.
///
/// ```swift
/// struct Player: EncodableRecord {
///   var id: Int64, name: String
///
///   func encode(to container: inout PersistenceContainer) {
///     container["id"] = id
///     container["name"] = name
///   }
/// }
/// ```
///
/// An `Encodable` type needs no method: it is encoded by its coding keys, with the strategies
/// below.
public protocol EncodableRecord: _CodingKeyColumns {
  /// Sets the value of each column.
  ///
  /// It can be called more than once for one change. It is fastest if it always sets the same
  /// columns in the same order.
  func encode(to container: inout PersistenceContainer) throws

  /// The `userInfo` of the encoders of an `Encodable` type.
  static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { get }

  /// Returns the encoder for the JSON in a column of an `Encodable` type.
  static func databaseJSONEncoder(for column: String) -> JSONEncoder

  /// How an `Encodable` type stores `Data` in a column.
  static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy

  /// How an `Encodable` type stores a `Date` in a column.
  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy

  /// How an `Encodable` type stores a `UUID` in a column.
  static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy

  /// How the coding keys of an `Encodable` type become names of columns.
  static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { get }

  /// Binds the values that ``encode(to:)`` sets, all of them and in the same order.
  ///
  /// A shortcut for insertions, for types whose columns are known in advance.
  /// - Returns: Whether it has bound the values. If not, nothing is bound.
  func _bindColumns(to binder: inout StatementBinder) throws -> Bool

  /// Throws if records of the type can't be stored in their table.
  static func _checkTable(_ db: Database, isInsertion: Bool) throws
}

extension EncodableRecord {
  /// Leaves binding to ``encode(to:)``.
  @inlinable @inline(__always)
  public func _bindColumns(to binder: inout StatementBinder) throws -> Bool { false }

  /// Leaves the check to SQLite.
  public static func _checkTable(_ db: Database, isInsertion: Bool) throws {}

  /// An empty dictionary.
  public static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [:] }

  /// Returns an encoder with sorted keys.
  ///
  /// It encodes data as Base64, and dates as milliseconds since 1970.
  public static func databaseJSONEncoder(for column: String) -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.dataEncodingStrategy = .base64
    encoder.dateEncodingStrategy = .millisecondsSince1970
    encoder.nonConformingFloatEncodingStrategy = .throw
    encoder.outputFormatting = .sortedKeys
    encoder.userInfo = sendable(databaseEncodingUserInfo)
    return encoder
  }

  /// Stores blobs.
  public static func databaseDataEncodingStrategy(
    for column: String
  ) -> DatabaseDataEncodingStrategy { .deferredToData }

  /// Stores text such as `2024-05-31 08:15:00.000`, in UTC.
  public static func databaseDateEncodingStrategy(
    for column: String
  ) -> DatabaseDateEncodingStrategy { .deferredToDate }

  /// Stores blobs of sixteen bytes.
  public static func databaseUUIDEncodingStrategy(
    for column: String
  ) -> DatabaseUUIDEncodingStrategy { .deferredToUUID }

  /// Uses the keys unchanged.
  public static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy {
    .useDefaultKeys
  }
}

/// Casts a `userInfo` to the type that Foundation's encoders and decoders require.
func sendable(_ userInfo: [CodingUserInfoKey: Any]) -> [CodingUserInfoKey: any Sendable] {
  // SAFETY: `Sendable` is a marker protocol without effect on memory layout, and a coder is used on
  // the thread that requests it, as are the values.
  unsafe unsafeBitCast(userInfo, to: [CodingUserInfoKey: any Sendable].self)
}
