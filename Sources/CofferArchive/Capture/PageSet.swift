import CofferCore

/// A set of page numbers, as bits.
struct PageSet {
  private(set) var words: [UInt64] = []
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// - Parameter page: At least 1.
  mutating func insert(_ page: Int) {
    let (word, bit) = ((page - 1) / 64, UInt64(1) << ((page - 1) % 64))
    if word >= words.count {
      words.append(contentsOf: repeatElement(0, count: word + 1 - words.count))
    }
    guard words[word] & bit == 0 else { return }
    words[word] |= bit
    count += 1
  }

  /// Adds all pages up to a number.
  mutating func insert(upTo last: Int) {
    guard last > 0 else { return }
    var all = Array(repeating: UInt64.max, count: (last + 63) / 64)
    if last % 64 > 0 { all[all.count - 1] = 1 << (last % 64) - 1 }
    formUnion(all)
  }

  mutating func remove(_ page: Int) {
    let (word, bit) = ((page - 1) / 64, UInt64(1) << ((page - 1) % 64))
    guard word < words.count, words[word] & bit != 0 else { return }
    words[word] &= ~bit
    count -= 1
  }

  mutating func removeAll(above last: Int) {
    let kept = (last + 63) / 64
    if kept < words.count { words.removeLast(words.count - kept) }
    if last % 64 > 0, kept == words.count { words[kept - 1] &= 1 << (last % 64) - 1 }
    count = words.reduce(0) { $0 + $1.nonzeroBitCount }
  }

  mutating func formUnion(_ other: [UInt64]) {
    if other.count > words.count {
      words.append(contentsOf: repeatElement(0, count: other.count - words.count))
    }
    for index in other.indices { words[index] |= other[index] }
    count = words.reduce(0) { $0 + $1.nonzeroBitCount }
  }

  mutating func removeAll() { self = PageSet() }

  /// Returns up to `maximum` pages, in ascending order.
  func first(_ maximum: Int) -> [Int] {
    var pages: [Int] = []
    for index in words.indices where words[index] != 0 {
      var word = words[index]
      while word != 0 {
        if pages.count == maximum { return pages }
        pages.append(index * 64 + word.trailingZeroBitCount + 1)
        word &= word - 1
      }
    }
    return pages
  }
}
