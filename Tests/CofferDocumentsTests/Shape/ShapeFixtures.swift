import Coffer
import Foundation

@testable import CofferDocuments

struct Address: Codable, Equatable {
  var street: String
  @Index var city: String
  var geo: Geo?
}

struct Geo: Codable, Equatable {
  var latitude: Double
  var longitude: Double
}

enum Direction: String, Codable {
  case up = "^"
  case down = "v"
  case left = "<"
  case right = ">"
}
enum Level: Int, Codable { case low = 10, high = 70 }
enum Flag: Codable { case on, off, unknown }
enum Listed: String, Codable, CaseIterable { case first, second }
enum Only: String, Codable { case one }
enum Shape: Codable, Equatable {
  case circle(radius: Double)
  case square(side: Double)
}
enum Sampled: Codable, Equatable, SampleValueSource {
  case number(Int)
  case text(String)
  static let sampleValues = SampleValues(Sampled.number(3), Sampled.text("x"))
}

struct Identifier: RawRepresentable, Codable, Hashable {
  var rawValue: String
}

/// A text with an `@`; others are refused.
struct Email: Codable, Equatable {
  var text: String
  init(_ text: String) { self.text = text }
  init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
    guard text.contains("@") else { throw EmailError() }
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
  struct EmailError: Error {}
}

/// An amount that is stored as cents, although it is `Codable`.
struct Money: Codable, Equatable, DatabaseValueConvertible {
  var cents: Int
  var databaseValue: DatabaseValue { cents.databaseValue }
  static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Money? {
    Int.fromDatabaseValue(dbValue).map(Money.init)
  }
}

/// One property of every kind.
struct Kinds: Codable {
  var bool: Bool
  var int: Int, int8: Int8, int16: Int16, int32: Int32, int64: Int64
  var uint: UInt, uint8: UInt8, uint16: UInt16, uint32: UInt32, uint64: UInt64
  var double: Double, float: Float
  var string: String, otherString: String, thirdString: String
  var date: Date, data: Data, uuid: UUID, url: URL, decimal: Decimal
  var optionalInt: Int?, optionalString: String?
  var direction: Direction, level: Level, flag: Flag, listed: Listed, only: Only
  var optionalDirection: Direction?
  var sampled: Sampled
  var identifier: Identifier
  var money: Money
  var range: ClosedRange<Int>
  var address: Address
  var optionalAddress: Address?
  var tags: [String], set: Set<Int>, counts: [String: Int], byLevel: [Level: String]
  var addresses: [Address]
  var zone: TimeZone
}

extension Kinds {
  /// Key paths, and the columns that they lead to.
  static var paths: [(PartialKeyPath<Kinds>, String)] {
    [
      (\.bool, "bool"), (\.int, "int"), (\.int8, "int8"), (\.int16, "int16"), (\.int32, "int32"),
      (\.int64, "int64"), (\.uint, "uint"), (\.uint8, "uint8"), (\.uint16, "uint16"),
      (\.uint32, "uint32"), (\.uint64, "uint64"), (\.double, "double"), (\.float, "float"),
      (\.string, "string"), (\.otherString, "otherString"), (\.thirdString, "thirdString"),
      (\.date, "date"), (\.data, "data"), (\.uuid, "uuid"), (\.url, "url"), (\.decimal, "decimal"),
      (\.optionalInt, "optionalInt"), (\.optionalString, "optionalString"),
      (\.direction, "direction"), (\.level, "level"), (\.flag, "flag"), (\.listed, "listed"),
      (\.only, "only"), (\.optionalDirection, "optionalDirection"), (\.sampled, "sampled"),
      (\.identifier, "identifier"), (\.identifier.rawValue, "identifier"), (\.money, "money"),
      (\.range, "range"), (\.address, "address"), (\.address.street, "address.street"),
      (\.address.city, "address.city"), (\.address.geo, "address.geo"),
      (\.address.geo?.latitude, "address.geo.latitude"),
      (\.optionalAddress, "optionalAddress"), (\.optionalAddress?.city, "optionalAddress.city"),
      (\.optionalAddress?.geo?.longitude, "optionalAddress.geo.longitude"),
      (\.optionalAddress!.street, "optionalAddress.street"),
      (\.tags, "tags"), (\.tags.first, "tags[0]"), (\.set, "set"), (\.counts, "counts"),
      (\.byLevel, "byLevel"), (\.addresses, "addresses"),
      (\.addresses.first?.city, "addresses[0].city"), (\.zone, "zone"),
    ]
  }
}

/// The message of the error that `body` throws.
func documentError<T>(_ body: () throws -> T) -> String? {
  do {
    _ = try body()
    return nil
  } catch { return (error as? DocumentError)?.message }
}

extension DocumentType {
  /// The column that a key path leads to, as text.
  static func path(_ keyPath: PartialKeyPath<Document>) throws -> String {
    try known().column(keyPath).description
  }
}
