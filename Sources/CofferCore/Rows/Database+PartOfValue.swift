import FoundationEssentials

extension Database {
  /// Reads a part of a stored text or blob, in the memory of that part.
  ///
  /// SQL's `substr` takes the whole value into memory. This reads the pages up to the part, one
  /// after the other, so that the end of a blob of 1 GB takes as long as a scan of it. An
  /// observation that reads a part follows the table.
  ///
  /// ```swift
  /// let head = try db.partOfValue(in: "photo", column: "data", rowID: 7, range: 0..<64)
  /// ```
  ///
  /// - Parameters:
  ///   - tableName: A table with rowids: no view, no virtual table, and none `WITHOUT ROWID`.
  ///   - range: Positions of bytes; of a text, in the encoding of the database. What is past the
  ///     end is left out.
  ///   - schemaName: `main`, `temp` or the name of an attached database.
  /// - Returns: The bytes, and the size of the whole value.
  /// - Throws: ``DatabaseError`` if there is no such row, or its value is a number or NULL.
  public func partOfValue(
    in tableName: String, column: String, rowID: Int64, range: Range<Int>,
    schema schemaName: String = "main"
  ) throws -> (data: Data, size: Int) {
    // SQLite's authorizer isn't asked about a blob that is opened.
    try registerAccess(to: DatabaseRegion(table: tableName, schema: schemaName))
    let part = try readSchema { connection in
      try SQLite.readBlob(
        connection, schema: schemaName, table: tableName, column: column, rowID: rowID,
        from: range.lowerBound, count: range.count)
    }
    return (Data(part.bytes), part.size)
  }
}
