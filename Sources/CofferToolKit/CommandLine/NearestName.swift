/// Finds the name that was probably meant.
enum NearestName {
  /// Returns the name with the fewest edits to `word`; nil if all need more than a third of its
  /// length.
  static func find(_ word: String, in names: [String]) -> String? {
    let candidates = names.map { (name: $0, distance: distance(word, $0)) }
    guard let best = candidates.min(by: { $0.distance < $1.distance }) else { return nil }
    if best.distance <= max(1, word.count / 3) { return best.name }
    return word.count >= 2 ? names.first { $0.hasPrefix(word) } : nil
  }

  /// The number of letters to insert, delete, replace or swap with their neighbor.
  static func distance(_ first: String, _ second: String) -> Int {
    let (a, b) = (Array(first.lowercased()), Array(second.lowercased()))
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          best = min(best, beforeLast[j - 1] + 1)
        }
        row.append(best)
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
