/// The two words that a `String` is made of.
///
/// Two strings with equal words are the same text, as long as the storage of one of them is kept.
/// Different words say nothing, except that texts of up to 15 bytes are in the words themselves. A
/// literal has the same words each time.
@usableFromInline
package struct TextWords: Sendable {
  @usableFromInline var first: UInt64
  @usableFromInline var second: UInt64

  @inlinable @inline(__always)
  package init(_ text: String) {
    // SAFETY: a String has two words, which are compared and never interpreted: TextWordsTests.
    (first, second) = unsafeBitCast(text, to: (UInt64, UInt64).self)
  }

  private init(sentinel: UInt64) { (first, second) = (sentinel, sentinel) }

  /// Words of no string, since a bit of an empty one is set.
  package static let none = TextWords(sentinel: 0)

  /// Words of no string, and not ``none``.
  package static let unknown = TextWords(sentinel: .max)

  @inlinable @inline(__always)
  package static func == (lhs: TextWords, rhs: TextWords) -> Bool {
    lhs.second == rhs.second && lhs.first == rhs.first
  }

  /// A number below 16 that spreads texts evenly.
  var slot: Int { Int(truncatingIfNeeded: (first >> 4) ^ first ^ second) & 15 }
}
