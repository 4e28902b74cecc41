import CofferCore
import CofferQuery
import CofferRecords

/// A document as a record: its table, and the coders that store it and fetch it.
@usableFromInline
struct StoredDocument<Document: Codable>: Codable, FetchableRecord, PersistableRecord,
  StrictlyDecoded
{
  @usableFromInline let document: Document
  @usableFromInline static var decodedType: any Any.Type { Document.self }

  @inlinable
  init(_ document: Document) { self.document = document }

  @inlinable
  init(from decoder: any Decoder) throws { document = try Document(from: decoder) }

  @inlinable
  func encode(to encoder: any Encoder) throws { try document.encode(to: encoder) }

  @usableFromInline
  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
    .exact
  }

  /// What ``CustomCollectionName`` says, or the type's name.
  @usableFromInline
  static var databaseTableName: String {
    // By the document's type: to ask for this one's costs a lookup each time.
    documentTableNames.name(of: Document.self) {
      (Document.self as? any CustomCollectionName.Type)?.collectionName
        ?? String(describing: Document.self)
    }
  }
}

private let documentTableNames = TableNames()

extension DatabaseDateEncodingStrategy {
  /// That of documents: no digit of a date is lost.
  static let exact = custom { $0.exactDatabaseValue }
}
