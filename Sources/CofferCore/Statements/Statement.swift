import CofferVault

/// A prepared statement.
///
/// ```swift
/// let statement = try db.makeStatement(sql: "INSERT INTO player (name) VALUES (?)")
/// for name in names { try statement.execute(arguments: [name]) }
/// ```
///
/// A statement belongs to its connection, and can only be used inside an access to it. Once the
/// connection has closed, using the statement throws.
@safe public final class Statement {
  /// The SQL of the statement, unmodified.
  public let sql: String

  /// The handle to step and to read: `plainHandle`, `arrayHandle`, or nil once the connection has
  /// closed.
  @safe @inlinable package var handle: SQLiteStatement? { core.pointee.handle }
  /// The state that is used for each row; freed with the statement.
  @safe @usableFromInline package let core: UnsafeMutablePointer<StatementCore>
  /// The handle of the unmodified SQL.
  @safe @exclusivity(unchecked) var plainHandle: SQLiteStatement
  /// The handle of the SQL in which some parameters take arrays; compiled on demand.
  @safe @exclusivity(unchecked) var arrayHandle: SQLiteStatement?
  /// The parameters that take arrays in `arrayHandle`, 1-based.
  var arrayParameters: [Int] = []
  /// Whether `handle` has been stepped since it was last reset.
  @safe @exclusivity(unchecked) var isActive = false
  // SAFETY: set while the execution is running, and cleared when it is deallocated. An unowned
  // reference would be retained to be compared with nil.
  @safe @exclusivity(unchecked) private var unretainedExecution: Unmanaged<StatementExecution>?
  var execution: StatementExecution? {
    get { unsafe unretainedExecution?.takeUnretainedValue() }
    set { unretainedExecution = unsafe newValue.map { unsafe .passUnretained($0) } }
  }
  /// Whether a cursor is reading the statement.
  var isExecuted: Bool { unsafe unretainedExecution != nil }
  /// Whether a parameter has no value yet, which makes an execution an error.
  @safe @exclusivity(unchecked) @usableFromInline var lacksArguments: Bool

  /// The reason why the last arguments weren't bound, for the next execution; see
  /// ``arguments``.
  @safe @exclusivity(unchecked) var bindingError: (any Error)?

  // SAFETY: the database clears `handle` when it closes, at the latest when it is deallocated, and
  // the statement doesn't use this reference while `handle` is nil.
  @safe private let unretainedDatabase: Unmanaged<Database>
  @safe @usableFromInline package var database: Database {
    unsafe unretainedDatabase.takeUnretainedValue()
  }

  /// Calls `body` with the database, which isn't retained: for what is executed once per row.
  @inline(__always)
  func withDatabase<Result>(_ body: (Database) throws -> Result) rethrows -> Result {
    try unsafe unretainedDatabase._withUnsafeGuaranteedRef { try body($0) }
  }

  let registry: StatementRegistry
  /// The index of the statement in `registry`, which sets it.
  var registryIndex = 0

  /// The columns of the rows.
  package internal(set) var layout: RowLayout
  /// The number of times that SQLite had recompiled `handle` when the columns were read. Always -1
  /// before SQLite 3.20, which doesn't report it.
  @safe @exclusivity(unchecked) var reprepareCount: CInt
  /// Whether SQLite reports recompilations.
  package var reportsRecompilations: Bool { reprepareCount >= 0 }

  /// The facts that SQLite's compiler has reported about the statement.
  @safe @exclusivity(unchecked) package internal(set) var facts: StatementFacts {
    didSet { hasAftermath = facts.hasAftermath }
  }
  /// Whether the statement changes more than rows; see ``StatementFacts``.
  @safe @exclusivity(unchecked) private(set) var hasAftermath: Bool
  /// The plans that record types have created for the columns; see ``Row/plan(_:make:)``.
  var plans: [AnyObject] = []
  /// The number of records that the last fetch created; 0 if they were not counted.
  @safe @exclusivity(unchecked) @usableFromInline package var lastRecordCount = 0
  /// The authorizer's count of recompilations when the facts were recorded.
  var recompilations: Int
  /// The observers that are interested in the changes of the statement.
  var interest: StatementInterest?

  /// Whether the statement makes no direct change to the database file.
  ///
  /// The result of `sqlite3_stmt_readonly`: <https://sqlite.org/c3ref/stmt_readonly.html>.
  public let isReadonly: Bool

  /// The number of parameters.
  @usableFromInline package let parameterCount: Int

  /// The names of the parameters without their first character; nil for `?`.
  private(set) lazy var parameterNames: [String?] = {
    guard unsafe handle != nil else { return [] }
    return (0..<parameterCount).map { SQLite.parameterName(plainHandle, $0 + 1) }
  }()

  /// Whether no parameter has a name, so that arguments are only taken by position.
  private(set) lazy var parametersAreAnonymous = parameterNames.allSatisfy { $0 == nil }

  /// Whether the bindings are cleared when an execution ends: those of a statement that the library
  /// has requested for one fetch.
  @safe @exclusivity(unchecked) var clearsBindings = false

  /// Whether an argument is the name of a file that is attached or written.
  @safe @exclusivity(unchecked) var bindsFileName = false

  /// Whether the bindings are cleared at the end of the access.
  @safe @exclusivity(unchecked) var isBound = false

  @safe @exclusivity(unchecked) var boundArguments = StatementArguments()
  /// The region read with the bound arguments, if set by ``setRequestRegion(_:)``.
  @safe @exclusivity(unchecked) var regionOfArguments: RegionOfArguments?

  enum RegionOfArguments {
    case known(DatabaseRegion)
    case unknown((Statement) throws -> DatabaseRegion)
  }
  /// The bound arrays, whose addresses SQLite holds.
  @safe @exclusivity(unchecked) var boundArrays: [ArrayArgumentStorage] = []

  @safe init(database: Database, sql: String, handle: SQLiteStatement, facts: StatementFacts) {
    self.sql = sql
    core = .allocate(capacity: 1)
    unsafe core.initialize(
      to: StatementCore(
        handle: handle, columnCount: SQLite.columnCount(handle), predictor: ColumnPredictor()))
    plainHandle = unsafe handle
    unretainedDatabase = unsafe .passUnretained(database)
    self.facts = facts
    hasAftermath = facts.hasAftermath
    recompilations = database.hooks.authorizer.recompilations
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
    unsafe core.deinitialize(count: 1)
    unsafe core.deallocate()
  }

  /// Takes the handles to finalize and the arrays to unregister out of the statement.
  func takeRemains() -> StatementRegistry.Remains {
    guard unsafe handle != nil else {
      return unsafe StatementRegistry.Remains(handles: [], arrays: [])
    }
    core.pointee.handle = nil
    core.pointee.cells.end()
    defer { boundArrays = [] }
    return unsafe StatementRegistry.Remains(
      handles: [plainHandle, arrayHandle].compactMap(unsafe \.self), arrays: boundArrays)
  }

  @safe static func layout(of handle: SQLiteStatement) -> RowLayout {
    let count = SQLite.columnCount(handle)
    guard count > 0 else { return .empty }
    return RowLayout(columnNames: (0..<count).map { SQLite.columnName(handle, $0) })
  }

  // MARK: Columns

  /// The number of columns in the rows.
  ///
  /// 0 for a statement that returns no rows.
  @inlinable public var columnCount: Int { core.pointee.columnCount }

  /// The names of the columns, in the order of the query.
  public var columnNames: [String] { layout.columnNames }

  /// Returns the 0-based index of the leftmost column with that name, ignoring case.
  public func index(ofColumn name: String) -> Int? { layout.index(ofColumn: name) }

  /// The tables and columns that the statement reads.
  ///
  /// For a statement created from a request, it is limited to the rows that the arguments select,
  /// and includes prefetched associations.
  public var databaseRegion: DatabaseRegion { (try? requestRegion()) ?? .fullDatabase }

  /// Sets the function that computes the region of the request from which the statement was
  /// created. It is called on demand, and applies until the arguments change.
  package func setRequestRegion(_ region: @escaping (Statement) throws -> DatabaseRegion) {
    regionOfArguments = .unknown(region)
  }

  /// Returns ``databaseRegion``, or throws if the region of the request can't be computed.
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

  /// The region that the statement reads with any arguments.
  package var fullRegion: DatabaseRegion {
    if !facts.hasCompleteRegion, unsafe handle != nil {
      guard let region = database.completedRegion(of: facts, sql: sql) else { return .fullDatabase }
      facts.region = region
      facts.hasCompleteRegion = true
    }
    return facts.region
  }

  /// SQLite's handle, for C functions that Coffer doesn't wrap.
  ///
  /// - Precondition: The connection is open.
  @safe public var sqliteStatement: SQLiteStatement {
    guard let handle else { preconditionFailure("Connection is closed") }
    return unsafe handle
  }
}

/// A statement belongs to its connection.
@available(*, unavailable)
extension Statement: Sendable {}

extension Statement: CustomStringConvertible, CustomReflectable {
  /// The SQL.
  public var description: String { sql }

  /// The SQL, without the arguments.
  public var customMirror: Mirror { Mirror(self, children: ["sql": sql]) }
}
