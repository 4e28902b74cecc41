import CofferCore

/// A tokenizer that is registered on a connection: a built-in one of FTS5, or a custom one.
final class FTS5NamedTokenizer: FTS5Tokenizer {
  private let tokenizer: SQLite.NamedTokenizer
  private weak var database: Database?

  init(_ tokenizer: SQLite.NamedTokenizer, _ database: Database) {
    self.tokenizer = tokenizer
    self.database = database
  }

  @safe func tokenize(
    context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization,
    pText: UnsafePointer<CChar>?, nText: CInt, tokenCallback: @escaping FTS5TokenCallback
  ) -> CInt {
    tokenizer.tokenize(
      context: context, reason: tokenization.rawValue, text: pText, textCount: nText,
      callback: tokenCallback)
  }

  /// Takes the error of a tokenization outside of statements.
  func takeError() -> DatabaseError? { database?.takeTokenizerError() }
}
