/// The words that a text must contain to be found.
public enum TextMatch: Sendable, Hashable {
  /// All of the words, in any order.
  case allWords
  /// At least one of the words.
  case anyWord
  /// Words that begin with each of the given words, in any order.
  case prefixes
  /// The words one after the other.
  case phrase
}
