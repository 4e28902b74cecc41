extension Database {
  // MARK: Functions

  /// Makes a function known to this connection, in the place of one of the same
  /// name and number of arguments.
  ///
  /// To have it in all connections of a pool, add it in `Configuration.prepareDatabase`.
  /// - Precondition: No statement is being executed if it replaces a function.
  public func add(function: DatabaseFunction) {
    register("the function \(function.name)") { SQLite.add(function, to: $0) }
    additions.functions[function.id] = function
  }

  /// Makes this connection forget a function, so that statements that use it fail.
  ///
  /// A function of SQLite's own that it took the place of stays away until the
  /// connection closes.
  /// - Precondition: No statement is being executed.
  public func remove(function: DatabaseFunction) {
    register("the function \(function.name)") { SQLite.remove(function, from: $0) }
    additions.functions[function.id] = nil
  }

  // MARK: Collations

  /// Makes a collation known to this connection, in the place of one of the same name.
  ///
  /// To have it in all connections of a pool, add it in `Configuration.prepareDatabase`.
  /// - Precondition: No statement is being executed if it replaces a collation.
  public func add(collation: DatabaseCollation) {
    register("the collation \(collation.name)") { SQLite.add(collation, to: $0) }
    additions.collations[collation.id] = collation
  }

  /// Makes a collation known to this connection, unless one of that name was made known so before.
  package func ensure(collation: DatabaseCollation) {
    guard ensuredCollations.insert(collation.id).inserted else { return }
    add(collation: collation)
  }

  /// Makes a function known to this connection, unless one of that name was made known so before.
  package func ensure(function: DatabaseFunction) {
    guard ensuredFunctions.insert(function.name).inserted else { return }
    add(function: function)
  }

  /// Makes this connection forget a collation, so that statements that use it fail.
  ///
  /// - Precondition: No statement is being executed.
  public func remove(collation: DatabaseCollation) {
    register("the collation \(collation.name)") { SQLite.remove(collation, from: $0) }
    additions.collations[collation.id] = nil
  }

  /// Rebuilds all indexes in a collation, after its order has changed.
  public func reindex(collation: DatabaseCollation) throws {
    try reindex(collation: CollationName(rawValue: collation.name))
  }

  /// Rebuilds all indexes in a collation, after its order has changed.
  public func reindex(collation: CollationName) throws {
    try execute(sql: "REINDEX \(collation.rawValue.quotedDatabaseIdentifier)")
  }

  /// The name of a collation.
  public struct CollationName: RawRepresentable, Hashable, Sendable {
    /// The name in SQL.
    public let rawValue: String

    /// The collation of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// `BINARY`: the order of the bytes.
    public static let binary = CollationName(rawValue: "BINARY")
    /// `NOCASE`: that of the bytes, ASCII letters in either case being equal.
    public static let nocase = CollationName(rawValue: "NOCASE")
    /// `RTRIM`: that of the bytes, spaces at the end left out.
    public static let rtrim = CollationName(rawValue: "RTRIM")
  }

  // MARK: Registering

  /// Makes what every connection knows known to one.
  static func addStandardFunctions(to connection: SQLiteConnection) throws {
    for function in DatabaseFunction.standard {
      try check(SQLite.add(function, to: connection), connection)
    }
    for collation in DatabaseCollation.standard {
      try check(SQLite.add(collation, to: connection), connection)
    }
    try check(SQLite.provideCollations(to: connection), connection)
  }

  private static func check(_ code: CInt, _ connection: SQLiteConnection) throws {
    if code != SQLite.ok { throw DatabaseError(code: code, connection: connection) }
  }

  /// Makes known what is known to another connection beyond that.
  static func add(_ additions: SQLAdditions, to connection: SQLiteConnection) throws {
    for function in additions.functions.values {
      try check(SQLite.add(function, to: connection), connection)
    }
    for collation in additions.collations.values {
      try check(SQLite.add(collation, to: connection), connection)
    }
  }

  /// Nothing can be called once the connection has closed, so that there is
  /// nothing to do then.
  private func register(_ subject: String, _ body: (SQLiteConnection) -> CInt) {
    precondition(
      gate.isHeldByCurrentThread,
      "Database was not used on the correct thread: add \(subject) inside an access.")
    guard let sqliteConnection else { return }
    let code = body(sqliteConnection)
    guard code != SQLite.ok else { return }
    preconditionFailure("\(subject): \(SQLite.errorMessage(sqliteConnection))")
  }
}

/// The functions and collations that an application has added to a connection.
struct SQLAdditions: Sendable {
  var functions: [DatabaseFunction.ID: DatabaseFunction] = [:]
  var collations: [DatabaseCollation.ID: DatabaseCollation] = [:]
}
