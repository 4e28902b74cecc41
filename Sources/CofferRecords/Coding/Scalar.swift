import CofferCore

/// A type for which Codable's containers have requirements of their own.
protocol Scalar: DatabaseValueConvertible, Codable {
  /// The storage class of the type's values, which a strict record type requires.
  static var storageClass: CInt { get }
  /// Returns the value that is stored as an integer; nil if another value can be.
  static func exactly(_ integer: Int64) -> Self?
  /// Returns the value that is stored as a real; nil if another value can be.
  static func exactly(_ real: Double) -> Self?
  /// Returns the value that SQLite has in this storage class; nil if it takes more to convert it.
  @safe static func stored(_ value: OpaquePointer?) -> Self?
  /// Whether SQLite can store the value.
  var isStorable: Bool { get }
}

extension Scalar {
  static func exactly(_ integer: Int64) -> Self? { nil }
  static func exactly(_ real: Double) -> Self? { nil }
  @safe static func stored(_ value: OpaquePointer?) -> Self? { nil }
  var isStorable: Bool { true }
  /// The value to store; nil if SQLite can't.
  var storedValue: DatabaseValue? { isStorable ? databaseValue : nil }
}

extension Scalar where Self: FixedWidthInteger {
  static var storageClass: CInt { SQLite.integerType }
  static func exactly(_ integer: Int64) -> Self? { Self(exactly: integer) }
  @inline(__always)
  @safe static func stored(_ value: OpaquePointer?) -> Self? {
    Self(exactly: SQLite.valueInt64(value))
  }
  var isStorable: Bool { Int64(exactly: self) != nil }
}

extension Scalar where Self: BinaryFloatingPoint {
  static var storageClass: CInt { SQLite.floatType }
  static func exactly(_ real: Double) -> Self? { Self(real) }
  var isStorable: Bool { !isNaN }
}

extension Bool: Scalar {
  // Not sufficient, since the value must be 0 or 1: no Boolean has this class.
  static var storageClass: CInt { SQLite.nullType }
}

extension String: Scalar {
  static var storageClass: CInt { SQLite.textType }

  @inline(__always)
  @safe static func stored(_ value: OpaquePointer?) -> String? {
    let bytes = SQLite.valueBytes(value, isText: true)
    // The bytes are nil if SQLite is out of memory.
    guard unsafe bytes.baseAddress != nil else { return nil }
    return unsafe String(decoding: bytes.bindMemory(to: UInt8.self), as: UTF8.self)
  }
}

extension Double: Scalar {}
extension Float: Scalar {}
extension Int: Scalar {}
extension Int8: Scalar {}
extension Int16: Scalar {}
extension Int32: Scalar {}
extension Int64: Scalar {}
extension UInt: Scalar {}
extension UInt8: Scalar {}
extension UInt16: Scalar {}
extension UInt32: Scalar {}
extension UInt64: Scalar {}
