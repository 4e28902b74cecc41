/// The two machine words of a `String`, by which a text is recognised without reading it.
///
/// Equal words are the same text as long as one of the strings is kept alive, so that its storage
/// can't be reused; a literal has the same words each time. Different words may be equal texts.
///
/// That a `String` is two words, and that none has the words of ``none`` and ``never``, is an
/// assumption about Swift's ABI (`docs/ABI/TypeLayout.rst`, `stdlib/public/core/StringObject.swift`).
/// The bit cast stops the program where the size is another one, and a test checks the rest.
@frozen @usableFromInline
package struct TextWords: Equatable, Sendable {
  @usableFromInline package let first: UInt64
  @usableFromInline package let second: UInt64

  /// The words of a text.
  @inlinable @inline(__always)
  package init(_ text: String) {
    // SAFETY: a String is two words; they are compared, never interpreted.
    (first, second) = unsafeBitCast(text, to: (UInt64, UInt64).self)
  }

  @inlinable
  init(repeating word: UInt64) { (first, second) = (word, word) }

  /// Words that no text has: an empty one has a bit that says so.
  @inlinable package static var none: TextWords { TextWords(repeating: 0) }

  /// Others that no text has.
  @inlinable package static var never: TextWords { TextWords(repeating: .max) }

  @inlinable @inline(__always)
  package static func == (lhs: TextWords, rhs: TextWords) -> Bool {
    lhs.second == rhs.second && lhs.first == rhs.first
  }
}
