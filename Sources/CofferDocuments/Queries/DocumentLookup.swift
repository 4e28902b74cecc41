import CofferCore
import CofferRecords

/// The statement that finds a document by its identifier, ready to be executed, of one type and one
/// connection.
///
/// Schema changes of the connection itself drop it. Those of others show when SQLite has compiled
/// the statement anew at its first step; then a new one is made.
final class DocumentLookup<Document: Codable> {
  enum Result {
    case found(Document)
    case none
    /// Nothing: the document has to be found by a request.
    case needsRequest
  }

  private let statement: Statement
  /// The row that the statement shows.
  private let row: Row

  private init(_ db: Database, _ collection: DocumentCollection<Document>) throws {
    statement = try db.makeStatement(sql: collection.lookupSQL)
    row = Row(statement: statement)
  }

  /// Looks an identifier up, which is not NULL.
  static func lookUp(
    _ db: Database, _ id: DatabaseValue, _ collection: DocumentCollection<Document>
  ) throws -> Result {
    guard !db.isRecordingRegion else { return .needsRequest }
    let plan = try db.plan(self) { try DocumentLookup(db, collection) }
    let statement = plan.statement
    guard !statement.isActive, statement.reprepareCount >= 0 || db.openTransaction != nil else {
      return .needsRequest
    }
    switch try statement.lookUp(id) {
    case .row:
      defer { statement.endLookup() }
      return .found(try StoredDocument<Document>(row: plan.row).document)
    case .none: return .none
    case .recompiled:
      db.forgetPlan(self)
      return .needsRequest
    }
  }
}
