import CofferCore
import CofferQuery

extension Row {
  // MARK: One record

  /// Returns the record of an association by its key.
  ///
  /// ```swift
  /// init(row: Row) throws {
  ///   book = try Book(row: row)
  ///   author = row["author"]
  /// }
  /// ```
  ///
  /// The row is searched for in the scopes, and in nested scopes. Traps if there is no such row, if
  /// all of its values are NULL, or if the record can't be created from it.
  @inlinable
  public subscript<Record: FetchableRecord>(_ scope: String) -> Record {
    do { return try decode(Record.self, forKey: scope) } catch { preconditionFailure("\(error)") }
  }

  /// Returns the record of an association by its key, if present.
  ///
  /// Nil if there is no such row, or if all of its values are NULL.
  ///
  /// Traps if the record can't be created from the row.
  @inlinable
  public subscript<Record: FetchableRecord>(_ scope: String) -> Record? {
    do {
      return try decodeIfPresent(Record.self, forKey: scope)
    } catch { preconditionFailure("\(error)") }
  }

  /// Returns the record of an association by its key.
  ///
  /// - Throws: `RowDecodingError` if there is no such row, or if all of its values are NULL; or the
  ///   error of `init(row:)`.
  @inlinable
  public func decode<Record: FetchableRecord>(
    _ type: Record.Type = Record.self, forKey scope: String
  ) throws -> Record {
    guard let row = presentScope(scope) else {
      throw missing(scope, Record.self, scopesTree.names)
    }
    return try Record(row: row)
  }

  /// Returns the record of an association by its key, if present.
  ///
  /// Nil if there is no such row, or if all of its values are NULL.
  ///
  /// - Throws: The error of `init(row:)`.
  @inlinable
  public func decodeIfPresent<Record: FetchableRecord>(
    _ type: Record.Type = Record.self, forKey scope: String
  ) throws -> Record? {
    guard let row = presentScope(scope) else { return nil }
    return try Record(row: row)
  }

  // MARK: Many records

  /// Returns the records of a prefetched association by its key.
  ///
  /// ```swift
  /// init(row: Row) throws {
  ///   author = try Author(row: row)
  ///   books = row["books"]
  /// }
  /// ```
  ///
  /// Traps if no rows were prefetched for the key, or if a record can't be created from its row.
  @inlinable
  public subscript<Records>(_ key: String) -> Records
  where Records: RangeReplaceableCollection, Records.Element: FetchableRecord {
    do { return try decode(Records.self, forKey: key) } catch { preconditionFailure("\(error)") }
  }

  /// Returns the distinct records of a prefetched association by its key.
  ///
  /// Traps if no rows were prefetched for the key, or if a record can't be created from its row.
  @inlinable
  public subscript<Record: FetchableRecord & Hashable>(_ key: String) -> Set<Record> {
    do {
      return try decode(Set<Record>.self, forKey: key)
    } catch { preconditionFailure("\(error)") }
  }

  /// Returns the records of a prefetched association by its key.
  ///
  /// - Throws: `RowDecodingError` if no rows were prefetched for the key, or the error of
  ///   `init(row:)`.
  @inlinable
  public func decode<Records>(
    _ type: Records.Type = Records.self, forKey key: String
  ) throws -> Records
  where Records: RangeReplaceableCollection, Records.Element: FetchableRecord {
    let rows = try prefetched(key, Records.Element.self)
    var records = Records()
    records.reserveCapacity(rows.count)
    try rows.forEach { records.append(try Records.Element(row: $0)) }
    return records
  }

  /// Returns the distinct records of a prefetched association by its key.
  ///
  /// - Throws: `RowDecodingError` if no rows were prefetched for the key, or the error of
  ///   `init(row:)`.
  @inlinable
  public func decode<Record: FetchableRecord & Hashable>(
    _ type: Set<Record>.Type = Set<Record>.self, forKey key: String
  ) throws -> Set<Record> {
    let rows = try prefetched(key, Record.self)
    var records = Set<Record>(minimumCapacity: rows.count)
    try rows.forEach { records.insert(try Record(row: $0)) }
    return records
  }

  @usableFromInline
  func prefetched(_ key: String, _ record: Any.Type) throws -> RowList {
    if let rows = prefetched?.list(key) { return rows }
    throw missing(key, record, prefetchedRows.keys)
  }

  /// Returns the scope with that name, unless all of its values are NULL.
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
