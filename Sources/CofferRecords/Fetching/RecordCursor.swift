import CofferCore

/// A cursor of records.
public final class RecordCursor<Record: FetchableRecord>: DatabaseCursor {
  /// The record type.
  public typealias Element = Record

  /// The execution that the cursor steps.
  public let _execution: StatementExecution
  @usableFromInline let rows: RowCursor

  @usableFromInline
  package init(_ rows: RowCursor) {
    self.rows = rows
    _execution = rows._execution
  }

  /// Returns the record of the current row.
  @inlinable
  public func _element() throws -> Record { try Record(row: rows.row) }

  /// Returns the next record; nil at the end.
  @inlinable
  public func next() throws -> Record? {
    guard try _execution.advance() else { return nil }
    return try Record(row: rows.row)
  }

  /// Calls `body` with each remaining record.
  @inlinable
  public func forEach(_ body: (Record) throws -> Void) throws {
    while try _execution.advance() {
      do { try body(Record(row: rows.row)) } catch { throw _execution.fail(error) }
    }
  }

  /// Returns the remaining records.
  @inlinable
  package func all() throws -> [Record] {
    var records: [Record] = []
    // The number of records of the previous fetch. Once a quarter of them has been fetched,
    // capacity is reserved for all.
    let expected = _execution.statement.lastRecordCount
    let quarter = expected < 64 ? -1 : expected / 4
    // Without `forEach`, whose closure would get each record to look at, and copy it.
    while try _execution.advance() {
      if records.count == quarter { records.reserveCapacity(expected + expected / 8) }
      do { records.append(try Record(row: rows.row)) } catch { throw _execution.fail(error) }
    }
    _execution.statement.lastRecordCount = records.count
    return records
  }

  /// Returns the first remaining record, and ends the execution.
  @inlinable
  package func first() throws -> Record? {
    guard let record = try next() else { return nil }
    try _execution.stop()
    return record
  }
}

extension RecordCursor where Record: Hashable {
  /// Returns the distinct remaining records; of equal records, the first.
  @inlinable
  package func set() throws -> Set<Record> {
    var records: Set<Record> = []
    try forEach { records.insert($0) }
    return records
  }
}
