import CofferCore

/// How ``FTS5`` splits texts into words: <https://sqlite.org/fts5.html#tokenizers>.
///
/// ```swift
/// t.tokenizer = .unicode61(diacritics: .keep)
/// t.tokenizer = .porter(wrapping: .ascii())
/// t.tokenizer = FTS5TokenizerDescriptor(components: ["trigram"])
/// t.tokenizer = SynonymTokenizer.tokenizerDescriptor()   // one of your own
/// ```
public struct FTS5TokenizerDescriptor: Sendable {
  /// The tokenizer's name, and its arguments.
  public let components: [String]

  /// The tokenizer with a name and arguments.
  ///
  /// - Parameter components: The name first. Without one, whatever uses the
  ///   descriptor throws.
  public init(components: [String]) { self.components = components }

  /// Words in which the case of ASCII letters doesn't matter.
  ///
  /// - Parameter separators: ASCII characters that are no part of a word, though
  ///   they are letters or digits.
  /// - Parameter tokenCharacters: ASCII characters that are part of words, though
  ///   they are neither.
  public static func ascii(
    separators: Set<Character> = [], tokenCharacters: Set<Character> = []
  ) -> FTS5TokenizerDescriptor {
    FTS5TokenizerDescriptor(
      components: ["ascii"] + characterArguments(separators, tokenCharacters))
  }

  /// The stems of English words, so that "frustrated" matches "frustration".
  ///
  /// - Parameter base: Finds the words; nil for `unicode61`.
  public static func porter(
    wrapping base: FTS5TokenizerDescriptor? = nil
  ) -> FTS5TokenizerDescriptor {
    FTS5TokenizerDescriptor(components: ["porter"] + (base?.components ?? []))
  }

  /// Words of Unicode letters and digits, in which case doesn't matter: the default.
  ///
  /// - Parameter diacritics: What becomes of "é".
  /// - Parameter categories: The Unicode categories of the characters in words,
  ///   as in `"L* N* Co"`; empty for these.
  /// - Parameter separators: Characters that are no part of a word, whatever
  ///   their category.
  /// - Parameter tokenCharacters: Characters that are part of words, whatever
  ///   their category.
  public static func unicode61(
    diacritics: FTS5.Diacritics = .removeLegacy, categories: String = "",
    separators: Set<Character> = [], tokenCharacters: Set<Character> = []
  ) -> FTS5TokenizerDescriptor {
    var components = ["unicode61"]
    switch diacritics {
    case .removeLegacy: break
    case .keep: components += ["remove_diacritics", "0"]
    case .remove: components += ["remove_diacritics", "2"]
    }
    if !categories.isEmpty { components += ["categories", categories] }
    return FTS5TokenizerDescriptor(
      components: components + characterArguments(separators, tokenCharacters))
  }

  private static func characterArguments(
    _ separators: Set<Character>, _ tokenCharacters: Set<Character>
  ) -> [String] {
    var arguments: [String] = []
    if !separators.isEmpty { arguments += ["separators", String(separators.sorted())] }
    if !tokenCharacters.isEmpty { arguments += ["tokenchars", String(tokenCharacters.sorted())] }
    return arguments
  }

  /// The components as FTS5 reads them: each in quotes.
  var sql: String {
    get throws { try nameAndArguments().map(\.quotedSQLString).joined(separator: " ") }
  }

  /// - Throws: An error where there is no name.
  func nameAndArguments() throws -> [String] {
    guard let name = components.first, !name.isEmpty else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "a tokenizer without a name",
        hint: "The first of the components names the tokenizer, as in [\"porter\", \"ascii\"].")
    }
    return components
  }

  func requireFeatures() throws {
    guard let index = components.firstIndex(of: "remove_diacritics"),
      components.dropFirst(index + 1).first == "2"
    else { return }
    let features = SQLiteFeatures.linked
    try features.require(features.hasFullDiacritics, "the removal of all diacritics", "3.27")
  }
}
