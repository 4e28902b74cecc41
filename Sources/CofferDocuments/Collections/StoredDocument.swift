import CofferCore
import CofferQuery
import CofferRecords

/// A document as a record, with its table and its coding.
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

  /// ``CustomCollectionName/collectionName``, or the type's name.
  @usableFromInline
  static var databaseTableName: String {
    // Cached under the document's type: the metadata of this generic type costs a lookup each time.
    documentTableNames.name(of: Document.self) {
      (Document.self as? any CustomCollectionName.Type)?.collectionName
        ?? String(describing: Document.self)
    }
  }
}

private let documentTableNames = TableNames()

extension DatabaseDateEncodingStrategy {
  /// The strategy of documents, which loses no digit of a date.
  static let exact = custom { $0.exactDatabaseValue }
}
