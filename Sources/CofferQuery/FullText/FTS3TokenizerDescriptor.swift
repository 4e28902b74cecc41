import CofferCore

/// How ``FTS3`` and ``FTS4`` split texts into words: <https://sqlite.org/fts3.html#tokenizer>.
public struct FTS3TokenizerDescriptor: Sendable {
  let name: String
  let arguments: [String]
  private let needsFullDiacritics: Bool

  init(_ name: String, arguments: [String] = [], needsFullDiacritics: Bool = false) {
    self.name = name
    self.arguments = arguments
    self.needsFullDiacritics = needsFullDiacritics
  }

  /// Words in which the case of ASCII letters doesn't matter: the default.
  public static let simple = FTS3TokenizerDescriptor("simple")

  /// The stems of English words, so that "frustrated" matches "frustration".
  public static let porter = FTS3TokenizerDescriptor("porter")

  /// Words of Unicode letters and digits, in which case doesn't matter.
  ///
  /// - Parameter diacritics: What becomes of "é".
  /// - Parameter separators: Characters that are no part of a word, though they
  ///   are letters or digits.
  /// - Parameter tokenCharacters: Characters that are part of words, though they
  ///   are neither.
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

  /// What follows `tokenize=`.
  var sql: String {
    ([name] + arguments.map(\.quotedDatabaseIdentifier)).joined(separator: " ")
  }

  func requireFeatures() throws {
    let features = SQLiteFeatures.linked
    try features.require(
      !needsFullDiacritics || features.hasFullDiacritics, "the removal of all diacritics", "3.27")
  }
}
