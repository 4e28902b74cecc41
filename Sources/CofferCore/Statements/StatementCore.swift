import CofferVault

/// The part of a statement that is used for each row and column.
///
/// It has a separate allocation, whose address rows and cursors keep: a reference to the statement
/// would be retained and released around every access to a column.
///
/// - Invariant: The memory lives as long as its ``Statement``, which every holder of the address
///   retains.
@usableFromInline
@safe package struct StatementCore {
  /// SQLite's handle; nil once the connection has closed.
  @safe @usableFromInline package var handle: SQLiteStatement?
  @usableFromInline package var columnCount: Int
  /// The values of the current row.
  @usableFromInline package var cells = RowCells()
  @usableFromInline var predictor: ColumnPredictor
  /// Where the parameters are.
  @usableFromInline let parameters = ParameterLayout.linked
  /// Incremented when the statement is executed, and when its values are set anew or cleared.
  @usableFromInline var use = 0

  /// Steps to the next row.
  ///
  /// - Returns: SQLite's code.
  @inlinable @inline(__always)
  @safe mutating func step(_ handle: SQLiteStatement) -> CInt {
    cells.end()
    let code = SQLite.step(handle)
    if code == SQLite.row { cells.begin(handle) }
    return code
  }

  /// Ends the execution.
  ///
  /// - Returns: SQLite's code.
  @safe mutating func reset(_ handle: SQLiteStatement) -> CInt {
    cells.end()
    return SQLite.reset(handle)
  }

  /// Returns the value of a column, if it doesn't have to be converted.
  ///
  /// What a type takes from a value is the same as by `_value(of:at:)`; the comparisons of types
  /// cost nothing where the compiler knows the type.
  /// - Precondition: The statement has the column.
  @inlinable @inline(__always)
  package func direct<Value>(_ type: Value.Type, at index: Int) -> Value? {
    if Value.self == Int64.self || Value.self == Int.self {
      return cells.integer(index).map { Self.same($0, as: type) }
    }
    if Value.self == Double.self {
      return cells.real(index).map { Self.same($0, as: type) }
    }
    if Value.self == Int64?.self || Value.self == Int?.self {
      let integer = cells.integer(index)
      guard integer != nil || cells.isNull(index) else { return nil }
      return Self.same(integer, as: type)
    }
    if Value.self == Double?.self {
      let real = cells.real(index)
      guard real != nil || cells.isNull(index) else { return nil }
      return Self.same(real, as: type)
    }
    if Value.self == String.self {
      guard let text = cells.text(index) else { return nil }
      return unsafe Self.same(String(decoding: text, as: UTF8.self), as: type)
    }
    if Value.self == String?.self {
      let text = unsafe cells.text(index).map { unsafe String(decoding: $0, as: UTF8.self) }
      guard text != nil || cells.isNull(index) else { return nil }
      return Self.same(text, as: type)
    }
    if Value.self == Bool.self {
      return cells.integer(index).map { Self.same($0 != 0, as: type) }
    }
    return nil
  }

  /// Returns a value as what its type is.
  ///
  /// - Precondition: The types are the same.
  @inlinable @inline(__always)
  static func same<Stored, Value>(_ value: Stored, as type: Value.Type) -> Value {
    // SAFETY: the types are the same.
    unsafe unsafeBitCast(value, to: type)
  }

  /// Returns the value of a column, like ``direct(_:at:)``; nil if there is no such column.
  @inlinable @inline(__always)
  package func direct<Value>(_ type: Value.Type, in column: CInt) -> Value? {
    let index = Int(column)
    guard UInt(bitPattern: index) < UInt(bitPattern: columnCount) else { return nil }
    return direct(type, at: index)
  }
}
