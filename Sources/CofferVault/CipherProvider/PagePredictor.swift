import CofferSQLite
import Glibc

/// What is read next: after an interior page of a b-tree, its children in order; and after many
/// pages in the order of the file, those behind them.
///
/// It keeps a copy of the interior page that was read last, and begins after three of its children
/// in order, so that a lookup, a short range and a random walk begin nothing. Where the order isn't
/// that of a tree, as in backups and long values, it takes sixteen pages in the order of the file.
/// What a page of another kind costs is a comparison or two.
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
  /// How many pages in the order of the file begin a prediction, at first and after bad ones.
  private static let neededRuns = 16...1024
  private static let headerSize = 12

  private enum State {
    /// No interior page was read since the last prediction.
    case idle
    /// The children that are read are compared with those of the copy.
    case watching
    /// The children are predicted.
    case running
    /// The pages behind the one that was read last are predicted.
    case following
    /// All children of the copy were predicted.
    case finished
  }

  private var state = State.idle
  // SAFETY: `size` bytes of SQLite's memory, from the first interior page on.
  @safe private var copy: UnsafeMutablePointer<UInt8>?
  private var size = 0
  private var childCount = 0
  /// The index of the child that comes next.
  private var next = 0
  private var matches = 0
  private var strangers = 0
  /// The first pages that were read after the interior page, if the first isn't its first child.
  private var trail: (UInt32, UInt32) = (0, 0)
  /// Whether one interior page after the other was read to its end.
  private var continues = false
  /// The page that was noted last, or predicted after it.
  private var last: UInt32 = 0
  /// How many pages were noted in the order of the file.
  private var run = 0
  private var neededRun = Self.neededRuns.lowerBound

  /// Whether the pages of the file are predicted in their order.
  var isFollowing: Bool { state == .following }

  /// Whether a page is an interior one of a table or an index, by its first byte.
  @inline(__always)
  static func isInterior(_ type: UInt8) -> Bool { type == 5 || type == 2 }

  /// Notes that an interior page was read.
  mutating func noteInterior(_ page: UnsafePointer<UInt8>, _ count: Int) {
    guard state != .running, state != .following, count > Self.headerSize else { return }
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
    (next, matches, strangers) = (0, continues ? Self.neededMatches - 1 : 0, 0)
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

  /// Notes the number of any page that wasn't predicted.
  ///
  /// - Returns: Whether the pages have come in the order of the file for long.
  @inline(__always)
  mutating func noteNumber(_ number: UInt32) -> Bool {
    guard state != .running, state != .following else { return false }
    run = number == last &+ 1 ? run + 1 : 0
    last = number
    return run >= neededRun
  }

  /// Notes that a page was predicted: those of a tree end with it, whatever follows in the file.
  mutating func endRun() { run = 0 }

  /// Begins to predict the pages behind the one that was noted last.
  mutating func follow() { (state, run) = (.following, 0) }

  /// Notes whether most pages behind were read; if not, more of them have to come before the next
  /// prediction.
  mutating func judgeFollowing(isGood: Bool) {
    neededRun =
      isGood ? Self.neededRuns.lowerBound : min(2 * neededRun, Self.neededRuns.upperBound)
  }

  private mutating func compare(_ number: UInt32) -> Bool {
    if number == child(next) {
      next += 1
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
    if state == .following {
      guard last < .max else { return nil }
      last += 1
      return last
    }
    guard state == .running else { return nil }
    guard next < childCount, let number = child(next) else {
      state = .finished
      return nil
    }
    next += 1
    return number
  }

  /// Ends a prediction.
  mutating func stop() { (state, continues, run) = (.idle, false, 0) }

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
    guard index < childCount, let copy = copy else { return nil }
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
