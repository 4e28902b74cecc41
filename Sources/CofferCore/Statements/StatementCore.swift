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
  @usableFromInline var predictor: ColumnPredictor
}
