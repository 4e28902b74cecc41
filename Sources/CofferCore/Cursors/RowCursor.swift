import CofferVault

/// A cursor of rows.
///
/// It returns the same ``Row`` object each time: call ``Row/copy()`` to keep a row.
public final class RowCursor: DatabaseCursor {
  /// A row.
  public typealias Element = Row

  /// The execution that the cursor steps.
  public let _execution: StatementExecution
  @safe @exclusivity(unchecked) @usableFromInline package private(set) var row: Row

  init(_ statement: Statement, adapter: (any RowAdapter)?) throws {
    _execution = StatementExecution(statement)
    row = Row(statement: statement, adaptation: try statement.adaptation(of: adapter))
    _execution.whenColumnsChange(adapter) { [unowned self] adaptation in
      row = Row(statement: statement, adaptation: adaptation)
    }
  }

  /// Creates a cursor over rows that were fetched before.
  init(_ statement: Statement, replaying rows: [Row]) {
    _execution = StatementExecution(statement)
    row = rows.first ?? Row()
    var next = rows.startIndex
    _execution.startReplay { [unowned self] in
      guard next < rows.endIndex else { return false }
      row = rows[next]
      next += 1
      return true
    }
  }

  /// Returns the current row: the same object each time, unless the rows are copies.
  public func _element() -> Row { row }

  /// Returns the next row, or nil at the end.
  @inlinable
  public func next() throws -> Row? {
    guard try _execution.advance() else { return nil }
    return row
  }

  /// Calls `body` with each remaining row.
  @inlinable
  public func forEach(_ body: (Row) throws -> Void) throws {
    while try _execution.advance() {
      do { try body(row) } catch { throw _execution.fail(error) }
    }
  }
}

extension StatementExecution {
  /// Calls `body` after the first step if the columns differ from those that the adapter knows.
  func whenColumnsChange(
    _ adapter: (any RowAdapter)?, _ body: @escaping (RowAdaptation?) throws -> Void
  ) {
    guard let adapter else { return }
    didStart = { [statement, layout = statement.layout] in
      guard statement.layout !== layout else { return }
      try body(statement.adaptation(of: adapter))
    }
  }
}

extension Statement {
  /// Applies an adapter to the columns of the statement.
  package func adaptation(of adapter: (any RowAdapter)?) throws -> RowAdaptation? {
    guard let adapter else { return nil }
    do {
      return try adapter._adaptation(of: RowColumns(layout))
    } catch let error as DatabaseError {
      // The adapter doesn't know the SQL.
      throw DatabaseError(
        error.extendedResultCode, error.message ?? "", hint: error.hint, sql: error.sql ?? sql)
    }
  }
}
