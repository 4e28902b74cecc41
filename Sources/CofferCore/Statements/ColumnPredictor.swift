/// Remembers in which order a loop asks for columns by name.
///
/// Code that reads rows asks for the same names in the same order, row after
/// row. The predictor keeps the names that were asked for, with their indices,
/// in that order, and tries the one after the last first. A name is recognised
/// by the two words that make up a `String`: equal words are the same text (the
/// predictor keeps the string alive, so its storage can't be reused), and a
/// literal has the same words each time. Anything else takes the slow road
/// through the layout.
@usableFromInline
package final class ColumnPredictor {
  @usableFromInline
  package typealias Words = (UInt64, UInt64)

  @usableFromInline
  package struct Slot {
    @usableFromInline var words: Words
    @usableFromInline var index: Int
  }

  /// Most names that are remembered; a loop that uses more still works.
  @usableFromInline static var capacity: Int { 64 }

  @usableFromInline let slots: UnsafeMutablePointer<Slot>
  @exclusivity(unchecked) @usableFromInline var count = 0
  @exclusivity(unchecked) @usableFromInline var position = 0
  private var names: [String] = []

  package init() {
    slots = .allocate(capacity: ColumnPredictor.capacity)
  }

  deinit { slots.deallocate() }

  @inlinable
  static func words(_ name: String) -> Words {
    // SAFETY: a String is two words; they are compared, never interpreted.
    unsafeBitCast(name, to: Words.self)
  }

  /// The column's index, where the prediction holds.
  @inlinable
  package func predictedIndex(of name: String) -> Int? {
    let words = ColumnPredictor.words(name)
    let position = position
    guard position < count else { return nil }
    let slot = slots + position
    guard slot.pointee.words == words else { return nil }
    let next = position + 1
    self.position = next == count ? 0 : next
    return slot.pointee.index
  }

  /// The column's index, from any slot or from the layout.
  @usableFromInline
  package func findIndex(of name: String, in layout: RowLayout) -> Int? {
    let words = ColumnPredictor.words(name)
    for position in 0..<count where slots[position].words == words {
      self.position = position + 1 == count ? 0 : position + 1
      return slots[position].index
    }
    guard let index = layout.index(ofColumn: name) else { return nil }
    if count < ColumnPredictor.capacity {
      (slots + count).initialize(to: Slot(words: words, index: index))
      names.append(name)
      count += 1
      // The end wraps to the start: the next row begins with the first name.
      position = 0
    }
    return index
  }

  /// Forgets everything, since the statement's columns have changed.
  package func reset() {
    count = 0
    position = 0
    names = []
  }
}
