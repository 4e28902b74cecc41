import CofferCore

/// A tokenizer of ``FTS5``: <https://sqlite.org/fts5.html#tokenizers>.
///
/// ```swift
/// t.tokenizer = .unicode61(diacritics: .keep)
/// t.tokenizer = .porter(wrapping: .ascii())
/// t.tokenizer = FTS5TokenizerDescriptor(components: ["trigram"])
/// t.tokenizer = SynonymTokenizer.tokenizerDescriptor()   // a custom tokenizer
/// ```
public struct FTS5TokenizerDescriptor: Sendable {
  /// The tokenizer's name, followed by its arguments.
  public let components: [String]

  /// Creates a descriptor from a name and arguments.
  ///
  /// - Parameter components: The name, followed by the arguments. If it is empty, using the
  ///   descriptor throws.
  public init(components: [String]) { self.components = components }

  /// Returns a tokenizer for words, ignoring the case of ASCII letters.
  ///
  /// - Parameter separators: ASCII letters or digits that separate words.
  /// - Parameter tokenCharacters: Other ASCII characters that are part of words.
  public static func ascii(
    separators: Set<Character> = [], tokenCharacters: Set<Character> = []
  ) -> FTS5TokenizerDescriptor {
    FTS5TokenizerDescriptor(
      components: ["ascii"] + characterArguments(separators, tokenCharacters))
  }

  /// Returns a tokenizer for the stems of English words.
  ///
  /// With it, "frustrated" matches "frustration".
  ///
  /// - Parameter base: The tokenizer that finds the words; nil for `unicode61`.
  public static func porter(
    wrapping base: FTS5TokenizerDescriptor? = nil
  ) -> FTS5TokenizerDescriptor {
    FTS5TokenizerDescriptor(components: ["porter"] + (base?.components ?? []))
  }

  /// Returns a tokenizer for words of Unicode letters and digits, ignoring case; the default.
  ///
  /// - Parameter diacritics: The treatment of letters such as "é".
  /// - Parameter categories: The Unicode categories of characters in words, as in `"L* N* Co"`;
  ///   empty for the default.
  /// - Parameter separators: Characters that separate words, regardless of their category.
  /// - Parameter tokenCharacters: Characters that are part of words, regardless of their category.
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

  /// The components, each quoted, as FTS5 expects them.
  var sql: String {
    get throws { try nameAndArguments().map(\.quotedSQLString).joined(separator: " ") }
  }

  /// Returns the components.
  /// - Throws: ``DatabaseError`` if there is no name.
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
