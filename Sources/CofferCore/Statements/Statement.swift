/// A prepared statement.
///
/// ```swift
/// let statement = try db.makeStatement(sql: "INSERT INTO player (name) VALUES (?)")
/// for name in names { try statement.execute(arguments: [name]) }
/// ```
///
/// A statement belongs to its connection and is used inside an access to it.
/// Once the connection has closed, using it throws.
public final class Statement {
  /// The SQL, as it was given.
  public let sql: String

  /// The handle to step and to read: one of the two below, or nil once the
  /// connection has closed.
  @inlinable package var handle: SQLiteStatement? { core.pointee.handle }
  /// What is touched for each row; freed with the statement.
  @usableFromInline package let core: UnsafeMutablePointer<StatementCore>
  /// The SQL as it was given.
  private var plainHandle: SQLiteStatement
  /// The SQL in which some parameters take arrays; made when it is needed.
  private var arrayHandle: SQLiteStatement?
  /// The parameters that `arrayHandle` takes arrays for, 1-based.
  private var arrayParameters: [Int] = []
  /// Whether `handle` has been stepped since it was last reset.
  @exclusivity(unchecked) private var isActive = false

  // SAFETY: the database clears `handle` when it closes, which it does at the
  // latest when it dies, and nothing here touches it while `handle` is nil.
  @usableFromInline package unowned(unsafe) let database: Database
  private let registry: StatementRegistry
  /// The registry's.
  var registryIndex = 0

  /// The columns.
  package private(set) var layout: RowLayout
  private var reprepareCount: CInt

  /// What the compiler of SQLite told of the statement.
  package private(set) var facts: StatementFacts {
    didSet { hasAftermath = facts.hasAftermath }
  }
  /// Whether the statement changes more than rows; see ``StatementFacts``.
  @exclusivity(unchecked) private(set) var hasAftermath: Bool
  /// What SQLite had compiled by itself when the facts were recorded.
  private(set) var recompilations: Int
  /// The observers that want to know what the statement changes.
  var interest: StatementInterest?

  /// Whether the statement makes no direct change to the database file.
  ///
  /// As `sqlite3_stmt_readonly` says: <https://sqlite.org/c3ref/stmt_readonly.html>.
  public let isReadonly: Bool

  /// The number of parameters.
  @usableFromInline package let parameterCount: Int

  /// The names of the parameters, without their first character; nil for `?`.
  package private(set) lazy var parameterNames: [String?] = {
    guard handle != nil else { return [] }
    return (0..<parameterCount).map { SQLite.parameterName(plainHandle, $0 + 1) }
  }()

  /// Whether no parameter has a name, so that arguments are taken by position alone.
  private lazy var parametersAreAnonymous = parameterNames.allSatisfy { $0 == nil }

  /// Whether the statement was taken from the cache, which wants it back clean.
  package var isCached = false

  private var boundArguments = StatementArguments()
  /// The arrays that are bound, whose addresses SQLite holds.
  private var boundArrays: [ArrayArgumentStorage] = []

  init(
    database: Database, sql: String, handle: SQLiteStatement, facts: StatementFacts,
    isCached: Bool
  ) {
    self.sql = sql
    core = .allocate(capacity: 1)
    core.initialize(
      to: StatementCore(
        handle: handle, columnCount: SQLite.columnCount(handle), predictor: ColumnPredictor()))
    plainHandle = handle
    self.database = database
    self.facts = facts
    hasAftermath = facts.hasAftermath
    recompilations = database.hooks.authorizer.recompilations
    self.isCached = isCached
    registry = database.registry
    isReadonly = SQLite.isReadonly(handle)
    parameterCount = SQLite.parameterCount(handle)
    layout = Statement.layout(of: handle)
    reprepareCount = SQLite.reprepareCount(handle)
    registry.add(self)
  }

  deinit {
    releaseArrays()
    registry.remove(self)
    core.pointee.predictor.reset()
    core.deinitialize(count: 1)
    core.deallocate()
  }

  /// The handles to finalize; none afterwards.
  func takeHandles() -> [SQLiteStatement] {
    guard handle != nil else { return [] }
    core.pointee.handle = nil
    return [plainHandle, arrayHandle].compactMap(\.self)
  }

  private static func layout(of handle: SQLiteStatement) -> RowLayout {
    let count = SQLite.columnCount(handle)
    guard count > 0 else { return .empty }
    return RowLayout(columnNames: (0..<count).map { SQLite.columnName(handle, $0) })
  }

  // MARK: Columns

  /// The number of columns in the rows; 0 for a statement that gives none.
  @inlinable public var columnCount: Int { core.pointee.columnCount }

  /// The names of the columns, in the order of the query.
  public var columnNames: [String] { layout.columnNames }

  /// The 0-based index of the leftmost column of that name, in either case.
  public func index(ofColumn name: String) -> Int? { layout.index(ofColumn: name) }

  /// The tables and columns that the statement reads.
  public var databaseRegion: DatabaseRegion {
    if facts.mayReadMore {
      facts.region = database.completedRegion(of: facts, sql: sql)
      facts.mayReadMore = false
    }
    return facts.region
  }

  /// SQLite's handle, for C functions that Coffer doesn't offer.
  ///
  /// - Precondition: The connection is open.
  public var sqliteStatement: SQLiteStatement {
    guard let handle else { preconditionFailure("Connection is closed") }
    return handle
  }

  // MARK: Arguments

  /// The arguments that are bound.
  ///
  /// Setting them traps where they don't fit; ``setArguments(_:)`` throws.
  public var arguments: StatementArguments {
    get { boundArguments }
    set {
      do { try setArguments(newValue) } catch { preconditionFailure("\(error)") }
    }
  }

  /// Throws an error where the arguments don't fit the statement's parameters.
  public func validateArguments(_ arguments: StatementArguments) throws {
    var arguments = arguments
    _ = try takeArguments(from: &arguments, allowsMore: false)
  }

  /// Binds arguments.
  ///
  /// - Throws: An error, with nothing bound, where an argument is missing, is
  ///   too many, or is an array where no `IN` takes it.
  public func setArguments(_ arguments: StatementArguments) throws {
    if arguments.named.isEmpty, parametersAreAnonymous {
      guard arguments.positional.count == parameterCount else {
        throw wrongArgumentCount(arguments.positional.count)
      }
      try bind(arguments.positional)
    } else {
      var rest = arguments
      try bind(try takeArguments(from: &rest, allowsMore: false))
    }
    boundArguments = arguments
  }

  /// Binds arguments; those that are missing are NULL, those that are too many
  /// are ignored.
  ///
  /// Traps where an argument can't be bound at all.
  public func setUncheckedArguments(_ arguments: StatementArguments) {
    var positional = arguments.positional[...]
    let values = parameterNames.map { name -> StatementArgument in
      if let name, let argument = arguments.named[name] { return argument }
      return positional.popFirst() ?? .null
    }
    do { try bind(values) } catch { preconditionFailure("\(error)") }
    boundArguments = arguments
  }

  /// Binds the arguments that the statement takes, and removes them.
  func consumeArguments(_ arguments: inout StatementArguments) throws {
    let values = try takeArguments(from: &arguments, allowsMore: true)
    try bind(values)
    boundArguments = StatementArguments(positional: values, named: [:])
  }

  private func takeArguments(
    from arguments: inout StatementArguments, allowsMore: Bool
  ) throws -> [StatementArgument] {
    let given = arguments.positional.count
    var positional = arguments.positional[...]
    var values: [StatementArgument] = []
    values.reserveCapacity(parameterCount)
    for name in parameterNames {
      if let name, let argument = arguments.named[name] {
        values.append(argument)
      } else if let argument = positional.popFirst() {
        values.append(argument)
      } else if let name {
        throw DatabaseError(
          resultCode: .SQLITE_MISUSE, message: "missing statement argument: \(name)", sql: sql)
      } else {
        throw wrongArgumentCount(given)
      }
    }
    guard allowsMore || positional.isEmpty else { throw wrongArgumentCount(given) }
    arguments.positional = Array(positional)
    return values
  }

  @usableFromInline
  func wrongArgumentCount(_ count: Int) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_MISUSE, message: "wrong number of statement arguments: \(count)",
      sql: sql, hint: "The statement takes \(parameterCount).")
  }

  private func bind(_ values: [StatementArgument]) throws {
    var hasArrays = false
    for value in values {
      if case .array = value.content { hasArrays = true }
    }
    rewind()
    if hasArrays || handle != plainHandle { try selectHandle(for: values) }
    guard let handle else { throw DatabaseError.connectionIsClosed }
    var index: CInt = 1
    for value in values {
      let code =
        switch value.content {
        case .value(let value): value.bind(to: handle, at: index)
        case .array(let array): bind(array.storage, to: handle, at: index)
        }
      guard code == SQLite.ok else { throw bindingFailure(code) }
      index += 1
    }
  }

  /// Forgets the values, secrets perhaps, that are bound.
  package func clearBindings() {
    guard let handle else { return }
    if parameterCount > 0 { SQLite.clearBindings(handle) }
    if !boundArguments.isEmpty { boundArguments = StatementArguments() }
    releaseArrays()
  }

  // MARK: Array arguments

  private func bind(
    _ array: ArrayArgumentStorage, to handle: SQLiteStatement, at index: CInt
  ) -> CInt {
    let address = Unmanaged.passUnretained(array).toOpaque()
    boundArrays.append(array)
    database.arrays.register(array)
    return SQLite.bindArray(address, to: handle, at: index)
  }

  private func releaseArrays() {
    guard !boundArrays.isEmpty else { return }
    if handle != nil {
      for array in boundArrays { database.arrays.unregister(array) }
    }
    boundArrays = []
  }

  /// Makes `handle` the one that takes arrays where `values` has arrays.
  ///
  /// The form for arrays is made once for each set of parameters that hold
  /// one, and kept: it doesn't depend on the arrays' lengths.
  private func selectHandle(for values: [StatementArgument]) throws {
    releaseArrays()
    guard handle != nil else { throw DatabaseError.connectionIsClosed }
    let parameters = values.indices.compactMap { index -> Int? in
      if case .array = values[index].content { index + 1 } else { nil }
    }
    guard !parameters.isEmpty else {
      core.pointee.handle = plainHandle
      return
    }
    if arrayHandle == nil || parameters != arrayParameters {
      let rewritten = try rewrittenSQL(arrays: Set(parameters))
      try database.arrays.prepareModule()
      let new = try database.prepareHandle(rewritten, reportedSQL: sql)
      if let old = arrayHandle { SQLite.finalize(old) }
      arrayHandle = new
      arrayParameters = parameters
    } else if let arrayHandle {
      SQLite.clearBindings(arrayHandle)
    }
    core.pointee.handle = arrayHandle
  }

  private func rewrittenSQL(arrays: Set<Int>) throws -> String {
    do {
      return try ArrayArgumentRewriter(sql).rewrite(arrays: arrays)
    } catch {
      throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "\(error)", sql: sql)
    }
  }

  // MARK: Execution

  /// Executes the statement, and ignores the rows that it may give.
  ///
  /// - Parameter arguments: The arguments; nil leaves those that are bound.
  public func execute(arguments: StatementArguments? = nil) throws {
    if let arguments { try setArguments(arguments) }
    try executeBound()
  }

  /// Executes the statement with values for its parameters, by position, which
  /// are bound without being gathered in a ``StatementArguments`` first.
  ///
  /// - Throws: An error, with nothing executed, where the number of values is
  ///   not that of the parameters.
  @inlinable @inline(__always)
  public func execute<each Value: StatementBinding>(values: repeat each Value) throws {
    let handle = try beginBinding()
    var index: CInt = 0
    var code = SQLite.ok
    repeat Statement.bind(each values, to: handle, after: &index, &code)
    guard code == SQLite.ok, index == CInt(truncatingIfNeeded: parameterCount) else {
      throw bindingFailure(code, valueCount: Int(index))
    }
    try executeBound()
  }

  @inlinable @inline(__always)
  static func bind<Value: StatementBinding>(
    _ value: Value, to handle: SQLiteStatement, after index: inout CInt, _ code: inout CInt
  ) {
    index &+= 1
    let result = value.bind(to: handle, at: index)
    if result != SQLite.ok, code == SQLite.ok { code = result }
  }

  /// Executes the statement with the values that are bound.
  @usableFromInline
  func executeBound() throws {
    try begin()
    while try step() {}
  }

  /// Readies the statement for values that are bound one by one.
  @usableFromInline
  func beginBinding() throws -> SQLiteStatement {
    rewind()
    if handle != plainHandle { try selectHandle(for: []) }
    guard let handle else { throw DatabaseError.connectionIsClosed }
    if !boundArguments.isEmpty { boundArguments = StatementArguments() }
    return handle
  }

  @usableFromInline
  func bindingFailure(_ code: CInt, valueCount: Int? = nil) -> DatabaseError {
    if let handle { SQLite.clearBindings(handle) }
    if let valueCount, valueCount != parameterCount { return wrongArgumentCount(valueCount) }
    return DatabaseError(code: code, connection: database.sqliteConnection, sql: sql)
  }

  /// Ends what the statement was doing.
  private func rewind() {
    guard isActive, let handle else { return }
    isActive = false
    _ = SQLite.reset(handle)
    if !isReadonly { database.didAbandon(self) }
  }

  /// Readies the statement for its first step.
  @usableFromInline
  package func begin() throws {
    guard handle != nil else { throw DatabaseError.connectionIsClosed }
    rewind()
    try database.willExecute(self)
    isActive = true
  }

  /// Steps to the next row.
  ///
  /// - Returns: Whether there is one. If not, the statement has been reset.
  @inlinable
  package func step() throws -> Bool {
    guard let handle else { throw DatabaseError.connectionIsClosed }
    let code = SQLite.step(handle)
    if code == SQLite.row { return true }
    try finish(code)
    return false
  }

  /// Steps for the first time; SQLite may have compiled the statement anew.
  @inlinable
  package func firstStep() throws -> Bool {
    try begin()
    let hasRow = try step()
    if hasRow { noticeSchemaChange() }
    return hasRow
  }

  /// Ends an execution whose last step gave no row.
  @usableFromInline
  package func finish(_ code: CInt) throws {
    guard let handle else { throw DatabaseError.connectionIsClosed }
    guard code == SQLite.done else {
      // The error first: resetting may replace the message.
      let error = DatabaseError(
        code: code, connection: database.sqliteConnection, sql: sql,
        arguments: boundArguments,
        publicStatementArguments: database.configuration.publicStatementArguments)
      isActive = false
      _ = SQLite.reset(handle)
      throw database.didFail(self, with: error)
    }
    isActive = false
    // A statement that returns rows may report its failure here alone.
    let resetCode = SQLite.reset(handle)
    guard resetCode == SQLite.ok else {
      let error = DatabaseError(
        code: resetCode, connection: database.sqliteConnection, sql: sql,
        arguments: boundArguments,
        publicStatementArguments: database.configuration.publicStatementArguments)
      throw database.didFail(self, with: error)
    }
    try database.didExecute(self)
  }

  /// Ends an execution early. A statement that writes is run to its end.
  package func stop() throws {
    guard isActive else { return }
    if isReadonly { rewind() } else { while try step() {} }
  }

  /// Resets the statement, whatever it was doing.
  @usableFromInline
  package func abandon() {
    rewind()
    if isCached { clearBindings() }
  }

  /// Refreshes what is known of the columns, if SQLite has recompiled the
  /// statement because the schema has changed.
  @usableFromInline
  package func noticeSchemaChange() {
    guard let handle else { return }
    let count = SQLite.reprepareCount(handle)
    if count >= 0 {
      guard count != reprepareCount else { return }
      reprepareCount = count
    } else {
      let isSame =
        SQLite.columnCount(handle) == columnCount
        && layout.columnNames.indices.allSatisfy {
          SQLite.columnName(handle, $0, isEqualTo: layout.columnNames[$0])
        }
      if isSame { return }
    }
    core.pointee.columnCount = SQLite.columnCount(handle)
    layout = Statement.layout(of: handle)
    core.pointee.predictor.reset()
    refreshFacts()
  }

  /// Asks SQLite for the facts anew, since the schema has changed.
  func refreshFacts() {
    if let facts = try? database.facts(of: sql) { self.facts = facts }
    recompilations = database.hooks.authorizer.recompilations
  }
}

/// A statement belongs to its connection.
@available(*, unavailable)
extension Statement: Sendable {}

extension Statement: CustomStringConvertible {
  /// The SQL.
  public var description: String { sql }
}
