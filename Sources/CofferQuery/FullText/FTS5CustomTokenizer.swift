import CofferCore

/// A tokenizer of your own for ``FTS5``, close to C.
///
/// ``FTS5WrapperTokenizer`` is the easy way where another tokenizer finds the
/// words. Add the type to each connection that uses it, in
/// `Configuration.prepareDatabase`:
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
/// SQLite makes an object for each connection and table, and for nobody else:
/// it is used by one thread at a time, and dies with the connection, or earlier.
/// Don't keep the `Database` in it.
public protocol FTS5CustomTokenizer: FTS5Tokenizer {
  /// The name in `tokenize=`: none of FTS5's own, such as "porter".
  static var name: String { get }

  /// Makes a tokenizer.
  ///
  /// - Parameter db: The connection, for `makeTokenizer(_:)` or a list of words.
  /// - Parameter arguments: What follows the name in `tokenize=`.
  init(db: Database, arguments: [String]) throws
}

extension FTS5CustomTokenizer {
  /// The tokenizer, for a table's definition.
  public static func tokenizerDescriptor(arguments: [String] = []) -> FTS5TokenizerDescriptor {
    FTS5TokenizerDescriptor(components: [name] + arguments)
  }
}

extension Database {
  /// Makes a tokenizer of yours known to this connection.
  ///
  /// A table that uses it can't be opened by connections that don't know it: add
  /// it in `Configuration.prepareDatabase`. Does nothing where SQLite has no FTS5.
  ///
  /// What the tokenizer throws becomes the error of the statement that uses it.
  public func add<Tokenizer: FTS5CustomTokenizer>(tokenizer: Tokenizer.Type) {
    addTokenizer(named: Tokenizer.name) { db, arguments in
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

  /// Makes one of FTS5's tokenizers, or one that was added to the connection.
  ///
  /// ```swift
  /// let tokenizer = try db.makeTokenizer(.unicode61())
  /// try tokenizer.tokenize(query: "Moby-Dick").map(\.token)  // ["moby", "dick"]
  /// ```
  ///
  /// - Throws: An error where no tokenizer has the name, or takes the arguments.
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
          hint: "One of your own must be known to this connection: call db.add(tokenizer:) in "
            + "Configuration.prepareDatabase.")
    }
  }
}
