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
  @exclusivity(unchecked) var plainHandle: SQLiteStatement
  /// The SQL in which some parameters take arrays; made when it is needed.
  @exclusivity(unchecked) var arrayHandle: SQLiteStatement?
  /// The parameters that `arrayHandle` takes arrays for, 1-based.
  var arrayParameters: [Int] = []
  /// Whether `handle` has been stepped since it was last reset.
  @exclusivity(unchecked) package internal(set) var isActive = false
  // SAFETY: set while the execution is running, and cleared when it dies.
  @exclusivity(unchecked) unowned(unsafe) var execution: StatementExecution?
  /// Whether a parameter has no value yet; to execute it then is an error.
  @exclusivity(unchecked) @usableFromInline var lacksArguments: Bool

  // SAFETY: the database clears `handle` when it closes, which it does at the
  // latest when it dies, and nothing here touches it while `handle` is nil.
  @usableFromInline package unowned(unsafe) let database: Database
  let registry: StatementRegistry
  /// The registry's.
  var registryIndex = 0

  /// The columns.
  package internal(set) var layout: RowLayout
  /// How often SQLite had compiled `handle` by itself when the columns were read.
  /// It stays -1 where SQLite doesn't tell, before 3.20.
  package internal(set) var reprepareCount: CInt

  /// What the compiler of SQLite told of the statement.
  package internal(set) var facts: StatementFacts {
    didSet { hasAftermath = facts.hasAftermath }
  }
  /// Whether the statement changes more than rows; see ``StatementFacts``.
  @exclusivity(unchecked) private(set) var hasAftermath: Bool
  /// What record types have found out about the columns; see ``Row/plan(_:make:)``.
  var plans: [AnyObject] = []
  /// How many records were made of the rows when they were last fetched; 0 where nobody counted.
  @exclusivity(unchecked) @usableFromInline package var lastRecordCount = 0
  /// What SQLite had compiled by itself when the facts were recorded.
  var recompilations: Int
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
  private(set) lazy var parametersAreAnonymous = parameterNames.allSatisfy { $0 == nil }

  /// Whether the statement was taken from the cache, which wants it back clean.
  @exclusivity(unchecked) package var isCached = false

  @exclusivity(unchecked) var boundArguments = StatementArguments()
  /// What is read with the arguments that are bound, where somebody knows more of it.
  @exclusivity(unchecked) var regionOfArguments: RegionOfArguments?

  enum RegionOfArguments {
    case known(DatabaseRegion)
    case unknown((Statement) throws -> DatabaseRegion)
  }
  /// The arrays that are bound, whose addresses SQLite holds.
  @exclusivity(unchecked) var boundArrays: [ArrayArgumentStorage] = []

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
    lacksArguments = parameterCount > 0
    layout = Statement.layout(of: handle)
    reprepareCount = SQLite.reprepareCount(handle)
    registry.add(self)
  }

  deinit {
    registry.remove(self)
    core.pointee.predictor.reset()
    core.deinitialize(count: 1)
    core.deallocate()
  }

  /// The handles to finalize and the arrays to unregister; none afterwards.
  func takeRemains() -> StatementRegistry.Remains {
    guard handle != nil else { return StatementRegistry.Remains(handles: [], arrays: []) }
    core.pointee.handle = nil
    defer { boundArrays = [] }
    return StatementRegistry.Remains(
      handles: [plainHandle, arrayHandle].compactMap(\.self), arrays: boundArrays)
  }

  static func layout(of handle: SQLiteStatement) -> RowLayout {
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

  /// The tables and columns that the statement reads; of a request's statement, with the rows
  /// that its arguments tell, and with what is fetched along.
  public var databaseRegion: DatabaseRegion { (try? requestRegion()) ?? .fullDatabase }

  /// Sets who knows the region of the request that the statement was made for, as long as the
  /// arguments are bound: it is asked when somebody wants to know.
  package func setRequestRegion(_ region: @escaping (Statement) throws -> DatabaseRegion) {
    regionOfArguments = .unknown(region)
  }

  /// As ``databaseRegion``, with the error where the region of the request can't be found out.
  package func requestRegion() throws -> DatabaseRegion {
    switch regionOfArguments {
    case nil: return fullRegion
    case .known(let region): return region
    case .unknown(let make):
      let region = try make(self)
      regionOfArguments = .known(region)
      return region
    }
  }

  /// What the statement reads, whatever its arguments.
  package var fullRegion: DatabaseRegion {
    if facts.mayReadMore, handle != nil {
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
}

/// A statement belongs to its connection.
@available(*, unavailable)
extension Statement: Sendable {}

extension Statement: CustomStringConvertible {
  /// The SQL.
  public var description: String { sql }
}
