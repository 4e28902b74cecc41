import CofferCore

/// A cursor of records.
public final class RecordCursor<Record: FetchableRecord>: DatabaseCursor {
  /// A record.
  public typealias Element = Record

  /// The execution that the cursor steps.
  public let _execution: StatementExecution
  @usableFromInline let rows: RowCursor

  @usableFromInline
  package init(_ rows: RowCursor) {
    self.rows = rows
    _execution = rows._execution
  }

  /// The record of the current row.
  @inlinable
  public func _element() throws -> Record { try Record(row: rows.row) }

  /// The next record, or nil at the end.
  @inlinable
  public func next() throws -> Record? {
    guard try _execution.advance() else { return nil }
    return try Record(row: rows.row)
  }

  /// Calls `body` with each record that is left.
  @inlinable
  public func forEach(_ body: (Record) throws -> Void) throws {
    while try _execution.advance() {
      do { try body(Record(row: rows.row)) } catch { throw _execution.fail(error) }
    }
  }

  /// The records that are left.
  @inlinable
  package func all() throws -> [Record] {
    var records: [Record] = []
    // The fetch before gave so many records, and this one may give as many: once it has given a
    // quarter of them, there is room for all, at one go.
    let expected = _execution.statement.lastRecordCount
    let quarter = expected < 64 ? -1 : expected / 4
    try forEach { record in
      if records.count == quarter { records.reserveCapacity(expected + expected / 8) }
      records.append(record)
    }
    _execution.statement.lastRecordCount = records.count
    return records
  }

  /// The first record of those that are left; the statement is not executed further.
  @inlinable
  package func first() throws -> Record? {
    guard let record = try next() else { return nil }
    try _execution.stop()
    return record
  }
}

extension RecordCursor where Record: Hashable {
  /// The distinct records of those that are left, the first one of equals.
  @inlinable
  package func set() throws -> Set<Record> {
    var records: Set<Record> = []
    try forEach { records.insert($0) }
    return records
  }
}
