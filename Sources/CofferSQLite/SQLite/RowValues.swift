/// The values of a statement's current row; valid until the next step.
///
/// SQLite stores them in an array. A value that is requested from the statement is checked and
/// locked, so only the first two and the last are: if these are at the distances of an array's
/// elements, the others are at the places between them.
@usableFromInline
@safe package struct RowValues {
  @safe @usableFromInline let statement: SQLiteStatement
  @safe @usableFromInline let first: OpaquePointer?
  /// The distance between two values, in bytes; 0 if each has to be requested.
  @usableFromInline let stride: Int

  /// - Parameter count: The number of columns.
  @inlinable @inline(__always)
  @safe package init(of statement: SQLiteStatement, count: Int, findsPlaces: Bool = true) {
    self.statement = unsafe statement
    let first = SQLite.columnValue(statement, 0)
    self.first = unsafe first
    guard findsPlaces, count > 3 else {
      stride = 0
      return
    }
    let start = Int(bitPattern: first)
    let second = Int(bitPattern: SQLite.columnValue(statement, 1))
    let last = Int(bitPattern: SQLite.columnValue(statement, CInt(truncatingIfNeeded: count &- 1)))
    let stride = second &- start
    self.stride = stride > 0 && last &- start == stride &* (count &- 1) ? stride : 0
  }

  /// Whether the values are found by their places.
  @inlinable var areFound: Bool { stride > 0 }

  /// Returns the value of a column, whose index isn't checked.
  @inlinable @inline(__always)
  @safe package subscript(_ index: Int) -> OpaquePointer? {
    guard areFound, let first else {
      return SQLite.columnValue(statement, CInt(truncatingIfNeeded: index))
    }
    // SAFETY: an array whose first and last elements are where SQLite says.
    return unsafe OpaquePointer(UnsafeRawPointer(first) + stride &* index)
  }
}
