import Foundation

// The classes of Foundation, which are stored as the Swift types that stand for the same.
//
// A subclass that isn't one of these reads nothing: there is no way to make one.

extension NSNull: DatabaseValueConvertible {
  /// NULL.
  public var databaseValue: DatabaseValue { .null }

  /// Nil, always: NULL is the absence of a value.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? { nil }
}

extension NSData: DatabaseValueConvertible {
  /// The bytes, as a blob.
  public var databaseValue: DatabaseValue { Data(referencing: self).databaseValue }

  /// As `Data` is read.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    Data.fromDatabaseValue(dbValue).flatMap { NSData(data: $0) as? Self }
  }
}

extension NSDate: DatabaseValueConvertible {
  /// The value of the `Date`.
  public var databaseValue: DatabaseValue {
    Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate).databaseValue
  }

  /// As `Date` is read.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    Date.fromDatabaseValue(dbValue).flatMap {
      NSDate(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate) as? Self
    }
  }
}

extension NSNumber: DatabaseValueConvertible {
  /// An integer or a real, as the number was made; of a decimal number an integer where it is
  /// one, or else the nearest real. ``Foundation/Decimal`` keeps all digits.
  ///
  /// - Precondition: It isn't an unsigned integer above `Int64.max`.
  public var databaseValue: DatabaseValue {
    if let decimal = self as? NSDecimalNumber,
      let integer = Int64(decimal.decimalValue.description)
    {
      return integer.databaseValue
    }
    return switch UInt8(bitPattern: objCType.pointee) {
    case UInt8(ascii: "f"), UInt8(ascii: "d"): doubleValue.databaseValue
    case UInt8(ascii: "Q"), UInt8(ascii: "L"): uint64Value.databaseValue
    default: int64Value.databaseValue
    }
  }

  /// The number of an integer, a real, or a decimal text; nil for everything else.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    switch dbValue.storage {
    case .int64(let value) where self == NSNumber.self: NSNumber(value: value) as? Self
    case .double(let value) where self == NSNumber.self: NSNumber(value: value) as? Self
    default:
      Decimal.fromDatabaseValue(dbValue).flatMap { NSDecimalNumber(decimal: $0) as? Self }
    }
  }
}

extension NSString: DatabaseValueConvertible {
  /// The text.
  public var databaseValue: DatabaseValue { (self as String).databaseValue }

  /// As `String` is read.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    String.fromDatabaseValue(dbValue).flatMap { NSString(string: $0) as? Self }
  }
}

extension NSURL: DatabaseValueConvertible {
  /// The absolute string, as text.
  public var databaseValue: DatabaseValue { (self as URL).databaseValue }

  /// As `URL` is read.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    URL.fromDatabaseValue(dbValue).flatMap { NSURL(string: $0.absoluteString) as? Self }
  }
}

extension NSUUID: DatabaseValueConvertible {
  /// The 16 bytes, as a blob.
  public var databaseValue: DatabaseValue { (self as UUID).databaseValue }

  /// As `UUID` is read.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    UUID.fromDatabaseValue(dbValue).flatMap { NSUUID(uuidString: $0.uuidString) as? Self }
  }
}
