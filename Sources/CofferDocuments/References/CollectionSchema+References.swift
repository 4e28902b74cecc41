import CofferCore
import CofferQuery
import CofferRecords

extension CollectionSchema {
  /// The collections that this one refers to, and those that they refer to, without this one.
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

  /// Whether the table refers as the type says.
  func areReferencesCurrent(_ db: Database) throws -> Bool {
    try TableText(tableName, db).references == referencesSQL
  }

  /// Removes references that aren't wanted as they are, before columns change.
  func removeReferences(unlessCurrent: Bool, _ db: Database) throws {
    var text = try TableText(tableName, db)
    guard !text.references.isEmpty, !unlessCurrent || text.references != referencesSQL else {
      return
    }
    text.references = ""
    try text.store(db)
  }

  /// Adds the references that the type declares; all tables and their columns are there.
  ///
  /// - Throws: ``DocumentError`` where a document refers to nothing.
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
        + "in \(count == 1 ? "one document" : "\(count) documents"), it leads to none",
      hint: "Change or delete these first. The table is as it was.")
  }

  // MARK: Errors

  /// Adds to the error of a document that refers to nothing which property does.
  func explainingReferences<T>(
    of values: @autoclosure () throws -> PersistenceContainer, _ db: Database,
    _ body: () throws -> T
  ) throws -> T {
    do { return try body() } catch let error as DatabaseError where error.isReferenceFailure {
      throw try brokenReference(error, of: values(), db) ?? error
    }
  }

  /// The error of a document that refers to nothing, by the property.
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

  /// Adds to the error of an update which properties may be the reason.
  func explainingReferences<T>(of columns: [String], _ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as DatabaseError where error.isReferenceFailure {
      let changed = references.filter { columns.isEmpty || columns.contains($0.column) }
      throw changed.isEmpty
        ? error : error.addingHint(changed.map(hint).joined(separator: " Or: "))
    }
  }

  private func hint(_ reference: DocumentReference) -> String {
    "The property \(reference.column) of \(typeName) leads to no document of the collection "
      + "\(reference.tableName)."
  }

  /// The error of a deletion, with the documents that refer to those that it would delete.
  ///
  /// - Parameter rows: Selects the identifiers of these.
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

  /// The columns by which a table keeps rows of this one from being deleted.
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
  /// All identifiers that are there.
  fileprivate var keysSQL: String {
    let key = keyColumn.quotedDatabaseIdentifier
    let table = tableName.quotedDatabaseIdentifier
    return "SELECT \(key) FROM main.\(table) WHERE \(key) IS NOT NULL"
  }
}

extension DatabaseError {
  /// What SQLite says at the end of a transaction in which something refers to nothing.
  static let brokenReference = DatabaseError(
    resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY, message: "FOREIGN KEY constraint failed")

  /// Whether a document refers to nothing, or one that is referred to would be deleted.
  fileprivate var isReferenceFailure: Bool {
    extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY
      // What `RESTRICT` gives.
      || extendedResultCode == .SQLITE_CONSTRAINT_TRIGGER
        && message?.contains("FOREIGN KEY") == true
  }
}
