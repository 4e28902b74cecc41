import Synchronization

/// What tokenizers have thrown, until somebody who can throw asks for it: a
/// tokenization itself returns a code.
enum TokenizerErrors {
  private static let errors = Mutex<[ObjectIdentifier: any Error]>([:])

  /// Keeps the error of a tokenizer that is at work.
  static func keep(_ error: any Error, of tokenizer: any FTS5Tokenizer) {
    errors.withLock { $0[ObjectIdentifier(tokenizer)] = error }
  }

  /// The error of a tokenizer whose tokenization has failed.
  static func take(of tokenizer: any FTS5Tokenizer) -> (any Error)? {
    errors.withLock { $0.removeValue(forKey: ObjectIdentifier(tokenizer)) }
  }
}
