import CofferVault

/// A cursor over the rows of a statement.
///
/// Each call of ``Cursor/next()`` steps the statement; releasing the cursor ends it. At the end,
/// the cursor returns nil. After the statement fails, each call throws; after a row fails to
/// decode, the next call continues with the next row.
public protocol DatabaseCursor<Element>: Cursor {
  /// The execution that the cursor steps; for the library's use.
  var _execution: StatementExecution { get }

  /// Returns the current row's element.
  func _element() throws -> Element
}

extension DatabaseCursor {
  /// The statement that the cursor executes.
  ///
  /// For SQLite functions that Coffer doesn't wrap. Stepping the statement breaks the cursor.
  public var _statement: Statement { _execution.statement }

  /// The SQL of the statement.
  public var sql: String { _execution.statement.sql }

  /// The arguments of the statement.
  public var arguments: StatementArguments { _execution.statement.arguments }

  /// The names of the columns.
  public var columnNames: [String] { _execution.statement.columnNames }

  /// The number of columns.
  public var columnCount: Int { _execution.statement.columnCount }

  /// The tables and columns that the cursor reads.
  public var databaseRegion: DatabaseRegion { _execution.statement.databaseRegion }

  /// Returns the next element, or nil at the end.
  @inlinable
  public func next() throws -> Element? {
    guard try _execution.advance() else { return nil }
    return try _element()
  }
}

/// One execution of a statement, row by row.
///
/// It keeps the statement out of the cache until it is deinitialized, so that no other execution
/// uses it.
@safe public final class StatementExecution {
  @usableFromInline package let statement: Statement

  @usableFromInline
  package enum Phase {
    case fresh, running, ended, failed
    /// The rows were fetched before; `replay` iterates over them.
    case replaying
    /// The statement was executed again, or the database access has ended.
    case superseded
  }

  @safe @exclusivity(unchecked) @usableFromInline var phase = Phase.fresh

  @safe @usableFromInline let core: UnsafeMutablePointer<StatementCore>

  /// Called after the first step.
  ///
  /// SQLite may have recompiled the statement then, with other columns.
  var didStart: (() throws -> Void)?

  /// Advances to the next row fetched before; returns false at the end.
  private var replay: (() -> Bool)?

  /// Switches to rows that were fetched before, which `replay` iterates over.
  func startReplay(_ replay: @escaping () -> Bool) {
    self.replay = replay
    phase = .replaying
  }

  @inlinable
  package init(_ statement: Statement) {
    self.statement = statement
    core = statement.core
  }

  deinit {
    if phase == .running || statement.clearsBindings { statement.executionWillDie(self) }
  }

  /// Steps to the next row; returns false at the end.
  @inlinable
  package func advance() throws -> Bool {
    if phase == .running, let handle = core.pointee.handle {
      let code = core.pointee.step(handle)
      if code == SQLite.row { return true }
      return try end(code)
    }
    return try advanceFromRest()
  }

  /// Ends the execution after a step that returned no row.
  /// - Parameter code: The result code of that step.
  @usableFromInline
  func end(_ code: CInt) throws -> Bool {
    phase = .failed
    try statement.finish(code)
    phase = .ended
    return false
  }

  /// Handles the first step, and steps after the end.
  @usableFromInline
  func advanceFromRest() throws -> Bool {
    switch phase {
    case .running:
      phase = .failed
      throw DatabaseError.connectionIsClosed
    case .ended: return false
    case .failed:
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "The cursor has failed.", sql: statement.sql,
        hint: "An earlier call of next() threw an error. Fetch again.")
    case .replaying:
      if let replay, replay() { return true }
      phase = .ended
      replay = nil
      return false
    case .superseded:
      guard unsafe core.pointee.handle != nil else { throw DatabaseError.connectionIsClosed }
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "The cursor is no longer valid.",
        sql: statement.sql,
        hint: "Its access has ended, or its statement was executed again. Read it to its end "
          + "first, or use `fetchAll`.")
    case .fresh:
      phase = .failed
      let hasRow = try statement.firstStep()
      phase = hasRow ? .running : .ended
      guard hasRow else { return false }
      statement.executionDidStart(self)
      do { try didStart?() } catch { throw fail(error) }
      return true
    }
  }

  /// Ends the execution after a row failed to decode.
  @usableFromInline
  package func fail(_ error: any Error) -> any Error {
    let isReplaying = phase == .replaying
    phase = .failed
    guard !isReplaying else { return error }
    let memoryError = statement.memoryError
    statement.abandon()
    return memoryError ?? error
  }

  /// Ends the execution before the last row; a statement that writes runs to completion.
  @usableFromInline
  package func stop() throws {
    guard phase == .running else { return }
    phase = .ended
    try statement.stop()
  }
}

/// An execution is confined to its connection.
@available(*, unavailable)
extension StatementExecution: Sendable {}
