/// How far SQLite has come through the pages of a window, and how far beyond they are planned.
struct WindowProgress {
  /// How many other pages end a window: what is being done has ended, or isn't known.
  private static let mostStrangers = 64

  /// How many pages are planned beyond the one that SQLite has come to.
  private var size: Int
  /// The position after the page that SQLite has come to, and the one after the planned ones.
  private(set) var head = 0
  private(set) var end = 0
  private var hits = 0
  private var strangers = 0

  /// Whether fewer pages are planned than could be.
  var hasRoom: Bool { end - head < size }
  /// Whether it is time to plan further: several pages at once, as that wakes workers.
  var isDue: Bool { end - head <= size / 2 }

  init(size: Int) { self.size = size }

  /// Notes that the page after the planned ones was planned.
  mutating func notePlanned() { end += 1 }

  /// Notes that SQLite has come to a planned page.
  mutating func noteHit() {
    strangers = 0
    hits += 1
  }

  /// Notes that SQLite has come to another page.
  ///
  /// - Returns: Whether there were too many of these.
  mutating func noteStranger() -> Bool {
    strangers += 1
    return strangers > Self.mostStrangers
  }

  /// Goes on after the page at a position.
  mutating func move(past position: Int, in window: ReadAheadWindow) {
    head = position + 1
    window.skipClaims(to: head)
  }

  /// Has more pages planned, once as many as now were of use.
  mutating func widen(upTo most: Int) {
    guard hits >= size, size < most else { return }
    size = min(2 * size, most)
    hits = 0
  }
}
