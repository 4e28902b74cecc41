import CofferSQLite
import Glibc

/// What a scan reads next: after an interior page of a b-tree, its children in order, or in the
/// opposite order, as SQLite's checks of a structure do.
///
/// It keeps a copy of the interior page that was read last, and begins after three of its children
/// in order, so that a lookup, a short range and a random walk begin nothing. What it costs a page
/// of another kind is a comparison or two.
///
/// A prediction can be wrong, as pages change: ``ReadAhead`` sees to it that this costs time alone.
/// See <https://sqlite.org/fileformat2.html#b_tree_pages>.
@safe struct PagePredictor {
  /// How many children in order begin a prediction.
  private static let neededMatches = 3
  /// How many other pages, such as those of another table, may come between two children.
  private static let mostStrangers = 16
  /// How many children that SQLite has cached may be left out at the beginning.
  private static let mostSkipped = 8
  private static let headerSize = 12

  private enum State {
    /// No interior page was read since the last prediction.
    case idle
    /// The children that are read are compared with those of the copy.
    case watching
    /// The children are predicted.
    case running
    /// All children of the copy were predicted.
    case finished
    /// One page after the other is predicted.
    case counting
  }

  private var state = State.idle
  // SAFETY: `size` bytes of SQLite's memory, from the first interior page on.
  @safe private var copy: UnsafeMutablePointer<UInt8>?
  private var size = 0
  private var childCount = 0
  /// The index of the child that comes next.
  private var next = 0
  /// The distance of the index after that: 1, or -1 for the opposite order.
  private var direction = 1
  private var matches = 0
  private var strangers = 0
  /// The first pages that were read after the interior page, if the first isn't its first child.
  private var trail: (UInt32, UInt32) = (0, 0)
  /// Whether one interior page after the other was read to its end.
  private var continues = false
  /// What is left of a sequence of pages.
  private var sequence: Range<UInt32> = 0..<0

  /// Whether a page is an interior one of a table or an index, by its first byte.
  @inline(__always)
  static func isInterior(_ type: UInt8) -> Bool { type == 5 || type == 2 }

  /// Notes that an interior page was read.
  mutating func noteInterior(_ page: UnsafePointer<UInt8>, _ count: Int) {
    guard state != .running, state != .counting, count > Self.headerSize else { return }
    let cells = unsafe Int(page[3]) << 8 | Int(page[4])
    // Without a structure, it is another kind of page that begins with such a byte.
    guard cells > 0, Self.headerSize + 2 * cells <= count else { return }
    if unsafe copy == nil || size != count {
      free()
      guard let memory = unsafe SQLite.allocate(count) else { return }
      copy = unsafe memory.bindMemory(to: UInt8.self, capacity: count)
      size = count
    }
    // SAFETY: the caller passes `count` bytes, and the copy has as many.
    unsafe copy!.update(from: page, count: count)
    continues = continues || state == .finished
    state = .watching
    childCount = cells + 1
    if !continues { direction = 1 }
    (matches, strangers) = (continues ? Self.neededMatches - 1 : 0, 0)
    next = direction > 0 ? 0 : childCount - 1
    trail = (0, 0)
  }

  /// Notes that another page was read.
  ///
  /// - Returns: Whether the predictions begin.
  @inline(__always)
  mutating func noteOther(_ number: UInt32) -> Bool {
    guard state == .watching else { return false }
    return compare(number)
  }

  private mutating func compare(_ number: UInt32) -> Bool {
    if matches == 0, number == child(childCount - 1) {
      direction = -1
      next = childCount - 1
    }
    if number == child(next) {
      next += direction
      matches += 1
      trail = (0, 0)
      strangers = 0
    } else if matches >= 1, !continues {
      strangers += 1
      if strangers > Self.mostStrangers { state = .idle }
      return false
    } else if trail.0 == 0 {
      trail.0 = number
      return false
    } else if trail.1 == 0 {
      trail.1 = number
      return false
    } else if Self.areNear(trail.0, trail.1), Self.areNear(trail.1, number),
      let first = index(of: trail.0, in: 0..<childCount),
      let second = index(of: trail.1, in: first + 1..<first + 1 + Self.mostSkipped),
      let third = index(of: number, in: second + 1..<second + 1 + Self.mostSkipped)
    {
      direction = 1
      next = third + 1
      matches = Self.neededMatches
    } else {
      (state, continues) = (.idle, false)
      return false
    }
    guard matches >= Self.neededMatches else { return false }
    state = .running
    return true
  }

  /// The next page of a prediction; nil at the end of what is known.
  mutating func predict() -> UInt32? {
    if state == .counting { return sequence.popFirst() }
    guard state == .running else { return nil }
    guard let number = child(next) else {
      state = .finished
      return nil
    }
    next += direction
    return number
  }

  /// Begins to predict pages in the order of their numbers.
  mutating func beginSequence(after number: UInt32, last: UInt32) {
    sequence = number + 1..<max(number, last) + 1
    state = .counting
  }

  /// Ends a prediction.
  mutating func stop() { (state, continues) = (.idle, false) }

  /// Wipes and frees the copy.
  mutating func free() {
    stop()
    guard let copy = copy else { return }
    unsafe explicit_bzero(copy, size)
    unsafe SQLite.free(copy)
    self.copy = nil
    size = 0
  }

  /// Whether two pages are close enough in the file to be worth a search for them.
  ///
  /// Other scans that begin in the middle of an interior page are noticed at the next one.
  private static func areNear(_ first: UInt32, _ second: UInt32) -> Bool {
    (first > second ? first - second : second - first) <= 64
  }

  private func index(of number: UInt32, in range: Range<Int>) -> Int? {
    range.clamped(to: 0..<childCount).first { child($0) == number }
  }

  /// The page number of a child; nil if the page isn't as it should be.
  private func child(_ index: Int) -> UInt32? {
    guard 0..<childCount ~= index, let copy = copy else { return nil }
    var offset = 8
    if index < childCount - 1 {
      // SAFETY: the pointers of all cells lie within the copy, as was checked.
      let pointer = unsafe copy + Self.headerSize + 2 * index
      offset = unsafe Int(pointer[0]) << 8 | Int(pointer[1])
      guard offset + 4 <= size else { return nil }
    }
    let number = unsafe UnsafeRawPointer(copy).loadUnaligned(
      fromByteOffset: offset, as: UInt32.self)
    return number == 0 ? nil : UInt32(bigEndian: number)
  }
}
