import CofferCore
import CofferQuery

// SQLite looks at references after each statement. Where several documents are stored together, it is
// their end that counts: a child may come before its parent.

extension DocumentCollection {
  /// Executes `body`, which stores the documents, so that they may refer to later ones.
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
  /// Executes `body` so that references are looked at when it is over; inside of another such call,
  /// when that one is.
  ///
  /// - Parameter explain: Finds what is wrong where a reference leads nowhere.
  func deferringReferences<T>(
    _ body: () throws -> T, explain: () throws -> DatabaseError?
  ) throws -> T {
    guard try Bool.fetchOne(self, sql: "PRAGMA defer_foreign_keys") == false,
      !hasBrokenForeignKeys
    else { return try body() }
    return try inSavepoint(returning: {
      try execute(sql: "PRAGMA defer_foreign_keys = ON")
      defer { try? execute(sql: "PRAGMA defer_foreign_keys = OFF") }
      let result = try body()
      guard hasBrokenForeignKeys else { return result }
      throw try explain() ?? .brokenReference
    })
  }

  /// The error of a reference that leads nowhere, wherever it is.
  func brokenReference() throws -> DatabaseError? {
    guard let row = try Row.fetchOne(self, sql: "PRAGMA main.foreign_key_check") else { return nil }
    let (table, parent): (String, String) = (row[0], row[2])
    let number: Int = row[3]
    let keys = try Row.fetchAll(
      self, sql: "PRAGMA main.foreign_key_list(\(table.quotedDatabaseIdentifier))")
    let column = keys.first { ($0["id"] as Int) == number }.map { $0["from"] as String }
    return DatabaseError.brokenReference.addingHint(
      "The property \(column ?? "") of \(table) leads to no document of the collection \(parent), "
        + "and nothing of the transaction was stored.")
  }

  /// Executes `body` in a savepoint, which is rolled back if it throws.
  func inSavepoint<T>(returning body: () throws -> T) throws -> T {
    var result: Result<T, any Error>?
    do {
      try inSavepoint { () throws -> TransactionCompletion in
        let value = try body()
        result = .success(value)
        return .commit
      }
    } catch { result = .failure(error) }
    guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
    return try result.get()
  }
}
