/// The two words that a `String` consists of.
///
/// Two strings with equal words are equal, as long as the storage of one of them is alive. Strings
/// with different words may be equal, unless they have at most 15 bytes: those are stored in the
/// words. A literal has the same words each time.
@usableFromInline
package struct TextWords: Sendable {
  @usableFromInline var first: UInt64
  @usableFromInline var second: UInt64

  @inlinable @inline(__always)
  package init(_ text: String) {
    // SAFETY: a String has two words, which are compared and never interpreted: TextWordsTests.
    (first, second) = unsafe unsafeBitCast(text, to: (UInt64, UInt64).self)
  }

  @usableFromInline init(sentinel: UInt64) { (first, second) = (sentinel, sentinel) }

  /// Words that no string has: even an empty string has a bit set.
  @inlinable package static var none: TextWords { TextWords(sentinel: 0) }

  /// Words that no string has, different from ``none``.
  @inlinable package static var unknown: TextWords { TextWords(sentinel: .max) }

  @inlinable @inline(__always)
  package static func == (lhs: TextWords, rhs: TextWords) -> Bool {
    lhs.second == rhs.second && lhs.first == rhs.first
  }

  /// A number below 16 that spreads texts evenly.
  @inlinable package var slot: Int { Int(truncatingIfNeeded: (first >> 4) ^ first ^ second) & 15 }
}
