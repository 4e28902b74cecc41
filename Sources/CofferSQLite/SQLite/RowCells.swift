/// The values of a statement's current row, where SQLite keeps them; valid until the next step.
///
/// A value that is requested from a statement is checked and locked, each time. SQLite has the
/// values of a row in an array, whose address is in the statement. Numbers and NULL are then read
/// from the array; where another kind of value is, or where ``CellLayout`` isn't proven, SQLite's
/// functions are called.
///
/// What must hold:
/// - Nothing is read between the beginning of a step, or a reset, and the next row.
/// - Nobody reads a column that the statement hasn't.
@usableFromInline
@safe package struct RowCells {
  /// The first value; nil if there is no row, or if its place isn't known.
  @safe @usableFromInline var first: UnsafeRawPointer?
  @usableFromInline let layout: CellLayout

  @inlinable
  package init(layout: CellLayout = .linked) { self.layout = layout }

  /// Begins with a new row.
  @inlinable @inline(__always)
  @safe package mutating func begin(_ statement: SQLiteStatement) {
    first = layout.values(of: statement)
  }

  /// Ends with a row.
  @inlinable @inline(__always)
  package mutating func end() { first = nil }

  /// Returns where a column's value is; nil if that isn't known.
  @inlinable @inline(__always)
  @safe func place(_ index: Int) -> UnsafeRawPointer? {
    guard let first else { return nil }
    // SAFETY: the proven layout says that the values are an array, which has the column.
    return unsafe first + layout.stride &* index
  }

  /// The kind of a value, in SQLite's flags.
  @inlinable @inline(__always)
  @safe func kind(at place: UnsafeRawPointer) -> UInt16 {
    // SAFETY: the proven layout says where the flags are.
    unsafe place.load(fromByteOffset: layout.flags, as: UInt16.self) & CellLayout.kinds
  }

  /// Returns the integer that a column has; nil if it has another kind of value.
  @inlinable @inline(__always)
  package func integer(_ index: Int) -> Int64? {
    guard let place = place(index), kind(at: place) == CellLayout.integer else { return nil }
    // SAFETY: the proven layout says that a value begins with its number.
    return unsafe place.load(as: Int64.self)
  }

  /// Returns the number that a column has, as a real; nil if it has another kind of value.
  @inlinable @inline(__always)
  package func real(_ index: Int) -> Double? {
    guard let place = place(index) else { return nil }
    switch kind(at: place) {
    case CellLayout.real: return unsafe place.load(as: Double.self)
    case CellLayout.integer: return unsafe Double(place.load(as: Int64.self))
    default: return nil
    }
  }

  /// Whether a column is known to have NULL.
  @inlinable @inline(__always)
  package func isNull(_ index: Int) -> Bool {
    guard let place = place(index) else { return false }
    return kind(at: place) == CellLayout.null
  }

  /// Returns a column's type and, for a number, its bits; nil if SQLite has to be asked.
  @inlinable @inline(__always)
  package func bits(_ index: Int) -> (type: CInt, payload: UInt64)? {
    guard let place = place(index) else { return nil }
    switch kind(at: place) {
    case CellLayout.integer: return unsafe (SQLite.integerType, place.load(as: UInt64.self))
    case CellLayout.real: return unsafe (SQLite.floatType, place.load(as: UInt64.self))
    case CellLayout.null: return (SQLite.nullType, 0)
    default: return nil
    }
  }

  /// Returns the bytes of the text that a column has, valid until the next step; nil if it has
  /// another kind of value, or has to be asked for.
  @inlinable @inline(__always)
  @safe package func text(_ index: Int) -> UnsafeBufferPointer<UInt8>? {
    guard let place = place(index), kind(at: place) == CellLayout.text else { return nil }
    let bytes = SQLite.valueBytes(OpaquePointer(place), isText: true)
    return unsafe bytes.baseAddress == nil ? nil : bytes.bindMemory(to: UInt8.self)
  }

  /// Returns the value of a column, for SQLite's functions.
  @inlinable @inline(__always)
  @safe package func value(_ statement: SQLiteStatement, _ index: Int) -> OpaquePointer? {
    guard let place = place(index) else {
      return SQLite.columnValue(statement, CInt(truncatingIfNeeded: index))
    }
    return OpaquePointer(place)
  }
}
