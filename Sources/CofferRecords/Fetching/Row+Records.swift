import CofferCore
import CofferQuery

extension Row {
  // MARK: One record

  /// Accesses the record of an association's row by its key.
  ///
  /// ```swift
  /// init(row: Row) throws {
  ///   book = try Book(row: row)
  ///   author = row["author"]
  /// }
  /// ```
  ///
  /// The row is searched for in the scopes, and in the scopes of scopes. Traps if there is no such
  /// row, if it has only NULLs, or if the record can't be created from it.
  @inlinable
  public subscript<Record: FetchableRecord>(_ scope: String) -> Record {
    do { return try decode(Record.self, forKey: scope) } catch { preconditionFailure("\(error)") }
  }

  /// Accesses the record of an association's row by its key; nil if there is no such row, or if it
  /// has only NULLs.
  ///
  /// Traps if the record can't be created from the row.
  @inlinable
  public subscript<Record: FetchableRecord>(_ scope: String) -> Record? {
    do {
      return try decodeIfPresent(Record.self, forKey: scope)
    } catch { preconditionFailure("\(error)") }
  }

  /// Accesses the record of an association's row by its key.
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

  /// Accesses the record of an association's row by its key; nil if there is no such row, or if it
  /// has only NULLs.
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

  /// Accesses the records of a prefetched association by its key.
  ///
  /// ```swift
  /// init(row: Row) throws {
  ///   author = try Author(row: row)
  ///   books = row["books"]
  /// }
  /// ```
  ///
  /// Traps if nothing was prefetched for the key, or if a record can't be created from its row.
  @inlinable
  public subscript<Records>(_ key: String) -> Records
  where Records: RangeReplaceableCollection, Records.Element: FetchableRecord {
    do { return try decode(Records.self, forKey: key) } catch { preconditionFailure("\(error)") }
  }

  /// Accesses the distinct records of a prefetched association by its key.
  ///
  /// Traps if nothing was prefetched for the key, or if a record can't be created from its row.
  @inlinable
  public subscript<Record: FetchableRecord & Hashable>(_ key: String) -> Set<Record> {
    do {
      return try decode(Set<Record>.self, forKey: key)
    } catch { preconditionFailure("\(error)") }
  }

  /// Accesses the records of a prefetched association by its key.
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

  /// Accesses the distinct records of a prefetched association by its key.
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

  /// Returns the record of the row.
  ///
  /// - Parameter plan: The type's plan for other rows with the same columns.
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

  /// Returns the scope with that name, unless it has only NULLs.
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
