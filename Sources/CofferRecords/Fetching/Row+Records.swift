import CofferCore

// Records in the scopes of a row, and in the rows that were fetched along with it: what
// associations lead to.

extension Row {
  // MARK: One record

  /// The record in the scope of that name that is nearest to the row.
  ///
  /// ```swift
  /// // Book.including(required: Book.author)
  /// author = row["author"]
  /// ```
  ///
  /// Traps where there is no such scope, or where the record can't be made.
  public subscript<Record: FetchableRecord>(_ scope: String) -> Record {
    do { return try decode(forKey: scope) } catch { preconditionFailure("\(error)") }
  }

  /// The record in the scope of that name that is nearest to the row; nil where there is no such
  /// scope, or NULLs only.
  ///
  /// Traps where the record can't be made.
  public subscript<Record: FetchableRecord>(_ scope: String) -> Record? {
    do { return try decodeIfPresent(forKey: scope) } catch { preconditionFailure("\(error)") }
  }

  /// The record in the scope of that name that is nearest to the row.
  ///
  /// - Throws: `RowDecodingError` where there is no such scope; what the record's `init(row:)`
  ///   throws.
  public func decode<Record: FetchableRecord>(
    _ type: Record.Type = Record.self, forKey scope: String
  ) throws -> Record {
    guard let row = scopesTree[scope] else {
      throw keyNotFound(scope, available: scopesTree.names)
    }
    return try Record(row: row)
  }

  /// The record in the scope of that name that is nearest to the row; nil where there is no such
  /// scope, or NULLs only.
  ///
  /// - Throws: What the record's `init(row:)` throws.
  public func decodeIfPresent<Record: FetchableRecord>(
    _ type: Record.Type = Record.self, forKey scope: String
  ) throws -> Record? {
    guard let row = scopesTree[scope], row.containsNonNullValue else { return nil }
    return try Record(row: row)
  }

  // MARK: Several records

  /// The records that were fetched along with the row, by the key of their association.
  ///
  /// ```swift
  /// // Author.including(all: Author.books)
  /// books = row["books"]
  /// ```
  ///
  /// Traps where nothing was fetched for the key, or where a record can't be made.
  public subscript<Records: RangeReplaceableCollection>(_ key: String) -> Records
  where Records.Element: FetchableRecord {
    do { return try decode(forKey: key) } catch { preconditionFailure("\(error)") }
  }

  /// The set of the records that were fetched along with the row, by the key of their association.
  ///
  /// Traps where nothing was fetched for the key, or where a record can't be made.
  public subscript<Record: FetchableRecord & Hashable>(_ key: String) -> Set<Record> {
    do { return try decode(forKey: key) } catch { preconditionFailure("\(error)") }
  }

  /// The records that were fetched along with the row, by the key of their association.
  ///
  /// - Throws: `RowDecodingError` where nothing was fetched for the key; what the records'
  ///   `init(row:)` throws.
  public func decode<Records: RangeReplaceableCollection>(
    _ type: Records.Type = Records.self, forKey key: String
  ) throws -> Records where Records.Element: FetchableRecord {
    var records = Records()
    try forEachRecord(forKey: key) { records.append($0) }
    return records
  }

  /// The set of the records that were fetched along with the row, by the key of their association.
  ///
  /// - Throws: `RowDecodingError` where nothing was fetched for the key; what the records'
  ///   `init(row:)` throws.
  public func decode<Record: FetchableRecord & Hashable>(
    _ type: Set<Record>.Type = Set<Record>.self, forKey key: String
  ) throws -> Set<Record> {
    var records: Set<Record> = []
    try forEachRecord(forKey: key) { records.insert($0) }
    return records
  }

  private func forEachRecord<Record: FetchableRecord>(
    forKey key: String, _ body: (Record) -> Void
  ) throws {
    guard let rows = prefetchedRows[key] else {
      throw keyNotFound(key, available: prefetchedRows.keys)
    }
    let reader = RecordRowReader<Record>()
    for row in rows { body(try reader.value(of: row)) }
  }

  private func keyNotFound(_ key: String, available: Set<String>) -> RowDecodingError {
    .keyNotFound(
      key, available: Array(available), context: decodingContext(columnName: key))
  }
}
