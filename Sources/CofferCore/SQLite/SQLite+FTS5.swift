import CSQLCipher

/// FTS5's interface for extensions of a connection: <https://sqlite.org/fts5.html#extending_fts5>.
public typealias SQLiteFTS5API = UnsafePointer<fts5_api>

extension SQLite {
  /// The C function that a tokenizer calls for each token.
  package typealias TokenCallback =
    @convention(c) (
      _ context: UnsafeMutableRawPointer?, _ flags: CInt, _ token: UnsafePointer<CChar>?,
      _ tokenCount: CInt, _ start: CInt, _ end: CInt
    ) -> CInt

  /// Splits a text into tokens, and returns a result code.
  package typealias Tokenize = (
    _ context: UnsafeMutableRawPointer?, _ reason: CInt, _ text: UnsafePointer<CChar>?,
    _ textCount: CInt, _ callback: @escaping TokenCallback
  ) -> CInt

  /// Returns FTS5's interface for extensions; nil if SQLite has no FTS5.
  static func fts5API(_ connection: SQLiteConnection) -> SQLiteFTS5API? {
    coffer_fts5_api(connection)
  }

  /// Registers a tokenizer under a name in the connection, which retains `make`.
  ///
  /// - Parameter make: Called with the arguments of `tokenize=` whenever SQLite needs a tokenizer;
  ///   throws a result code.
  package static func addTokenizer(
    named name: String, to api: SQLiteFTS5API,
    make: @escaping (_ arguments: [String]) throws(Failure) -> Tokenize
  ) -> CInt {
    let factory = Unmanaged.passRetained(TokenizerFactory(make))
    var methods = fts5_tokenizer(
      xCreate: createTokenizer, xDelete: deleteTokenizer, xTokenize: callTokenizer)
    let code = api.pointee.xCreateTokenizer(
      UnsafeMutablePointer(mutating: api), name, factory.toOpaque(), &methods,
      releaseTokenizerFactory)
    // SAFETY: FTS5 calls the destructor only if the registration has succeeded.
    if code != SQLITE_OK { factory.release() }
    return code
  }

  /// A tokenizer that is registered in a connection: one of FTS5's, or a custom one.
  ///
  /// It doesn't use the connection after its creation.
  package final class NamedTokenizer {
    private let methods: fts5_tokenizer
    // SAFETY: created by `methods.xCreate`, and deleted only with this object.
    private let tokenizer: OpaquePointer

    /// - Throws: `SQLITE_ERROR` if no tokenizer has that name, or the error of its creation.
    package init(_ name: String, arguments: [String], of api: SQLiteFTS5API) throws(Failure) {
      var methods = fts5_tokenizer()
      var context: UnsafeMutableRawPointer?
      let found = api.pointee.xFindTokenizer(
        UnsafeMutablePointer(mutating: api), name, &context, &methods)
      guard found == SQLITE_OK, let create = methods.xCreate else {
        throw Failure(code: found == SQLITE_OK ? SQLITE_ERROR : found)
      }
      var tokenizer: OpaquePointer?
      let code = withCStrings(arguments) { create(context, $0, CInt(arguments.count), &tokenizer) }
      guard code == SQLITE_OK, let tokenizer else {
        throw Failure(code: code == SQLITE_OK ? SQLITE_ERROR : code)
      }
      self.methods = methods
      self.tokenizer = tokenizer
    }

    deinit { methods.xDelete?(tokenizer) }

    package func tokenize(
      context: UnsafeMutableRawPointer?, reason: CInt, text: UnsafePointer<CChar>?,
      textCount: CInt, callback: @escaping TokenCallback
    ) -> CInt {
      guard let tokenize = methods.xTokenize else { return SQLITE_MISUSE }
      return tokenize(tokenizer, context, reason, text, textCount, callback)
    }
  }

  /// Passes an array of C strings to `body`.
  private static func withCStrings<T>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>?) -> T
  ) -> T {
    // One buffer holds all strings, each with its NUL.
    var bytes: [CChar] = []
    var offsets: [Int] = []
    for string in strings {
      offsets.append(bytes.count)
      bytes.append(contentsOf: string.utf8CString)
    }
    return bytes.withUnsafeBufferPointer { buffer in
      var pointers = offsets.map { offset in buffer.baseAddress.map { $0 + offset } }
      return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress) }
    }
  }
}

/// Creates the tokenizers of one name, for one connection.
private final class TokenizerFactory {
  let make: ([String]) throws(SQLite.Failure) -> SQLite.Tokenize

  init(_ make: @escaping ([String]) throws(SQLite.Failure) -> SQLite.Tokenize) {
    self.make = make
  }
}

/// A custom tokenizer, as FTS5 holds it.
private final class TokenizerBox {
  let tokenize: SQLite.Tokenize

  init(_ tokenize: @escaping SQLite.Tokenize) { self.tokenize = tokenize }
}

// The callbacks. Swift errors can't pass through C: failures are codes.

private func createTokenizer(
  context: UnsafeMutableRawPointer?, arguments: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
  count: CInt, result: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  guard let context, let result else { return SQLITE_MISUSE }
  let strings = (0..<Int(count)).compactMap { arguments?[$0].map { String(cString: $0) } }
  do throws(SQLite.Failure) {
    // SAFETY: retained by `addTokenizer` until FTS5 calls `releaseTokenizerFactory`.
    let factory = Unmanaged<TokenizerFactory>.fromOpaque(context).takeUnretainedValue()
    let box = TokenizerBox(try factory.make(strings))
    // SAFETY: released by `deleteTokenizer`, which FTS5 calls once for each tokenizer created.
    result.pointee = OpaquePointer(Unmanaged.passRetained(box).toOpaque())
    return SQLITE_OK
  } catch {
    return error.code
  }
}

private func deleteTokenizer(tokenizer: OpaquePointer?) {
  guard let tokenizer else { return }
  // SAFETY: balances the retain of `createTokenizer`.
  Unmanaged<TokenizerBox>.fromOpaque(UnsafeRawPointer(tokenizer)).release()
}

private func callTokenizer(
  tokenizer: OpaquePointer?, context: UnsafeMutableRawPointer?, reason: CInt,
  text: UnsafePointer<CChar>?, textCount: CInt, callback: SQLite.TokenCallback?
) -> CInt {
  guard let tokenizer, let callback else { return SQLITE_MISUSE }
  // SAFETY: retained by `createTokenizer` until FTS5 calls `deleteTokenizer`.
  return Unmanaged<TokenizerBox>.fromOpaque(UnsafeRawPointer(tokenizer))
    ._withUnsafeGuaranteedRef { $0.tokenize(context, reason, text, textCount, callback) }
}

private func releaseTokenizerFactory(context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  // SAFETY: balances the retain of `addTokenizer`.
  Unmanaged<TokenizerFactory>.fromOpaque(context).release()
}
