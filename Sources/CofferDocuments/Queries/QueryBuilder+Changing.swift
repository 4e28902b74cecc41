import CofferCore
import CofferQuery

extension QueryBuilder {
  /// Sets a property in all documents of the query.
  ///
  /// ```swift
  /// try employees.filter(\.name, equalTo: "old").update(\.name, "new")
  /// ```
  ///
  /// - Returns: The number of changed documents.
  /// - Throws: The error of an invalid query; ``DatabaseError``, for example if a unique property
  ///   would get the same value in two documents.
  @discardableResult
  public func update<Value: Codable>(
    _ property: KeyPath<Document, Value>, _ value: Value
  ) throws -> Int {
    try updating(property, value).update()
  }

  /// Executes an assignment in SQL for all documents of the query.
  ///
  /// ```swift
  /// try employees.all().update("\(\.salary) = \(\.salary) + 1")
  /// ```
  ///
  /// - Returns: The number of changed documents.
  @discardableResult
  public func update(_ sqlFragment: SQLFragment<Document>) throws -> Int {
    try updating(sqlFragment).update()
  }

  /// Executes the assignments added by `updating`, for all documents of the query.
  ///
  /// - Returns: The number of changed documents.
  @discardableResult
  public func update() throws -> Int {
    try collection.writing { try update($0) }
  }

  /// Deletes all documents of the query.
  ///
  /// - Returns: The number of deleted documents.
  @discardableResult
  public func delete() throws -> Int {
    try collection.writing { try delete($0) }
  }

  // MARK: On a connection

  func update(_ db: Database) throws -> Int {
    let query = try valid(db)
    guard query.isUpdate else {
      throw DocumentError(
        "there is nothing to update", hint: "Call updating(_:_:) before update().")
    }
    return try collection.explaining {
      try collection.schema.explainingReferences(of: query.assignedColumns) {
        try query.updating(collection.table, rowKey: rowKey(query, db)).change(db)
      }
    }
  }

  func delete(_ db: Database) throws -> Int {
    // Including expired documents, which are to be deleted anyway.
    let query = try valid(db, expired: true)
    let deletion = query.deleting(from: collection.table, rowKey: try rowKey(query, db))
    do { return try deletion.change(db) } catch let error as DatabaseError
      where collection.id?.path.isEmpty == true
    {
      throw collection.schema.explained(error, db) {
        query.selecting(collection.table.idColumn, from: collection.table)
      }
    }
  }

  /// Returns the quoted columns that identify the table's rows, if the query needs them.
  ///
  /// - Throws: ``DocumentError`` if no columns do.
  private func rowKey(_ query: DocumentQuery, _ db: Database) throws -> [String] {
    query.isLimited ? try collection.schema.rowKey(db) : []
  }
}

extension SQL {
  /// Executes the SQL, and returns the number of changed rows.
  fileprivate func change(_ db: Database) throws -> Int {
    let (sql, arguments) = try build(db)
    try db.execute(sql: sql, arguments: arguments)
    return db.changesCount
  }
}
