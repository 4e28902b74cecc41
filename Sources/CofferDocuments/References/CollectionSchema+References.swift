import CofferCore
import CofferQuery
import CofferRecords

extension CollectionSchema {
  /// Returns the collections that this collection references, directly or indirectly, without
  /// itself.
  func referenced() throws -> [CollectionSchema] {
    var all: [CollectionSchema] = []
    var names: Set<SQLName> = [SQLName(tableName)]
    var waiting = references
    while let reference = waiting.popLast() {
      guard names.insert(SQLName(reference.tableName)).inserted else { continue }
      let schema = try reference.schema.schema()
      all.append(schema)
      waiting += schema.references
    }
    return all
  }

  private var referencesSQL: String { references.map(\.sql).joined() }

  /// Whether the table has exactly the references that the type declares.
  func areReferencesCurrent(_ db: Database) throws -> Bool {
    try TableText(tableName, db).references == referencesSQL
  }

  /// Removes references that will change, before columns change.
  func removeReferences(unlessCurrent: Bool, _ db: Database) throws {
    var text = try TableText(tableName, db)
    guard !text.references.isEmpty, !unlessCurrent || text.references != referencesSQL else {
      return
    }
    text.references = ""
    try text.store(db)
  }

  /// Adds the references that the type declares; all tables and their columns must exist.
  ///
  /// - Throws: ``DocumentError`` if a document refers to a document that doesn't exist.
  func addReferences(_ db: Database) throws {
    var text = try TableText(tableName, db)
    guard text.references != referencesSQL else { return }
    text.references = referencesSQL
    try text.store(db)
    for reference in references { try requireNoViolation(reference, db) }
  }

  private func requireNoViolation(_ reference: DocumentReference, _ db: Database) throws {
    let column = reference.column.quotedDatabaseIdentifier
    let count =
      try Int.fetchOne(
        db,
        sql: """
          SELECT count(*) FROM main.\(tableName.quotedDatabaseIdentifier)
          WHERE \(column) IS NOT NULL AND \(column) NOT IN (\(reference.keysSQL))
          """) ?? 0
    guard count > 0 else { return }
    throw DocumentError(
      "the property \(reference.column) of \(typeName) can't refer to \(reference.typeName): "
        + "in \(count == 1 ? "one document" : "\(count) documents"), it refers to a missing "
        + "document",
      hint: "Change or delete these documents first. The table is unchanged.")
  }

  // MARK: Errors

  /// Adds to a foreign-key error the property whose document is missing.
  func explainingReferences<T>(
    of values: @autoclosure () throws -> PersistenceContainer, _ db: Database,
    _ body: () throws -> T
  ) throws -> T {
    do { return try body() } catch let error as DatabaseError where error.isReferenceFailure {
      throw try brokenReference(error, of: values(), db) ?? error
    }
  }

  /// Returns the error of the first property whose document is missing; nil if none is.
  func brokenReference(
    _ error: DatabaseError = .brokenReference, of values: PersistenceContainer, _ db: Database
  ) throws -> DatabaseError? {
    let broken = try references.first { reference in
      guard let value = values.first(where: { $0.0 == reference.column })?.1, !value.isNull
      else { return false }
      let sql = "SELECT ? NOT IN (\(reference.keysSQL))"
      return try Bool.fetchOne(db, sql: sql, arguments: [value]) == true
    }
    return broken.map { error.addingHint(hint($0)) }
  }

  /// Adds to an update's foreign-key error the properties that can be its cause.
  func explainingReferences<T>(of columns: [String], _ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as DatabaseError where error.isReferenceFailure {
      let changed = references.filter { columns.isEmpty || columns.contains($0.column) }
      throw changed.isEmpty
        ? error : error.addingHint(changed.map(hint).joined(separator: " Or: "))
    }
  }

  private func hint(_ reference: DocumentReference) -> String {
    "The property \(reference.column) of \(typeName) refers to no document of the collection "
      + "\(reference.tableName)."
  }

  /// Returns the error of a deletion, with a collection whose documents refer to deleted ones.
  ///
  /// - Parameter rows: Returns a query of the identifiers of the documents to delete.
  func explained(
    _ error: DatabaseError, _ db: Database, referrersTo rows: () throws -> SQL?
  ) -> DatabaseError {
    guard error.isReferenceFailure, let rows = try? rows(),
      let referrer = try? referrer(to: rows, db)
    else { return error }
    return error.addingHint(
      "Documents of the collection \(referrer.table) refer to one that would be deleted, "
        + "by their property \(referrer.column).")
  }

  private func referrer(
    to rows: SQL, _ db: Database
  ) throws -> (table: String, column: String)? {
    let (keys, arguments) = try rows.build(db)
    let tables = try String.fetchAll(
      db, sql: "SELECT name FROM main.sqlite_master WHERE type = 'table' ORDER BY name")
    for table in tables {
      for column in try restrictingColumns(of: table, db) {
        let sql = """
          SELECT EXISTS (SELECT 1 FROM main.\(table.quotedDatabaseIdentifier)
          WHERE \(column.quotedDatabaseIdentifier) IN (\(keys)))
          """
        if try Bool.fetchOne(db, sql: sql, arguments: arguments) == true { return (table, column) }
      }
    }
    return nil
  }

  /// Returns the columns of a table whose references prevent the deletion of rows of this table.
  private func restrictingColumns(of table: String, _ db: Database) throws -> [String] {
    let keys = try Row.fetchAll(
      db, sql: "PRAGMA main.foreign_key_list(\(table.quotedDatabaseIdentifier))")
    return keys.filter { key in
      let destination: String = key["table"]
      return destination.isSameName(as: tableName)
        && ["RESTRICT", "NO ACTION"].contains(key["on_delete"] as String)
    }.map { $0["from"] }
  }
}

extension DocumentReference {
  /// The query of all existing identifiers.
  fileprivate var keysSQL: String {
    let key = keyColumn.quotedDatabaseIdentifier
    let table = tableName.quotedDatabaseIdentifier
    return "SELECT \(key) FROM main.\(table) WHERE \(key) IS NOT NULL"
  }
}

extension DatabaseError {
  /// The error that SQLite reports when a transaction ends with a broken reference.
  static let brokenReference = DatabaseError(
    resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY, message: "FOREIGN KEY constraint failed")

  /// Whether a referenced document doesn't exist, or would be deleted.
  fileprivate var isReferenceFailure: Bool {
    extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY
      // The code of a violated `RESTRICT`.
      || extendedResultCode == .SQLITE_CONSTRAINT_TRIGGER
        && message?.contains("FOREIGN KEY") == true
  }
}
