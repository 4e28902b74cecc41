/// The words that a text must contain to be found.
public enum TextMatch: Sendable, Hashable {
  /// All of the words, in any order.
  case allWords
  /// At least one of the words.
  case anyWord
  /// For each of the words, one that begins with it, in any order.
  case prefixes
  /// The words one after the other.
  case phrase
}
