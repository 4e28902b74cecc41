import CofferVault
import Foundation

// Foundation's classes are stored as their Swift counterparts.
//
// Subclasses can't be read, since there is no way to create them.

extension NSNull: DatabaseValueConvertible {
  /// NULL.
  public var databaseValue: DatabaseValue { .null }

  /// Returns nil: NULL is the absence of a value.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? { nil }
}

extension NSData: DatabaseValueConvertible {
  /// The bytes, as a blob.
  public var databaseValue: DatabaseValue { Data(referencing: self).databaseValue }

  /// Returns the bytes of a blob or text, as for `Data`.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    Data.fromDatabaseValue(dbValue).flatMap { NSData(data: $0) as? Self }
  }
}

extension NSDate: DatabaseValueConvertible {
  /// The database value of the `Date`.
  public var databaseValue: DatabaseValue {
    Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate).databaseValue
  }

  /// Returns the date of a text or number, as for `Date`.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    Date.fromDatabaseValue(dbValue).flatMap {
      NSDate(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate) as? Self
    }
  }
}

extension NSNumber: DatabaseValueConvertible {
  /// An integer or a real, according to the number's type.
  ///
  /// A decimal number is stored as an integer if it is one, or else as the nearest real; use
  /// ``Foundation/Decimal`` to keep all digits.
  ///
  /// - Precondition: The number isn't an unsigned integer above `Int64.max`.
  public var databaseValue: DatabaseValue {
    if let decimal = self as? NSDecimalNumber,
      let integer = Int64(decimal.decimalValue.description)
    {
      return integer.databaseValue
    }
    return switch unsafe UInt8(bitPattern: objCType.pointee) {
    case UInt8(ascii: "f"), UInt8(ascii: "d"): doubleValue.databaseValue
    case UInt8(ascii: "Q"), UInt8(ascii: "L"): uint64Value.databaseValue
    default: int64Value.databaseValue
    }
  }

  /// Returns the number of an integer, a real, or a decimal text; nil for other values.
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

  /// Returns the text, as for `String`.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    String.fromDatabaseValue(dbValue).flatMap { NSString(string: $0) as? Self }
  }
}

extension NSURL: DatabaseValueConvertible {
  /// The absolute string, as text.
  public var databaseValue: DatabaseValue { (self as URL).databaseValue }

  /// Returns the URL, as for `URL`.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    URL.fromDatabaseValue(dbValue).flatMap { NSURL(string: $0.absoluteString) as? Self }
  }
}

extension NSUUID: DatabaseValueConvertible {
  /// The 16 bytes, as a blob.
  public var databaseValue: DatabaseValue { (self as UUID).databaseValue }

  /// Returns the UUID, as for `UUID`.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    UUID.fromDatabaseValue(dbValue).flatMap { NSUUID(uuidString: $0.uuidString) as? Self }
  }
}
