/// A cursor over the rows of a statement.
///
/// It steps the statement when it is asked for the next element, and ends the
/// statement when it is released. After the last element, it answers nil. Where
/// the statement has failed, it throws for ever; where an element could not be
/// made of a row, it goes on with the next row.
public protocol DatabaseCursor<Element>: Cursor {
  /// The statement's, for the cursor's own use.
  var _execution: StatementExecution { get }

  /// The element that the current row holds.
  func _element() throws -> Element
}

extension DatabaseCursor {
  /// The statement that the cursor executes.
  ///
  /// For C functions that Coffer doesn't offer; stepping it would disturb the cursor.
  public var _statement: Statement { _execution.statement }

  /// The SQL.
  public var sql: String { _execution.statement.sql }

  /// The arguments.
  public var arguments: StatementArguments { _execution.statement.arguments }

  /// The names of the columns.
  public var columnNames: [String] { _execution.statement.columnNames }

  /// The number of columns.
  public var columnCount: Int { _execution.statement.columnCount }

  /// The tables and columns that the cursor reads.
  public var databaseRegion: DatabaseRegion { _execution.statement.databaseRegion }

  /// The next element, or nil at the end.
  @inlinable
  public func next() throws -> Element? {
    guard try _execution.advance() else { return nil }
    return try _element()
  }
}

/// One execution of a statement, row by row.
///
/// It holds the statement until it dies, so that the cache gives the statement
/// to nobody else meanwhile.
public final class StatementExecution {
  @usableFromInline package let statement: Statement

  @usableFromInline
  package enum Phase {
    case fresh, running, ended, failed
    /// The rows were fetched before; `replay` goes through them.
    case replaying
    /// The statement was executed anew, or its access has ended.
    case superseded
  }

  @exclusivity(unchecked) @usableFromInline package var phase = Phase.fresh

  @usableFromInline let core: UnsafeMutablePointer<StatementCore>

  /// Called when the first row is there, and with it the columns that the
  /// statement has: SQLite may have compiled it anew.
  package var didStart: (() throws -> Void)?

  /// Goes on to the next row of those that were fetched before; false at the end.
  private var replay: (() -> Bool)?

  /// An execution that has ended, whose rows are gone through by `replay`.
  package func startReplay(_ replay: @escaping () -> Bool) {
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

  /// Steps to the next row; false at the end.
  @inlinable
  package func advance() throws -> Bool {
    if phase == .running, let handle = core.pointee.handle {
      let code = SQLite.step(handle)
      if code == SQLite.row { return true }
      return try end(code)
    }
    return try advanceFromRest()
  }

  /// Ends the execution with the code of a step that gave no row.
  @usableFromInline
  func end(_ code: CInt) throws -> Bool {
    phase = .failed
    try statement.finish(code)
    phase = .ended
    return false
  }

  /// The first step, and those after the end.
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
        hint: "What next() has thrown before tells why. Fetch again.")
    case .replaying:
      if let replay, replay() { return true }
      phase = .ended
      replay = nil
      return false
    case .superseded:
      guard core.pointee.handle != nil else { throw DatabaseError.connectionIsClosed }
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

  /// Ends the execution since an element could not be made of its row.
  @usableFromInline
  package func fail(_ error: any Error) -> any Error {
    let isReplaying = phase == .replaying
    phase = .failed
    if !isReplaying { statement.abandon() }
    return error
  }

  /// Ends the execution before its last row; a statement that writes is
  /// executed to its end.
  @usableFromInline
  package func stop() throws {
    guard phase == .running else { return }
    phase = .ended
    try statement.stop()
  }
}

/// An execution belongs to its connection.
@available(*, unavailable)
extension StatementExecution: Sendable {}
