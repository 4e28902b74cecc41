import CofferCore

/// A custom tokenizer for ``FTS5``, close to the C interface.
///
/// To change the tokens of an existing tokenizer, ``FTS5WrapperTokenizer`` is easier. Add the type
/// to each connection that uses it, in `Configuration.prepareDatabase`:
///
/// ```swift
/// configuration.prepareDatabase { db in db.add(tokenizer: BigramTokenizer.self) }
/// …
/// try db.create(virtualTable: "document", using: FTS5()) { t in
///   t.tokenizer = BigramTokenizer.tokenizerDescriptor()
///   t.column("content")
/// }
/// ```
///
/// SQLite creates one object per connection and table, and uses it on one thread at a time, at most
/// until the connection closes. Don't store the `Database` in it.
public protocol FTS5CustomTokenizer: FTS5Tokenizer {
  /// The name in `tokenize=`, different from FTS5's built-in ones such as "porter".
  static var name: String { get }

  /// Creates a tokenizer.
  ///
  /// - Parameter db: The connection, for `makeTokenizer(_:)` or for reading a word list.
  /// - Parameter arguments: The arguments after the name in `tokenize=`.
  init(db: Database, arguments: [String]) throws
}

extension FTS5CustomTokenizer {
  /// Returns a descriptor of the tokenizer, for a table's definition.
  public static func tokenizerDescriptor(arguments: [String] = []) -> FTS5TokenizerDescriptor {
    FTS5TokenizerDescriptor(components: [name] + arguments)
  }
}

extension Database {
  /// Registers a custom tokenizer on this connection.
  ///
  /// Other connections can't open a table that uses it unless they register it too: do so in
  /// `Configuration.prepareDatabase`. Does nothing if SQLite has no FTS5.
  ///
  /// An error that the tokenizer throws is thrown by the statement that uses it.
  public func add<Tokenizer: FTS5CustomTokenizer>(tokenizer: Tokenizer.Type) {
    unsafe addTokenizer(named: Tokenizer.name) { db, arguments in
      let tokenizer = try Tokenizer(db: db, arguments: arguments)
      return { [weak db] context, reason, text, count, callback in
        let code = tokenizer.tokenize(
          context: context, tokenization: FTS5Tokenization(rawValue: reason), pText: text,
          nText: count, tokenCallback: callback)
        guard code != 0, let error = TokenizerErrors.take(of: tokenizer) else { return code }
        return db?.noteTokenizerFailure(error, of: Tokenizer.name) ?? code
      }
    }
  }

  /// Creates a built-in tokenizer of FTS5, or one that was added to the connection.
  ///
  /// ```swift
  /// let tokenizer = try db.makeTokenizer(.unicode61())
  /// try tokenizer.tokenize(query: "Moby-Dick").map(\.token)  // ["moby", "dick"]
  /// ```
  ///
  /// - Throws: ``DatabaseError`` if there is no such tokenizer, or if it rejects the arguments.
  public func makeTokenizer(_ descriptor: FTS5TokenizerDescriptor) throws -> any FTS5Tokenizer {
    try FTS5.require()
    try descriptor.requireFeatures()
    let components = try descriptor.nameAndArguments()
    guard let api = fts5API else {
      throw DatabaseError(
        resultCode: .SQLITE_ERROR, message: "no such module: fts5",
        hint: "This connection is closed, or its SQLite was built without FTS5.")
    }
    do {
      let tokenizer = try SQLite.NamedTokenizer(
        components[0], arguments: Array(components.dropFirst()), of: api)
      return FTS5NamedTokenizer(tokenizer, self)
    } catch {
      throw takeTokenizerError()
        ?? DatabaseError(
          resultCode: ResultCode(rawValue: error.code),
          message: "no such tokenizer, or not with these arguments: \(components[0])",
          hint: "Register custom tokenizers with each connection: call db.add(tokenizer:) in "
            + "Configuration.prepareDatabase.")
    }
  }
}
