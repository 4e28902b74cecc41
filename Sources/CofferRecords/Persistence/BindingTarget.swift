import CofferCore

/// What a ``PersistenceContainer`` binds to: a statement, and the columns whose values it takes,
/// in the order in which a record sets them.
///
/// A column is recognised by the two words of its name, as ``ColumnPredictor`` does. A record that
/// sets other columns, or in another order, makes ``position`` point behind everything.
@usableFromInline
struct BindingTarget {
  @usableFromInline
  struct Slot {
    @usableFromInline var words: (UInt64, UInt64)
    /// The parameter that takes the value, 1-based; 0 for none.
    @usableFromInline var parameter: CInt
    /// Keeps the storage that the words may point to.
    var column: String
  }

  /// The slot that stands for all that a record does otherwise than expected.
  static let nowhere = Int.max

  @usableFromInline var handle: SQLiteStatement?
  @usableFromInline let slots: UnsafeMutablePointer<Slot>
  @usableFromInline let count: Int
  /// The next slot.
  @usableFromInline var position = 0
  /// Which encoding the target is for: containers of another one, copies that somebody has kept,
  /// are refused.
  @usableFromInline var use: UInt = 0
  /// The first failure of SQLite, or success.
  @usableFromInline var code: CInt = SQLite.ok

  init(_ columns: [(name: String, parameter: Int)]) {
    count = columns.count
    slots = .allocate(capacity: max(count, 1))
    for (index, column) in columns.enumerated() {
      // SAFETY: a String is two words; they are compared, never interpreted.
      let words = unsafeBitCast(column.name, to: (UInt64, UInt64).self)
      (slots + index).initialize(
        to: Slot(words: words, parameter: CInt(column.parameter), column: column.name))
    }
  }

  func deallocate() {
    slots.deinitialize(count: count)
    slots.deallocate()
  }

  /// The parameter for the next column; 0 where its value is not wanted.
  @inlinable @inline(__always)
  mutating func nextParameter(_ column: String, _ use: UInt) -> CInt {
    // SAFETY: as above.
    let words = unsafeBitCast(column, to: (UInt64, UInt64).self)
    let position = position
    guard position < count, use == self.use, slots[position].words == words else {
      return findParameter(column, use)
    }
    self.position = position &+ 1
    return slots[position].parameter
  }

  /// The same, where the words differ: the text may be the same.
  @usableFromInline
  mutating func findParameter(_ column: String, _ use: UInt) -> CInt {
    guard use == self.use else { return 0 }
    guard position < count, slots[position].column.utf8.elementsEqual(column.utf8) else {
      position = BindingTarget.nowhere
      return 0
    }
    // SAFETY: as above.
    slots[position].words = unsafeBitCast(column, to: (UInt64, UInt64).self)
    slots[position].column = column
    position += 1
    return slots[position - 1].parameter
  }
}
