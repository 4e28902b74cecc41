import CofferCore

/// A tokenizer of ``FTS3`` and ``FTS4``: <https://sqlite.org/fts3.html#tokenizer>.
public struct FTS3TokenizerDescriptor: Sendable {
  let name: String
  let arguments: [String]
  private let needsFullDiacritics: Bool

  init(_ name: String, arguments: [String] = [], needsFullDiacritics: Bool = false) {
    self.name = name
    self.arguments = arguments
    self.needsFullDiacritics = needsFullDiacritics
  }

  /// Splits texts into words, ignoring the case of ASCII letters; the default.
  public static let simple = FTS3TokenizerDescriptor("simple")

  /// Reduces English words to their stems, so that "frustrated" matches "frustration".
  public static let porter = FTS3TokenizerDescriptor("porter")

  /// Returns a tokenizer for words of Unicode letters and digits, ignoring case.
  ///
  /// - Parameter diacritics: The treatment of letters such as "é".
  /// - Parameter separators: Letters or digits that separate words.
  /// - Parameter tokenCharacters: Other characters that are part of words.
  public static func unicode61(
    diacritics: FTS3.Diacritics = .removeLegacy, separators: Set<Character> = [],
    tokenCharacters: Set<Character> = []
  ) -> FTS3TokenizerDescriptor {
    var arguments: [String] = []
    switch diacritics {
    case .removeLegacy: break
    case .keep: arguments.append("remove_diacritics=0")
    case .remove: arguments.append("remove_diacritics=2")
    }
    if !separators.isEmpty { arguments.append("separators=\(String(separators.sorted()))") }
    if !tokenCharacters.isEmpty {
      arguments.append("tokenchars=\(String(tokenCharacters.sorted()))")
    }
    return FTS3TokenizerDescriptor(
      "unicode61", arguments: arguments, needsFullDiacritics: diacritics == .remove)
  }

  /// The text after `tokenize=`.
  var sql: String {
    ([name] + arguments.map(\.quotedDatabaseIdentifier)).joined(separator: " ")
  }

  func requireFeatures() throws {
    let features = SQLiteFeatures.linked
    try features.require(
      !needsFullDiacritics || features.hasFullDiacritics, "the removal of all diacritics", "3.27")
  }
}
