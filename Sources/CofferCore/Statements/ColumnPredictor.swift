import CofferVault

/// Remembers the order in which a loop requests columns by name.
///
/// Code that reads rows requests the same names in the same order, row after row. The predictor
/// keeps the requested names with their indices in that order, and first tries the name after the
/// last one. It recognizes a name by the two machine words of its `String`: equal words mean equal
/// text (the predictor keeps the string alive, so its storage can't be reused), and a literal has
/// the same words each time. Any other name takes the slow path through the layout.
@usableFromInline
@safe struct ColumnPredictor {
  @usableFromInline
  struct Slot {
    @usableFromInline var words: TextWords
    @usableFromInline var index: Int
    /// The string whose storage the words can point to.
    var name: String
  }

  /// The maximum number of remembered names; a loop that uses more still works.
  private static let capacity = 64

  @safe @usableFromInline var slots: UnsafeMutablePointer<Slot>?
  @usableFromInline var count = 0
  @usableFromInline var position = 0

  init() {}

  /// Returns the column's index if the prediction holds, otherwise nil.
  @inlinable
  mutating func predictedIndex(of name: String) -> Int? {
    let words = TextWords(name)
    let position = position
    guard position < count, let slots, unsafe slots[position].words == words else { return nil }
    let next = position &+ 1
    self.position = next == count ? 0 : next
    return unsafe slots[position].index
  }

  /// Returns the column's index from any slot or from the layout.
  mutating func findIndex(of name: String, in layout: RowLayout) -> Int? {
    let words = TextWords(name)
    if let slots {
      for position in 0..<count where unsafe slots[position].words == words {
        self.position = position + 1 == count ? 0 : position + 1
        return unsafe slots[position].index
      }
    }
    guard let index = layout.index(ofColumn: name) else { return nil }
    if count < ColumnPredictor.capacity {
      let slots = unsafe slots ?? .allocate(capacity: ColumnPredictor.capacity)
      self.slots = unsafe slots
      unsafe (slots + count).initialize(to: Slot(words: words, index: index, name: name))
      count += 1
      // The position wraps around: the next row begins with the first name.
      position = 0
    }
    return index
  }

  /// Forgets all names, after the columns of the statement have changed or when it is deallocated.
  mutating func reset() {
    unsafe slots?.deinitialize(count: count)
    unsafe slots?.deallocate()
    slots = nil
    count = 0
    position = 0
  }
}
