import CofferCore

/// The statement that finds a document of a type by its identifier.
final class DocumentLookup<Document: Codable> {
  let lookup: PreparedLookup

  private init(_ lookup: PreparedLookup) { self.lookup = lookup }

  /// Returns the plan of the type; nil if documents have to be found by a query.
  static func current(
    _ db: Database, _ collection: DocumentCollection<Document>
  ) throws -> DocumentLookup? {
    guard !db.isRecordingRegion else { return nil }
    return try db.plan(self) {
      DocumentLookup(try PreparedLookup(db, sql: collection.lookupSQL))
    }
  }
}
