import CofferCore

/// The statement that finds a document of a type by its identifier.
final class DocumentLookup<Document: Codable> {
  private let lookup: PreparedLookup

  private init(_ lookup: PreparedLookup) { self.lookup = lookup }

  /// Looks up an identifier, which must not be NULL.
  static func lookUp(
    _ db: Database, _ id: DatabaseValue, _ collection: DocumentCollection<Document>
  ) throws -> PreparedLookup.Result {
    guard !db.isRecordingRegion else { return .needsRequest }
    let plan = try db.plan(self) {
      DocumentLookup(try PreparedLookup(db, sql: collection.lookupSQL))
    }
    return try plan.lookup.lookUp(db, id, for: self)
  }
}
