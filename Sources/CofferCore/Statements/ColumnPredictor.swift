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
package struct ColumnPredictor {
  @usableFromInline
  package struct Slot {
    @usableFromInline var words: TextWords
    @usableFromInline var index: Int
    /// Keeps the storage that the words may point to.
    var name: String
  }

  /// Most names that are remembered; a loop that uses more still works.
  private static let capacity = 64

  @usableFromInline var slots: UnsafeMutablePointer<Slot>?
  @usableFromInline var count = 0
  @usableFromInline var position = 0

  init() {}

  /// The column's index, where the prediction holds; else nil.
  @inlinable
  package mutating func predictedIndex(of name: String) -> Int? {
    let words = TextWords(name)
    let position = position
    guard position < count, let slots, slots[position].words == words else { return nil }
    let next = position &+ 1
    self.position = next == count ? 0 : next
    return slots[position].index
  }

  /// The column's index, from any slot or from the layout.
  package mutating func findIndex(of name: String, in layout: RowLayout) -> Int? {
    let words = TextWords(name)
    if let slots {
      for position in 0..<count where slots[position].words == words {
        self.position = position + 1 == count ? 0 : position + 1
        return slots[position].index
      }
    }
    guard let index = layout.index(ofColumn: name) else { return nil }
    if count < ColumnPredictor.capacity {
      let slots = slots ?? .allocate(capacity: ColumnPredictor.capacity)
      self.slots = slots
      (slots + count).initialize(to: Slot(words: words, index: index, name: name))
      count += 1
      // The end wraps to the start: the next row begins with the first name.
      position = 0
    }
    return index
  }

  /// Forgets everything, since the statement's columns have changed or are no more.
  package mutating func reset() {
    slots?.deinitialize(count: count)
    slots?.deallocate()
    slots = nil
    count = 0
    position = 0
  }
}
