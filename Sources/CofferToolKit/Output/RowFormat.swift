import Coffer

/// Writes rows in one form.
protocol RowFormat {
  /// Writes what comes before the first row.
  mutating func begin() throws
  mutating func add(_ row: Row) throws
  /// Writes what comes after the last row.
  mutating func end() throws
}
