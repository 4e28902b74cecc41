/// How a text must match the words that are searched.
public enum TextMatch: Sendable, Hashable {
  /// It contains all words, in any order.
  case allWords
  /// It contains at least one of the words.
  case anyWord
  /// For each word, it contains one that begins with it, in any order.
  case prefixes
  /// It contains the words one after the other.
  case phrase
}
