import CofferCore

/// The part of a reading that is touched for each value.
///
/// Containers know it by its address and ``generation``: see ``CellPool``.
@usableFromInline
struct LiveRow {
  /// The statement whose current row is read; nil for a copy, and between two rows.
  @usableFromInline var handle: SQLiteStatement?
  /// The values of the copy that is read.
  @usableFromInline var image: RowImage?
  // SAFETY: the caller of `enter` holds the row until it calls `leave`.
  @usableFromInline var row: Unmanaged<Row>?
  /// Whether there are decoders of parts of the row, which go with it.
  @usableFromInline var hasParts = false
  var generation: UInt32 = 0
  var reading: Unmanaged<RowReading>?

  /// Begins to read a row, which the caller holds until it calls `leave`.
  /// - Returns: Whether it does: not where it is reading one.
  @inlinable
  mutating func enter(_ row: Row) -> Bool {
    guard self.row == nil else { return false }
    self.row = .passUnretained(row)
    if let core = row.core { handle = core.pointee.handle } else { image = row.image }
    return true
  }

  @inlinable
  mutating func leave() {
    handle = nil
    image = nil
    row = nil
    if hasParts { dropParts() }
  }

  @usableFromInline
  mutating func dropParts() {
    hasParts = false
    // SAFETY: who leaves has the reading.
    reading?.takeUnretainedValue().parts = []
  }

  static let pool = CellPool<LiveRow>()
}

extension LiveRow: ReusableCell {
  mutating func reset() { self = LiveRow(generation: generation &+ 1) }
}
