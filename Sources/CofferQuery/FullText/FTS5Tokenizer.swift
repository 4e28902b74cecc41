import CofferCore

/// The function that a tokenizer calls for each token, like SQLite's `xToken`.
///
/// <https://sqlite.org/fts5.html#custom_tokenizers>
///
/// - Parameter context: The context that the tokenizer received.
/// - Parameter flags: The bits of ``FTS5TokenFlags``.
/// - Parameter pToken: The token in UTF-8, not necessarily NUL-terminated.
/// - Parameter nToken: The length of the token, in bytes.
/// - Parameter iStart: The offset of the token in the text, in bytes.
/// - Parameter iEnd: The offset of the token's end in the text, in bytes.
/// - Returns: A result code. If it isn't 0, the tokenizer must stop and return it.
public typealias FTS5TokenCallback =
  @convention(c) (
    _ context: UnsafeMutableRawPointer?, _ flags: CInt, _ pToken: UnsafePointer<CChar>?,
    _ nToken: CInt, _ iStart: CInt, _ iEnd: CInt
  ) -> CInt

/// The reason for a tokenization: <https://sqlite.org/fts5.html#custom_tokenizers>.
public struct FTS5Tokenization: OptionSet, Sendable {
  /// The reasons as bits.
  public let rawValue: CInt

  /// Creates reasons from bits.
  public init(rawValue: CInt) { self.rawValue = rawValue }

  /// `FTS5_TOKENIZE_QUERY`: for a search pattern.
  public static let query = FTS5Tokenization(rawValue: 1)

  /// `FTS5_TOKENIZE_PREFIX`, with ``query``: the last token is a prefix.
  public static let prefix = FTS5Tokenization(rawValue: 2)

  /// `FTS5_TOKENIZE_DOCUMENT`: a text is added to the index, or removed from it.
  public static let document = FTS5Tokenization(rawValue: 4)

  /// `FTS5_TOKENIZE_AUX`: for an auxiliary function.
  public static let aux = FTS5Tokenization(rawValue: 8)
}

/// Properties of a token: <https://sqlite.org/fts5.html#custom_tokenizers>.
public struct FTS5TokenFlags: OptionSet, Sendable {
  /// The flags as bits.
  public let rawValue: CInt

  /// Creates flags from bits.
  public init(rawValue: CInt) { self.rawValue = rawValue }

  /// `FTS5_TOKEN_COLOCATED`: the token has the same position as the previous one, as a synonym.
  public static let colocated = FTS5TokenFlags(rawValue: 1)
}

/// A type that splits texts into tokens for ``FTS5``.
///
/// `db.makeTokenizer(_:)` creates built-in tokenizers; custom ones conform to
/// ``FTS5CustomTokenizer`` or ``FTS5WrapperTokenizer``.
public protocol FTS5Tokenizer: AnyObject {
  /// Calls a function for each token, in the order of the text.
  ///
  /// - Parameter context: The first argument for `tokenCallback`.
  /// - Parameter tokenization: The reason for the tokenization.
  /// - Parameter pText: The text in UTF-8, not necessarily NUL-terminated.
  /// - Parameter nText: The length of the text, in bytes.
  /// - Parameter tokenCallback: The function to call. If it doesn't return 0, return its result
  ///   immediately.
  /// - Returns: 0, or a result code that the statement fails with.
  @safe func tokenize(
    context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization,
    pText: UnsafePointer<CChar>?, nText: CInt, tokenCallback: @escaping FTS5TokenCallback
  ) -> CInt
}

extension FTS5Tokenizer {
  /// Returns the tokens of a text as they would be indexed.
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

  /// Returns the tokens of a search pattern.
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
      return unsafe utf8.withMemoryRebound(to: CChar.self) { text in
        unsafe withUnsafeMutablePointer(to: &tokens) {
          tokenize(
            context: $0, tokenization: tokenization, pText: text.baseAddress, nText: count
          ) { context, flags, token, count, _, _ in
            // SAFETY: the context is the array above, which outlives the call.
            unsafe context?.assumingMemoryBound(to: [(token: String, flags: FTS5TokenFlags)].self)
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
  /// Creates a string from a token; invalid UTF-8 is repaired.
  @safe init(_ token: UnsafePointer<CChar>?, count: CInt) {
    let bytes = unsafe UnsafeRawBufferPointer(
      start: token, count: token == nil ? 0 : Int(Swift.max(count, 0)))
    unsafe self.init(decoding: bytes, as: UTF8.self)
  }
}
