import CofferVault

extension Database {
  // MARK: Functions

  /// Registers a function in this connection.
  ///
  /// It replaces any function with the same name and number of arguments.
  ///
  /// To register it in all connections of a pool, add it in `Configuration.prepareDatabase`.
  /// - Precondition: No statement is being executed if it replaces a function.
  public func add(function: DatabaseFunction) {
    hooks.noteMeaningChange()
    install(function)
  }

  private func install(_ function: DatabaseFunction) {
    register("the function \(function.name)") { SQLite.add(function, to: $0) }
    functions.additions.functions[function.id] = function
  }

  /// Removes a function from this connection, so that statements that use it fail.
  ///
  /// A built-in function that it had replaced is not restored until the connection closes.
  /// - Precondition: No statement is being executed.
  public func remove(function: DatabaseFunction) {
    hooks.noteMeaningChange()
    register("the function \(function.name)") { SQLite.remove(function, from: $0) }
    functions.additions.functions[function.id] = nil
  }

  // MARK: Collations

  /// Registers a collation in this connection, replacing any collation of the same name.
  ///
  /// To register it in all connections of a pool, add it in `Configuration.prepareDatabase`.
  /// - Precondition: No statement is being executed if it replaces a collation.
  public func add(collation: DatabaseCollation) {
    hooks.noteMeaningChange()
    install(collation)
  }

  private func install(_ collation: DatabaseCollation) {
    register("the collation \(collation.name)") { SQLite.add(collation, to: $0) }
    functions.additions.collations[collation.id] = collation
  }

  /// Registers a collation in this connection, unless this method has already registered one of its
  /// name.
  package func ensure(collation: DatabaseCollation) {
    guard functions.ensuredCollations.insert(collation.id).inserted else { return }
    install(collation)
  }

  /// Registers a function in this connection, unless this method has already registered one of its
  /// name.
  package func ensure(function: DatabaseFunction) {
    guard functions.ensured.insert(function.name).inserted else { return }
    install(function)
  }

  /// Removes a collation from this connection, so that statements that use it fail.
  ///
  /// - Precondition: No statement is being executed.
  public func remove(collation: DatabaseCollation) {
    hooks.noteMeaningChange()
    register("the collation \(collation.name)") { SQLite.remove(collation, from: $0) }
    functions.additions.collations[collation.id] = nil
  }

  /// Rebuilds all indexes that use a collation, after its order has changed.
  public func reindex(collation: DatabaseCollation) throws {
    try reindex(collation: CollationName(rawValue: collation.name))
  }

  /// Rebuilds all indexes that use a collation, after its order has changed.
  public func reindex(collation: CollationName) throws {
    try execute(sql: "REINDEX \(collation.rawValue.quotedDatabaseIdentifier)")
  }

  /// The name of a collation.
  public struct CollationName: RawRepresentable, Hashable, Sendable {
    /// The name in SQL.
    public let rawValue: String

    /// Creates the name of a collation.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// `BINARY`: compares bytes.
    public static let binary = CollationName(rawValue: "BINARY")
    /// `NOCASE`: compares bytes, ignoring the case of ASCII letters.
    public static let nocase = CollationName(rawValue: "NOCASE")
    /// `RTRIM`: compares bytes, ignoring trailing spaces.
    public static let rtrim = CollationName(rawValue: "RTRIM")
  }

  // MARK: Registering

  /// Registers the functions and collations that every connection has.
  @safe static func addStandardFunctions(to connection: SQLiteConnection) throws {
    for function in DatabaseFunction.standard {
      try check(SQLite.add(function, to: connection), connection)
    }
    for collation in DatabaseCollation.standard {
      try check(SQLite.add(collation, to: connection), connection)
    }
    try check(SQLite.provideCollations(to: connection), connection)
  }

  @safe private static func check(_ code: CInt, _ connection: SQLiteConnection) throws {
    if code != SQLite.ok { throw DatabaseError(code: code, connection: connection) }
  }

  /// Registers the functions and collations that the application has added to another connection.
  @safe static func add(_ additions: SQLAdditions, to connection: SQLiteConnection) throws {
    for function in additions.functions.values {
      try check(SQLite.add(function, to: connection), connection)
    }
    for collation in additions.collations.values {
      try check(SQLite.add(collation, to: connection), connection)
    }
  }

  /// Registers or removes a function, collation or tokenizer; does nothing once the connection has
  /// closed, since no statement can call it any more.
  ///
  /// If memory runs out, the next statement tries again, or throws.
  @safe func register(_ subject: String, _ body: @escaping (SQLiteConnection) -> CInt) {
    precondition(
      gate.isHeldByCurrentThread,
      "Database was not used on the correct thread: add \(subject) inside an access.")
    guard let sqliteConnection else { return }
    // What comes later replaces what comes first.
    let code = functions.unregistered.isEmpty ? unsafe body(sqliteConnection) : SQLite.noMemory
    guard code != SQLite.ok else { return }
    guard code == SQLite.noMemory else {
      preconditionFailure("\(subject): \(SQLite.errorMessage(sqliteConnection))")
    }
    postpone(subject, body)
  }

  /// Leaves what couldn't be done to the next statement, which does it first, or throws.
  @safe func postpone(_ subject: String, _ body: @escaping (SQLiteConnection) -> CInt) {
    unsafe functions.unregistered.append(Registration(subject: subject, body: body))
    accessState.insert(.unregistered)
  }

  /// Does what was postponed, such as a registration without memory.
  ///
  /// - Throws: SQLite's error if that fails again: mostly `SQLITE_NOMEM`.
  func registerAgain() throws {
    while let first = functions.unregistered.first {
      let connection = try openConnection()
      let code = unsafe first.body(connection)
      guard code == SQLite.ok else {
        throw DatabaseError(
          resultCode: ResultCode(rawValue: code),
          message: "\(first.subject): \(SQLite.errorMessage(connection))")
      }
      functions.unregistered.removeFirst()
    }
    accessState.remove(.unregistered)
  }
}

/// The registration or removal of a function, collation or tokenizer, or a setting.
@safe struct Registration {
  /// What it concerns, for messages.
  let subject: String
  let body: (SQLiteConnection) -> CInt

  init(subject: String, body: @escaping (SQLiteConnection) -> CInt) {
    self.subject = subject
    unsafe self.body = unsafe body
  }
}

/// The functions and collations that an application has added to a connection.
struct SQLAdditions: Sendable {
  var functions: [DatabaseFunction.ID: DatabaseFunction] = [:]
  var collations: [DatabaseCollation.ID: DatabaseCollation] = [:]

  /// Adds them to a connection for work on a file, with the library's own.
  var preparation: ConnectionPreparation {
    unsafe ConnectionPreparation { connection in
      try Database.addStandardFunctions(to: connection)
      try Database.add(self, to: connection)
    }
  }
}

/// The functions and collations of a connection.
struct RegisteredFunctions {
  /// Those that the application has added, for other connections to the same file.
  var additions = SQLAdditions()
  /// Those of a connection that is opened again.
  var lost = SQLAdditions()
  /// What couldn't be done for lack of memory; see ``Database/postpone(_:_:)``.
  var unregistered: [Registration] = []
  /// The collations registered by higher layers; see ``Database/ensure(collation:)``.
  var ensuredCollations: Set<DatabaseCollation.ID> = []
  /// The names of the functions registered by higher layers; see ``Database/ensure(function:)``.
  var ensured: Set<String> = []
}
