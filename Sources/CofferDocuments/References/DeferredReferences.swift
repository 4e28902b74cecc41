import CofferCore
import CofferQuery

// SQLite checks references after each statement. When several documents are stored together, they
// are checked at the end, since a child can come before its parent.

extension DocumentCollection {
  /// Executes `body`, which stores the documents, and checks references at its end.
  @usableFromInline
  func deferringReferences(
    of documents: [Document], _ db: Database, _ body: () throws -> Void
  ) throws {
    guard !schema.references.isEmpty, documents.count > 1 else { return try body() }
    try db.deferringReferences(body) {
      for (index, document) in documents.enumerated() {
        let values = try StoredDocument(document).encodedColumns()
        guard let error = try schema.brokenReference(of: values, db) else { continue }
        return error.inBatch(
          at: index,
          hint: "It was element \(index) of the batch, counted from 0; nothing of it was stored.")
      }
      return nil
    }
  }
}

extension Database {
  /// Executes `body` and checks references at its end; inside another such call, at the end of
  /// that.
  ///
  /// - Parameter explain: Finds the cause of a broken reference.
  func deferringReferences<T>(
    _ body: () throws -> T, explain: () throws -> DatabaseError?
  ) throws -> T {
    guard try Bool.fetchOne(self, sql: "PRAGMA defer_foreign_keys") == false,
      !hasBrokenForeignKeys
    else { return try body() }
    var result: T?
    try inBatchSavepoint {
      try execute(sql: "PRAGMA defer_foreign_keys = ON")
      defer { try? execute(sql: "PRAGMA defer_foreign_keys = OFF") }
      result = try body()
      if hasBrokenForeignKeys { throw try explain() ?? .brokenReference }
    }
    guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
    return result
  }

  /// Returns the error of a broken reference anywhere in the database; nil if there is none.
  func brokenReference() throws -> DatabaseError? {
    guard let violation = try foreignKeyViolations().next() else { return nil }
    let key = try foreignKeys(on: violation.originTable, in: "main")
      .first { $0.id == violation.foreignKeyId }
    return DatabaseError.brokenReference.addingHint(
      "The property \(key?.originColumns.first ?? "") of \(violation.originTable) refers to no "
        + "document of the collection \(violation.destinationTable), and nothing of the "
        + "transaction was stored.")
  }

  /// Executes `body` in a savepoint, which is rolled back if `body` throws.
  func inSavepoint<T>(returning body: () throws -> T) throws -> T {
    var result: T?
    try inSavepoint {
      result = try body()
      return .commit
    }
    guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
    return result
  }
}
