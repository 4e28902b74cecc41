import CSQLCipher
import CofferVault

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
  ///
  /// - Throws: `SQLITE_NOMEM`.
  @safe static func fts5API(
    _ connection: SQLiteConnection
  ) throws(Failure) -> SQLiteFTS5API? {
    var api: SQLiteFTS5API?
    let code = unsafe coffer_fts5_api(connection, &api)
    guard code == SQLITE_OK else { throw Failure(code: code) }
    return unsafe api
  }

  /// Registers a tokenizer under a name in the connection, which retains `make`.
  ///
  /// - Parameter make: Called with the arguments of `tokenize=` whenever SQLite needs a tokenizer;
  ///   throws a result code.
  @safe package static func addTokenizer(
    named name: String, to api: SQLiteFTS5API,
    make: @escaping (_ arguments: [String]) throws(Failure) -> Tokenize
  ) -> CInt {
    let factory = unsafe Unmanaged.passRetained(TokenizerFactory(make))
    var methods = unsafe fts5_tokenizer(
      xCreate: createTokenizer, xDelete: deleteTokenizer, xTokenize: callTokenizer)
    let code = unsafe api.pointee.xCreateTokenizer(
      UnsafeMutablePointer(mutating: api), name, factory.toOpaque(), &methods,
      releaseTokenizerFactory)
    // SAFETY: FTS5 calls the destructor only if the registration has succeeded.
    if code != SQLITE_OK { unsafe factory.release() }
    return code
  }

  /// A tokenizer that is registered in a connection: one of FTS5's, or a custom one.
  ///
  /// It doesn't use the connection after its creation.
  @safe package final class NamedTokenizer {
    @safe private let methods: fts5_tokenizer
    // SAFETY: created by `methods.xCreate`, and deleted only with this object.
    @safe private let tokenizer: OpaquePointer

    /// - Throws: `SQLITE_ERROR` if no tokenizer has that name, or the error of its creation.
    @safe package init(_ name: String, arguments: [String], of api: SQLiteFTS5API) throws(Failure) {
      guard ([name] + arguments).allSatisfy(CName.isWhole) else {
        throw Failure(code: SQLITE_MISUSE)
      }
      var methods = fts5_tokenizer()
      var context: UnsafeMutableRawPointer?
      let found = unsafe api.pointee.xFindTokenizer(
        UnsafeMutablePointer(mutating: api), name, &context, &methods)
      guard found == SQLITE_OK, let create = unsafe methods.xCreate else {
        throw Failure(code: found == SQLITE_OK ? SQLITE_ERROR : found)
      }
      var tokenizer: OpaquePointer?
      let code = withCStrings(arguments) {
        unsafe create(context, $0, CInt(arguments.count), &tokenizer)
      }
      guard code == SQLITE_OK, let tokenizer = unsafe tokenizer else {
        throw Failure(code: code == SQLITE_OK ? SQLITE_ERROR : code)
      }
      self.methods = methods
      self.tokenizer = unsafe tokenizer
    }

    deinit { unsafe methods.xDelete?(tokenizer) }

    @safe package func tokenize(
      context: UnsafeMutableRawPointer?, reason: CInt, text: UnsafePointer<CChar>?,
      textCount: CInt, callback: @escaping TokenCallback
    ) -> CInt {
      guard let tokenize = unsafe methods.xTokenize else { return SQLITE_MISUSE }
      return unsafe tokenize(tokenizer, context, reason, text, textCount, callback)
    }
  }

  /// Passes an array of C strings to `body`.
  @safe private static func withCStrings<T>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>?) -> T
  ) -> T {
    // One buffer holds all strings, each with its NUL.
    var bytes: [CChar] = []
    var offsets: [Int] = []
    for string in strings {
      offsets.append(bytes.count)
      bytes.append(contentsOf: string.utf8CString)
    }
    return unsafe bytes.withUnsafeBufferPointer { buffer in
      var pointers = unsafe offsets.map { offset in
        unsafe buffer.baseAddress.map { unsafe $0 + offset }
      }
      return unsafe pointers.withUnsafeMutableBufferPointer { unsafe body($0.baseAddress) }
    }
  }
}

/// Creates the tokenizers of one name, for one connection.
@safe private final class TokenizerFactory {
  let make: ([String]) throws(SQLite.Failure) -> SQLite.Tokenize

  init(_ make: @escaping ([String]) throws(SQLite.Failure) -> SQLite.Tokenize) {
    unsafe self.make = unsafe make
  }
}

/// A custom tokenizer, as FTS5 holds it.
@safe private final class TokenizerBox {
  let tokenize: SQLite.Tokenize

  init(_ tokenize: @escaping SQLite.Tokenize) { unsafe self.tokenize = unsafe tokenize }
}

// The callbacks. Swift errors can't pass through C: failures are codes.

private func createTokenizer(
  context: UnsafeMutableRawPointer?, arguments: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
  count: CInt, result: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  guard let context = unsafe context, let result = unsafe result else { return SQLITE_MISUSE }
  let strings = (0..<Int(count)).compactMap {
    unsafe arguments?[$0].map { unsafe String(cString: $0) }
  }
  do throws(SQLite.Failure) {
    // SAFETY: retained by `addTokenizer` until FTS5 calls `releaseTokenizerFactory`.
    let factory = unsafe Unmanaged<TokenizerFactory>.fromOpaque(context).takeUnretainedValue()
    let box = unsafe TokenizerBox(try factory.make(strings))
    // SAFETY: released by `deleteTokenizer`, which FTS5 calls once for each tokenizer created.
    unsafe result.pointee = unsafe OpaquePointer(Unmanaged.passRetained(box).toOpaque())
    return SQLITE_OK
  } catch {
    return error.code
  }
}

private func deleteTokenizer(tokenizer: OpaquePointer?) {
  guard let tokenizer = unsafe tokenizer else { return }
  // SAFETY: balances the retain of `createTokenizer`.
  unsafe Unmanaged<TokenizerBox>.fromOpaque(UnsafeRawPointer(tokenizer)).release()
}

private func callTokenizer(
  tokenizer: OpaquePointer?, context: UnsafeMutableRawPointer?, reason: CInt,
  text: UnsafePointer<CChar>?, textCount: CInt, callback: SQLite.TokenCallback?
) -> CInt {
  guard let tokenizer = unsafe tokenizer, let callback = unsafe callback else {
    return SQLITE_MISUSE
  }
  // SAFETY: retained by `createTokenizer` until FTS5 calls `deleteTokenizer`.
  return unsafe Unmanaged<TokenizerBox>.fromOpaque(UnsafeRawPointer(tokenizer))
    ._withUnsafeGuaranteedRef { unsafe $0.tokenize(context, reason, text, textCount, callback) }
}

private func releaseTokenizerFactory(context: UnsafeMutableRawPointer?) {
  guard let context = unsafe context else { return }
  // SAFETY: balances the retain of `addTokenizer`.
  unsafe Unmanaged<TokenizerFactory>.fromOpaque(context).release()
}
