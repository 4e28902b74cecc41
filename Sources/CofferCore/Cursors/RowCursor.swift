/// A cursor of rows.
///
/// It gives the same ``Row`` object for each step: ``Row/copy()`` those that
/// are to be kept.
public final class RowCursor: DatabaseCursor {
  /// A row.
  public typealias Element = Row

  public let _execution: StatementExecution
  @usableFromInline let row: Row
  private let layout: RowLayout
  private let adapter: (any RowAdapter)?

  init(_ statement: Statement, adapter: (any RowAdapter)?) throws {
    _execution = StatementExecution(statement)
    layout = statement.layout
    self.adapter = adapter
    row = Row(statement: statement, adaptation: try statement.adaptation(of: adapter))
  }

  public func _element() -> Row { row }

  /// The next row, or nil at the end.
  @inlinable
  public func next() throws -> Row? {
    guard try _execution.advance() else { return nil }
    return row
  }

  /// Calls `body` with each row that is left.
  @inlinable
  public func forEach(_ body: (Row) throws -> Void) throws {
    while try _execution.advance() {
      do { try body(row) } catch { throw _execution.fail(error) }
    }
  }
}

extension Statement {
  /// What an adapter makes of the statement's rows.
  package func adaptation(of adapter: (any RowAdapter)?) throws -> RowAdaptation? {
    guard let adapter else { return nil }
    return try adapter._adaptation(of: RowColumns(layout))
  }
}
