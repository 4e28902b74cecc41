extension Database {
  // MARK: Functions

  /// Makes a function known to this connection, in the place of one of the same
  /// name and number of arguments.
  ///
  /// To have it in all connections of a pool, add it in `Configuration.prepareDatabase`.
  /// - Precondition: No statement is being executed if it replaces a function.
  public func add(function: DatabaseFunction) {
    register("the function \(function.name)") { SQLite.add(function, to: $0) }
  }

  /// Makes this connection forget a function, so that statements that use it fail.
  ///
  /// A function of SQLite's own that it took the place of stays away until the
  /// connection closes.
  /// - Precondition: No statement is being executed.
  public func remove(function: DatabaseFunction) {
    register("the function \(function.name)") { SQLite.remove(function, from: $0) }
  }

  // MARK: Collations

  /// Makes a collation known to this connection, in the place of one of the same name.
  ///
  /// To have it in all connections of a pool, add it in `Configuration.prepareDatabase`.
  /// - Precondition: No statement is being executed if it replaces a collation.
  public func add(collation: DatabaseCollation) {
    register("the collation \(collation.name)") { SQLite.add(collation, to: $0) }
  }

  /// Makes a collation known to this connection, unless one of that name was made known so before.
  package func ensure(collation: DatabaseCollation) {
    guard ensuredCollations.insert(collation.id).inserted else { return }
    add(collation: collation)
  }

  /// Makes this connection forget a collation, so that statements that use it fail.
  ///
  /// - Precondition: No statement is being executed.
  public func remove(collation: DatabaseCollation) {
    register("the collation \(collation.name)") { SQLite.remove(collation, from: $0) }
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

  /// Makes the standard functions and collations known, once the connection is open.
  func addStandardFunctions() {
    for function in DatabaseFunction.standard { add(function: function) }
    for collation in DatabaseCollation.standard { add(collation: collation) }
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
