import CofferCore

/// A tokenizer that a connection knows by its name: one of FTS5's own, or one
/// that was added.
final class FTS5NamedTokenizer: FTS5Tokenizer {
  private let tokenizer: SQLite.NamedTokenizer
  private weak var database: Database?

  init(_ tokenizer: SQLite.NamedTokenizer, _ database: Database) {
    self.tokenizer = tokenizer
    self.database = database
  }

  func tokenize(
    context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization,
    pText: UnsafePointer<CChar>?, nText: CInt, tokenCallback: @escaping FTS5TokenCallback
  ) -> CInt {
    tokenizer.tokenize(
      context: context, reason: tokenization.rawValue, text: pText, textCount: nText,
      callback: tokenCallback)
  }

  /// What has failed a tokenization that no statement has asked for.
  func takeError() -> DatabaseError? { database?.takeTokenizerError() }
}
