import CofferCore
import CofferQuery

extension Row {
  // MARK: One record

  /// The record of an association's row, by its key.
  ///
  /// ```swift
  /// init(row: Row) throws {
  ///   book = try Book(row: row)
  ///   author = row["author"]
  /// }
  /// ```
  ///
  /// The row is looked for in the scopes, and in those of scopes.
  /// Traps where there is none, or none but NULLs, or where the record can't be made of it.
  @inlinable
  public subscript<Record: FetchableRecord>(_ scope: String) -> Record {
    do { return try decode(Record.self, forKey: scope) } catch { preconditionFailure("\(error)") }
  }

  /// The record of an association's row, by its key; nil where there is none, or none but NULLs.
  ///
  /// Traps where the record can't be made of the row.
  @inlinable
  public subscript<Record: FetchableRecord>(_ scope: String) -> Record? {
    do {
      return try decodeIfPresent(Record.self, forKey: scope)
    } catch { preconditionFailure("\(error)") }
  }

  /// The record of an association's row, by its key.
  ///
  /// - Throws: `RowDecodingError` where there is no such row, or none but NULLs, or what the record
  ///   throws.
  @inlinable
  public func decode<Record: FetchableRecord>(
    _ type: Record.Type = Record.self, forKey scope: String
  ) throws -> Record {
    guard let row = presentScope(scope) else {
      throw missing(scope, Record.self, scopesTree.names)
    }
    return try Record(row: row)
  }

  /// The record of an association's row, by its key; nil where there is none, or none but NULLs.
  ///
  /// - Throws: What the record throws.
  @inlinable
  public func decodeIfPresent<Record: FetchableRecord>(
    _ type: Record.Type = Record.self, forKey scope: String
  ) throws -> Record? {
    guard let row = presentScope(scope) else { return nil }
    return try Record(row: row)
  }

  // MARK: Many records

  /// The records of an association that was fetched along, by its key.
  ///
  /// ```swift
  /// init(row: Row) throws {
  ///   author = try Author(row: row)
  ///   books = row["books"]
  /// }
  /// ```
  ///
  /// Traps where nothing was fetched for the key, or where a record can't be made of its row.
  @inlinable
  public subscript<Records>(_ key: String) -> Records
  where Records: RangeReplaceableCollection, Records.Element: FetchableRecord {
    do { return try decode(Records.self, forKey: key) } catch { preconditionFailure("\(error)") }
  }

  /// The distinct records of an association that was fetched along, by its key.
  ///
  /// Traps where nothing was fetched for the key, or where a record can't be made of its row.
  @inlinable
  public subscript<Record: FetchableRecord & Hashable>(_ key: String) -> Set<Record> {
    do {
      return try decode(Set<Record>.self, forKey: key)
    } catch { preconditionFailure("\(error)") }
  }

  /// The records of an association that was fetched along, by its key.
  ///
  /// - Throws: `RowDecodingError` where nothing was fetched for the key, or what a record throws.
  @inlinable
  public func decode<Records>(
    _ type: Records.Type = Records.self, forKey key: String
  ) throws -> Records
  where Records: RangeReplaceableCollection, Records.Element: FetchableRecord {
    let rows = try prefetched(key, Records.Element.self)
    var records = Records()
    records.reserveCapacity(rows.count)
    var plan: AnyObject?
    for row in rows { records.append(try row.record(Records.Element.self, keeping: &plan)) }
    return records
  }

  /// The distinct records of an association that was fetched along, by its key.
  ///
  /// - Throws: `RowDecodingError` where nothing was fetched for the key, or what a record throws.
  @inlinable
  public func decode<Record: FetchableRecord & Hashable>(
    _ type: Set<Record>.Type = Set<Record>.self, forKey key: String
  ) throws -> Set<Record> {
    let rows = try prefetched(key, Record.self)
    var records = Set<Record>(minimumCapacity: rows.count)
    var plan: AnyObject?
    for row in rows { records.insert(try row.record(Record.self, keeping: &plan)) }
    return records
  }

  /// The record of the row.
  ///
  /// - Parameter plan: What the type has found out about other rows with the same columns.
  @inlinable
  func record<Record: FetchableRecord>(
    _ type: Record.Type, keeping plan: inout AnyObject?
  ) throws -> Record {
    swap(&self.plan, &plan)
    defer { swap(&self.plan, &plan) }
    return try Record(row: self)
  }

  @usableFromInline
  func prefetched(_ key: String, _ record: Any.Type) throws -> [Row] {
    if let rows = prefetchedRows[key] { return rows }
    throw missing(key, record, prefetchedRows.keys)
  }

  /// The scope of that name, unless it has NULLs only.
  @usableFromInline
  func presentScope(_ scope: String) -> Row? {
    guard let row = scopes[scope] ?? scopesTree[scope], row.containsNonNullValue else {
      return nil
    }
    return row
  }

  @usableFromInline
  func missing(
    _ key: String, _ record: Any.Type, _ available: Set<String>
  ) -> RowDecodingError {
    var context = RowDecodingContext(sql: statement?.sql)
    context.recordType = "\(record)"
    return RowDecodingError.keyNotFound(key, available: Array(available), context: context)
  }
}
