import CofferCore
import CofferRecords

/// The prepared statement that finds a document by its identifier, for one type and one connection.
///
/// Schema changes of the connection itself drop it. Schema changes of other connections make SQLite
/// recompile the statement at its first step; then it is replaced.
final class DocumentLookup<Document: Codable> {
  enum Result {
    case found(Document)
    case none
    /// The statement can't be used, and the document has to be fetched by a request.
    case needsRequest
  }

  private let statement: Statement
  /// The current row of the statement.
  private let row: Row

  private init(_ db: Database, _ collection: DocumentCollection<Document>) throws {
    statement = try db.makeStatement(sql: collection.lookupSQL)
    row = Row(statement: statement)
  }

  /// Looks up an identifier, which must not be NULL.
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
