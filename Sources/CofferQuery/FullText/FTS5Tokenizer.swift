import CofferCore

/// The function that a tokenizer calls for each token; the values are those of
/// `xToken` at <https://sqlite.org/fts5.html#custom_tokenizers>.
///
/// - Parameter context: What the tokenizer was given.
/// - Parameter flags: ``FTS5TokenFlags``, as bits.
/// - Parameter pToken: The token, in UTF-8; need not end with a NUL.
/// - Parameter nToken: The bytes of the token.
/// - Parameter iStart: The byte of the text where the token begins.
/// - Parameter iEnd: The byte of the text after it.
/// - Returns: A result code; any but 0 ends the tokenization, which returns it.
public typealias FTS5TokenCallback =
  @convention(c) (
    _ context: UnsafeMutableRawPointer?, _ flags: CInt, _ pToken: UnsafePointer<CChar>?,
    _ nToken: CInt, _ iStart: CInt, _ iEnd: CInt
  ) -> CInt

/// Why FTS5 wants tokens: <https://sqlite.org/fts5.html#custom_tokenizers>.
public struct FTS5Tokenization: OptionSet, Sendable {
  /// The reasons as bits.
  public let rawValue: CInt

  /// The reasons that these bits stand for.
  public init(rawValue: CInt) { self.rawValue = rawValue }

  /// `FTS5_TOKENIZE_QUERY`: a pattern is searched.
  public static let query = FTS5Tokenization(rawValue: 1)

  /// `FTS5_TOKENIZE_PREFIX`, with ``query``: the last token is a prefix.
  public static let prefix = FTS5Tokenization(rawValue: 2)

  /// `FTS5_TOKENIZE_DOCUMENT`: a text comes into the index, or leaves it.
  public static let document = FTS5Tokenization(rawValue: 4)

  /// `FTS5_TOKENIZE_AUX`: an auxiliary function wants the tokens.
  public static let aux = FTS5Tokenization(rawValue: 8)
}

/// What FTS5 is told of a token: <https://sqlite.org/fts5.html#custom_tokenizers>.
public struct FTS5TokenFlags: OptionSet, Sendable {
  /// The flags as bits.
  public let rawValue: CInt

  /// The flags that these bits stand for.
  public init(rawValue: CInt) { self.rawValue = rawValue }

  /// `FTS5_TOKEN_COLOCATED`: the token is at the same place as the one before, a synonym.
  public static let colocated = FTS5TokenFlags(rawValue: 1)
}

/// Splits texts into tokens for ``FTS5``.
///
/// FTS5's own come from `db.makeTokenizer(_:)`; yours conform to
/// ``FTS5CustomTokenizer`` or ``FTS5WrapperTokenizer``.
public protocol FTS5Tokenizer: AnyObject {
  /// Calls back for each token, in the order of the text.
  ///
  /// - Parameter context: What `tokenCallback` is given as its first argument.
  /// - Parameter tokenization: Why FTS5 wants tokens.
  /// - Parameter pText: The text, in UTF-8; need not end with a NUL.
  /// - Parameter nText: The bytes of the text.
  /// - Parameter tokenCallback: Called for each token; where it returns another
  ///   code than 0, return that code at once.
  /// - Returns: 0, or a result code that the statement fails with.
  func tokenize(
    context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization,
    pText: UnsafePointer<CChar>?, nText: CInt, tokenCallback: @escaping FTS5TokenCallback
  ) -> CInt
}

extension FTS5Tokenizer {
  /// The tokens of a text that would come into an index.
  ///
  /// ```swift
  /// let tokenizer = try db.makeTokenizer(.porter())
  /// try tokenizer.tokenize(document: "SQLite databases").map(\.token)  // ["sqlite", "databas"]
  /// ```
  public func tokenize(
    document string: String
  ) throws -> [(token: String, flags: FTS5TokenFlags)] {
    try tokens(of: string, for: .document)
  }

  /// The tokens of a pattern.
  public func tokenize(query string: String) throws -> [(token: String, flags: FTS5TokenFlags)] {
    try tokens(of: string, for: .query)
  }

  private func tokens(
    of string: String, for tokenization: FTS5Tokenization
  ) throws -> [(token: String, flags: FTS5TokenFlags)] {
    var tokens: [(token: String, flags: FTS5TokenFlags)] = []
    var string = string
    let code: CInt = string.withUTF8 { utf8 in
      guard let count = CInt(exactly: utf8.count) else { return ResultCode.SQLITE_TOOBIG.rawValue }
      return utf8.withMemoryRebound(to: CChar.self) { text in
        withUnsafeMutablePointer(to: &tokens) {
          tokenize(
            context: $0, tokenization: tokenization, pText: text.baseAddress, nText: count
          ) { context, flags, token, count, _, _ in
            // SAFETY: the array above, which outlives the call.
            context?.assumingMemoryBound(to: [(token: String, flags: FTS5TokenFlags)].self)
              .pointee.append((String(token, count: count), FTS5TokenFlags(rawValue: flags)))
            return 0
          }
        }
      }
    }
    guard code == 0 else {
      throw TokenizerErrors.take(of: self) ?? (self as? FTS5NamedTokenizer)?.takeError()
        ?? DatabaseError(resultCode: ResultCode(rawValue: code))
    }
    return tokens
  }
}

extension String {
  /// A token; bytes that are no UTF-8 are repaired.
  init(_ token: UnsafePointer<CChar>?, count: CInt) {
    let bytes = UnsafeRawBufferPointer(
      start: token, count: token == nil ? 0 : Int(Swift.max(count, 0)))
    self.init(decoding: bytes, as: UTF8.self)
  }
}
