import CofferCore

/// The function that a wrapper tokenizer calls for each token to pass to FTS5.
public typealias FTS5WrapperTokenCallback = (
  _ token: String, _ flags: FTS5TokenFlags
) throws -> Void

/// A custom tokenizer for ``FTS5`` that changes the tokens of another tokenizer.
///
/// ```swift
/// /// Leaves out words that say nothing.
/// final class StopWordTokenizer: FTS5WrapperTokenizer {
///   static let name = "stopwords"
///   let wrappedTokenizer: any FTS5Tokenizer
///   let stopWords: Set<String> = ["a", "and", "the"]
///
///   init(db: Database, arguments: [String]) throws {
///     wrappedTokenizer = try db.makeTokenizer(.unicode61())
///   }
///
///   func accept(
///     token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
///     tokenCallback: FTS5WrapperTokenCallback
///   ) throws {
///     if !stopWords.contains(token) { try tokenCallback(token, flags) }
///   }
/// }
/// ```
///
/// Add the type to each connection that uses it: see ``FTS5CustomTokenizer``.
public protocol FTS5WrapperTokenizer: FTS5CustomTokenizer {
  /// The tokenizer that finds the tokens.
  var wrappedTokenizer: any FTS5Tokenizer { get }

  /// Passes a token on to FTS5, unchanged or changed, several times or not at all.
  ///
  /// For synonyms, also call back with ``FTS5TokenFlags/colocated`` added to the flags, either for
  /// documents or for queries, but not for both.
  /// - Parameter flags: The flags to pass on.
  /// - Parameter tokenCallback: Passes a token to FTS5. Don't catch its errors.
  /// - Throws: Any error; the statement throws it.
  func accept(
    token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
    tokenCallback: FTS5WrapperTokenCallback
  ) throws
}

extension FTS5WrapperTokenizer {
  /// Calls ``accept(token:flags:for:tokenCallback:)`` for each token of the wrapped tokenizer.
  @safe public func tokenize(
    context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization,
    pText: UnsafePointer<CChar>?, nText: CInt, tokenCallback: @escaping FTS5TokenCallback
  ) -> CInt {
    let run = WrapperRun(self, context, tokenization, tokenCallback)
    return withExtendedLifetime(run) {
      unsafe wrappedTokenizer.tokenize(
        // SAFETY: the run outlives the call.
        context: Unmanaged.passUnretained(run).toOpaque(), tokenization: tokenization,
        pText: pText, nText: nText
      ) { context, flags, token, count, start, end in
        guard let context = unsafe context else { return ResultCode.SQLITE_MISUSE.rawValue }
        return unsafe Unmanaged<WrapperRun>.fromOpaque(context)._withUnsafeGuaranteedRef {
          $0.accept(String(token, count: count), flags, start..<max(start, end))
        }
      }
    }
  }
}

/// One tokenization by a wrapper.
@safe private final class WrapperRun {
  private let tokenizer: any FTS5WrapperTokenizer
  @safe private let context: UnsafeMutableRawPointer?
  private let tokenization: FTS5Tokenization
  private let callback: FTS5TokenCallback

  @safe init(
    _ tokenizer: any FTS5WrapperTokenizer, _ context: UnsafeMutableRawPointer?,
    _ tokenization: FTS5Tokenization, _ callback: @escaping FTS5TokenCallback
  ) {
    self.tokenizer = tokenizer
    self.context = unsafe context
    self.tokenization = tokenization
    unsafe self.callback = unsafe callback
  }

  /// Thrown after FTS5 has rejected a token. Its result code is returned instead of this error.
  private struct Refusal: Error {}

  func accept(_ token: String, _ flags: CInt, _ range: Range<CInt>) -> CInt {
    var refusal: CInt = 0
    do {
      try tokenizer.accept(
        token: token, flags: FTS5TokenFlags(rawValue: flags), for: tokenization
      ) { token, flags in
        // Ends the tokenization even if `accept` catches the first refusal.
        if refusal == 0 { refusal = pass(token, flags.rawValue, range) }
        if refusal != 0 { throw Refusal() }
      }
    } catch {
      if refusal == 0 { return keep(error) }
    }
    return refusal
  }

  private func pass(_ token: String, _ flags: CInt, _ range: Range<CInt>) -> CInt {
    var token = token
    return token.withUTF8 { utf8 in
      guard let count = CInt(exactly: utf8.count) else { return ResultCode.SQLITE_TOOBIG.rawValue }
      return unsafe utf8.withMemoryRebound(to: CChar.self) {
        unsafe callback(context, flags, $0.baseAddress, count, range.lowerBound, range.upperBound)
      }
    }
  }

  private func keep(_ error: any Error) -> CInt {
    TokenizerErrors.keep(error, of: tokenizer)
    return ResultCode.SQLITE_ERROR.rawValue
  }
}
