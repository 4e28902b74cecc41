/// Whether predictions come true often enough, and when to try again if they don't.
struct PredictionJudgement {
  /// How many pages show it.
  private static let judgedPages = 64
  private static let firstRest = 4
  private static let mostRest = 1024

  // What became of pages since this was judged last.
  var used = 0
  var unused = 0
  /// How many occasions are left out after bad predictions, and how many the next time.
  private var rest = 0
  private var nextRest = PredictionJudgement.firstRest

  /// Whether the present occasion is left out.
  @inline(__always)
  mutating func isResting() -> Bool {
    if rest == 0 { return false }
    rest -= 1
    return true
  }

  /// Begins with new predictions.
  mutating func begin() { (used, unused) = (0, 0) }

  /// Whether less than half was used of enough pages: then it rests, longer each time.
  mutating func isBad() -> Bool {
    guard used + unused >= Self.judgedPages else { return false }
    let isGood = used >= unused
    begin()
    if isGood {
      nextRest = Self.firstRest
    } else {
      rest = nextRest
      nextRest = min(2 * nextRest, Self.mostRest)
    }
    return !isGood
  }
}
