/// The part of a statement that is touched for each row and column.
///
/// It lives in memory of its own, which rows and cursors know by its address:
/// a reference to the statement would be retained and released around every
/// access to a column.
///
/// - Invariant: The memory lives as long as its ``Statement``, which everybody
///   who holds the address retains.
@usableFromInline
package struct StatementCore {
  /// SQLite's handle; nil once the connection has closed.
  @usableFromInline package var handle: SQLiteStatement?
  @usableFromInline package var columnCount: Int
  @usableFromInline package var predictor: ColumnPredictor
}
