import CofferCore
import CofferQuery
import FoundationEssentials

/// A type that tells which columns it stores, and what in them.
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
/// An `Encodable` type needs no method: it is encoded by its coding keys, as the strategies below
/// say.
public protocol EncodableRecord: _CodingKeyColumns {
  /// Gives each column its value.
  ///
  /// It may be called more than once for one change, and is the fastest where it sets the same
  /// columns in the same order each time.
  func encode(to container: inout PersistenceContainer) throws

  /// What the encoders of an `Encodable` type find in their `userInfo`.
  static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { get }

  /// The encoder of the JSON that a column of an `Encodable` type holds.
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
  /// For types that know their columns beforehand: a short cut for insertions.
  /// - Returns: Whether it has done so; if not, nothing is bound.
  func _bindColumns(to binder: inout StatementBinder) throws -> Bool

  /// Whether ``_bindColumns(to:)`` binds what has been encoded.
  func _bindsColumns(of container: PersistenceContainer) throws -> Bool

  /// Says what is wrong with a table, before records of the type are stored in it.
  static func _checkTable(_ db: Database, isInsertion: Bool) throws
}

extension EncodableRecord {
  /// Leaves it to ``encode(to:)``.
  @inlinable @inline(__always)
  public func _bindColumns(to binder: inout StatementBinder) throws -> Bool { false }

  /// It does.
  public func _bindsColumns(of container: PersistenceContainer) throws -> Bool { true }

  /// Leaves it to SQLite.
  public static func _checkTable(_ db: Database, isInsertion: Bool) throws {}

  /// Nothing.
  public static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [:] }

  /// An encoder that sorts keys, stores data in base 64, and dates as milliseconds since 1970.
  public static func databaseJSONEncoder(for column: String) -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.dataEncodingStrategy = .base64
    encoder.dateEncodingStrategy = .millisecondsSince1970
    encoder.nonConformingFloatEncodingStrategy = .throw
    encoder.outputFormatting = .sortedKeys
    encoder.userInfo = sendable(databaseEncodingUserInfo)
    return encoder
  }

  /// Blobs.
  public static func databaseDataEncodingStrategy(
    for column: String
  ) -> DatabaseDataEncodingStrategy { .deferredToData }

  /// Text such as `2024-05-31 08:15:00.000`, in UTC.
  public static func databaseDateEncodingStrategy(
    for column: String
  ) -> DatabaseDateEncodingStrategy { .deferredToDate }

  /// Blobs of sixteen bytes.
  public static func databaseUUIDEncodingStrategy(
    for column: String
  ) -> DatabaseUUIDEncodingStrategy { .deferredToUUID }

  /// The keys as they are.
  public static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy {
    .useDefaultKeys
  }
}

/// The same, as Foundation's encoders and decoders want it.
func sendable(_ userInfo: [CodingUserInfoKey: Any]) -> [CodingUserInfoKey: any Sendable] {
  // SAFETY: `Sendable` is a marker that the layout of a value doesn't know; and coders are used by
  // the thread that asks for them, as the values are.
  unsafeBitCast(userInfo, to: [CodingUserInfoKey: any Sendable].self)
}
