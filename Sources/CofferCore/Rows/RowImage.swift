import CofferVault
import Foundation

/// A copied row's values; valid as long as its block.
@usableFromInline
@safe package struct RowImage {
  /// The number of bytes before the values.
  @inlinable static var headerBytes: Int { 8 }

  @safe @usableFromInline let start: UnsafeRawPointer

  @safe init(start: UnsafeRawPointer) { self.start = unsafe start }

  /// The names of the columns.
  @inlinable
  var names: RowLayout.Names {
    unsafe RowLayout.Names(at: start.load(as: UnsafeRawPointer.self))
  }

  @inlinable
  func payload(_ index: Int) -> UInt64 {
    unsafe start.load(fromByteOffset: RowImage.headerBytes &+ index &* 8, as: UInt64.self)
  }

  /// Returns SQLite's type of the value.
  @inlinable
  func type(_ index: Int) -> CInt {
    let offset = RowImage.headerBytes &+ names.count &* 8 &+ index
    return unsafe CInt(start.load(fromByteOffset: offset, as: UInt8.self))
  }

  /// Packs an offset and a length into a payload.
  ///
  /// SQLite's values have fewer than 2³¹ bytes, but a row can have more.
  static func payload(offset: Int, count: Int) -> UInt64 {
    UInt64(truncatingIfNeeded: offset) << 31 | UInt64(truncatingIfNeeded: count)
  }

  /// Returns the value if it is stored as an integer.
  @inlinable
  package func integer(_ index: Int) -> Int64? {
    type(index) == SQLite.integerType ? Int64(bitPattern: payload(index)) : nil
  }

  @inlinable package func isNull(_ index: Int) -> Bool { type(index) == SQLite.nullType }

  @usableFromInline
  func databaseValue(_ index: Int) -> DatabaseValue {
    let type = type(index)
    if type == SQLite.integerType {
      return DatabaseValue(storage: .int64(Int64(bitPattern: payload(index))))
    }
    if type == SQLite.floatType {
      return DatabaseValue(storage: .double(Double(bitPattern: payload(index))))
    }
    if type == SQLite.nullType { return .null }
    return unsafe type == SQLite.textType
      ? DatabaseValue(storage: .string(text(index)))
      : DatabaseValue(storage: .blob(Data(uncheckedBytes(index))))
  }

  /// Returns the bytes of a text or blob; nil for other values.
  @safe func bytes(_ index: Int) -> UnsafeRawBufferPointer? {
    let type = type(index)
    return type == SQLite.textType || type == SQLite.blobType ? uncheckedBytes(index) : nil
  }

  @safe private func uncheckedBytes(_ index: Int) -> UnsafeRawBufferPointer {
    let payload = payload(index)
    return unsafe UnsafeRawBufferPointer(
      start: start + Int(payload >> 31), count: Int(payload & 0x7FFF_FFFF))
  }

  /// Returns the text of a column that has one.
  @usableFromInline
  func text(_ index: Int) -> String {
    unsafe String(decoding: uncheckedBytes(index), as: UTF8.self)
  }
}

// MARK: - Values of the most common types

extension RowImage {
  /// Returns the value of the column as `fromDatabaseValue` converts it; nil if that fails.
  ///
  /// The most frequent types are read without a ``DatabaseValue`` if the column has exactly that
  /// type. Where the compiler knows `Value`, only one branch remains.
  @inlinable
  package func value<Value: DatabaseValueConvertible>(_ index: Int) -> Value? {
    if Value.self == Int64.self || Value.self == Int.self {
      guard type(index) == SQLite.integerType else { return converted(index) }
      return same(payload(index), as: Value.self)
    }
    if Value.self == String.self {
      guard type(index) == SQLite.textType else { return converted(index) }
      return same(text(index), as: Value.self)
    }
    if Value.self == Double.self {
      guard type(index) == SQLite.floatType else { return converted(index) }
      return same(payload(index), as: Value.self)
    }
    if Value.self == String?.self {
      guard type(index) == SQLite.textType else { return converted(index) }
      return same(String?.some(text(index)), as: Value.self)
    }
    if Value.self == Int64?.self || Value.self == Int?.self {
      guard type(index) == SQLite.integerType else { return converted(index) }
      return same(Int64?.some(Int64(bitPattern: payload(index))), as: Value.self)
    }
    return converted(index)
  }

  /// Returns a value as a type with the same bits.
  @inlinable @inline(__always)
  func same<Known, Value>(_ value: Known, as type: Value.Type) -> Value {
    // SAFETY: the caller has checked that `Value` has the same bits as `Known`.
    unsafe unsafeBitCast(value, to: type)
  }

  @inlinable @inline(never)
  func converted<Value: DatabaseValueConvertible>(_ index: Int) -> Value? {
    Value.fromDatabaseValue(databaseValue(index))
  }
}
