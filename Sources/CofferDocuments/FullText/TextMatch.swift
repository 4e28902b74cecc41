/// Which texts are found by the words of another one.
public enum TextMatch: Sendable, Hashable {
  /// Those with all of the words, in any order.
  case allWords
  /// Those with one of the words at least.
  case anyWord
  /// Those with words that begin with these, all of them, in any order.
  case prefixes
  /// Those with the words one after the other.
  case phrase
}
