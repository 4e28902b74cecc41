import CofferCore

/// The part of a reading that is accessed for each value.
///
/// Containers refer to it by its address and ``generation``: see ``CellPool``.
@usableFromInline
@safe struct LiveRow {
  /// The core of the statement whose current row is read; nil for a copy, and between two rows.
  @safe @usableFromInline var core: UnsafeMutablePointer<StatementCore>?
  /// The values of the copy that is read.
  @usableFromInline var image: RowImage?
  // SAFETY: the caller of `enter` retains the row until it calls `leave`.
  @safe @usableFromInline var row: Unmanaged<Row>?
  /// Whether the reading has something that belongs to this row only, such as decoders of its
  /// parts.
  @usableFromInline var hasParts = false
  /// Whether a number must be stored as one.
  var isStrict = false
  var generation: UInt32 = 0
  @safe var reading: Unmanaged<RowReading>?

  /// SQLite's handle of the statement.
  @inlinable
  @safe var handle: SQLiteStatement? { core?.pointee.handle }

  /// Starts to read a row, which the caller retains until it calls `leave`.
  /// - Returns: False if it is already reading another row.
  @inlinable
  mutating func enter(_ row: Row) -> Bool {
    guard unsafe self.row == nil else { return false }
    self.row = unsafe .passUnretained(row)
    core = row.core
    if unsafe core == nil { image = row.image }
    return true
  }

  @inlinable
  mutating func leave() {
    core = nil
    image = nil
    row = nil
    if hasParts { dropParts() }
  }

  @usableFromInline
  mutating func dropParts() {
    hasParts = false
    // SAFETY: the caller of `leave` retains the reading.
    guard let reading = unsafe reading?.takeUnretainedValue() else { return }
    reading.parts = []
    reading.rootSlot = nil
  }

  static let pool = CellPool<LiveRow>()
}

extension LiveRow: ReusableCell {
  mutating func reset() { self = unsafe LiveRow(generation: generation &+ 1) }
}
