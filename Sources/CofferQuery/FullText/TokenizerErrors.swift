import Synchronization

/// The errors of tokenizers, stored until they can be thrown.
///
/// A tokenization itself only returns a code.
enum TokenizerErrors {
  private static let errors = Mutex<[ObjectIdentifier: any Error]>([:])

  /// Stores the error of a running tokenizer.
  static func keep(_ error: any Error, of tokenizer: any FTS5Tokenizer) {
    errors.withLock { $0[ObjectIdentifier(tokenizer)] = error }
  }

  /// Removes and returns the error of a tokenizer whose tokenization has failed.
  static func take(of tokenizer: any FTS5Tokenizer) -> (any Error)? {
    errors.withLock { $0.removeValue(forKey: ObjectIdentifier(tokenizer)) }
  }
}
