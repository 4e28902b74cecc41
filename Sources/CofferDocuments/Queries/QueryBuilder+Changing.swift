import CofferCore
import CofferQuery

extension QueryBuilder {
  /// Gives a property a value in all documents of the query.
  ///
  /// ```swift
  /// try employees.filter(\.name, equalTo: "old").update(\.name, "new")
  /// ```
  ///
  /// - Returns: The number of documents.
  /// - Throws: What was wrong with the query; ``DatabaseError``, such as that of a unique property.
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
  /// - Returns: The number of documents.
  @discardableResult
  public func update(_ sqlFragment: SQLFragment<Document>) throws -> Int {
    try updating(sqlFragment).update()
  }

  /// Executes the assignments that `updating` has added, for all documents of the query.
  ///
  /// - Returns: The number of documents.
  @discardableResult
  public func update() throws -> Int {
    try collection.writing { try update($0) }
  }

  /// Deletes all documents of the query.
  ///
  /// - Returns: The number of documents.
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
    // Those that have expired too: nobody misses them.
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

  /// The columns that tell the table's rows apart, quoted, where the query needs them.
  ///
  /// - Throws: ``DocumentError`` where none do.
  private func rowKey(_ query: DocumentQuery, _ db: Database) throws -> [String] {
    query.isLimited ? try collection.schema.rowKey(db) : []
  }
}

extension SQL {
  /// Executes the SQL, and tells how many rows it has changed.
  fileprivate func change(_ db: Database) throws -> Int {
    let (sql, arguments) = try build(db)
    try db.execute(sql: sql, arguments: arguments)
    return db.changesCount
  }
}
