import CofferCore
import CofferRecords

/// The documents of one type, and the table that stores them.
///
/// ```swift
/// let books = try store.collection(Book.self)
/// try books.insert(Book(name: "Catch-22", author: "Joseph Heller", priceCents: 1050))
/// let cheap = try books.filter(\.priceCents, lessThan: 1000).fetchMany()
/// ```
///
/// A collection can be used from any thread. Inside an access to its store's queue or pool, its
/// methods take part in that access; elsewhere, each method begins an access.
public final class DocumentCollection<Document: Codable>: Filterable, Sendable {
  /// The type of the documents.
  public typealias Row = Document

  /// The store of the collection.
  ///
  /// Once the store has been released, a new store of the same database.
  public var store: DocumentStore { unsafe origin ?? access.store() }
  // Weak, since the store holds its collections: a cycle would keep both alive and the files open.
  // SAFETY: it is set once, in `init`, and reading a weak reference is atomic.
  private nonisolated(unsafe) weak var origin: DocumentStore?
  @usableFromInline let access: StoreAccess
  /// The name of the table: ``CustomCollectionName/collectionName``, or else the type's name.
  public var tableName: String { schema.tableName }

  let type: DocumentType<Document>
  let schema: CollectionSchema
  /// The quoted names of the table.
  let table: DocumentTable
  /// The quoted names of all columns.
  let columnList: String
  /// The SQL that selects a document by its identifier.
  let lookupSQL: String
  /// The column of the identifier; nil if the type has none.
  let id: DocumentColumn?
  /// Whether documents have an identifier.
  @usableFromInline let hasID: Bool
  /// Whether SQLite can insert or update by the identifier in one statement.
  @usableFromInline let hasUpsert: Bool
  /// Whether the type declares full text or references, which insertions must take care of.
  @usableFromInline let hasExtras: Bool
  /// The collations of the indexes that have to be registered with a connection.
  private let collations: [Collation]

  init(in store: DocumentStore) throws {
    unsafe origin = store
    access = store.access
    type = try DocumentType<Document>.known()
    id = type.identifier
    hasID = id != nil
    hasUpsert = SQLiteFeatures.linked.hasUpsert && id?.isInList == false
    schema = try CollectionSchema(type, id: id)
    hasExtras = schema.fullText != nil || !schema.references.isEmpty
    let name = schema.tableName.quotedDatabaseIdentifier
    columnList = schema.columns.map { $0.name.quotedDatabaseIdentifier }.joined(separator: ", ")
    let idColumn = id.map { $0.expression(collation: $0.collation) } ?? "NULL"
    table = DocumentTable(name: name, idColumn: idColumn, rowIDName: schema.rowIDName)
    lookupSQL = "SELECT \(columnList) FROM \(name) WHERE \(idColumn) = ?"
    collations = schema.collations.filter { !$0.isStandard }
  }

  // MARK: The table

  /// Creates the table, or migrates it to match the type.
  ///
  /// Missing columns are added, indexes are created and dropped to match the type's property
  /// wrappers, and the rules of a ``MigratingDocument`` are applied. Columns of other names are
  /// kept unless `dropColumns` is true; indexes and triggers that Coffer didn't create are always
  /// kept. Either all of it happens or nothing.
  ///
  /// The store calls this when the collection is first requested, unless `autoMigrate` is false.
  /// - Parameter dropColumns: Whether columns without a property are dropped, with their content.
  /// - Throws: ``DocumentError`` if the table can't match the type, for example if two documents
  ///   have the same value in a property that has become unique.
  public func migrate(dropColumns: Bool = false) throws {
    try access.migrate(schema, dropColumns: dropColumns)
  }

  /// Creates the table, or migrates it to match the type, on another thread.
  public func migrate(dropColumns: Bool = false) async throws {
    try await access.migrate(schema, dropColumns: dropColumns)
  }

  /// The column of the identifier.
  func requireID() throws -> DocumentColumn {
    if let id { return id }
    throw DocumentError(
      "the id of \(Document.self) is not a stored property",
      hint: "Filter by the properties from which it is computed.")
  }

  /// Returns the quoted column names of a type that has a subset of the properties.
  func columns<Value: Codable>(of other: Value.Type) throws -> String {
    let properties = try DocumentType<Value>.known().properties
    let names = Set(schema.columns.map { SQLName($0.name) })
    if let unknown = properties.first(where: { !names.contains(SQLName($0.name)) }) {
      throw DocumentError(
        "\(Value.self) has a property \(unknown.name), which \(Document.self) doesn't have",
        hint: "A partial type has some of the properties of the documents, with the same names.")
    }
    return properties.map { $0.name.quotedDatabaseIdentifier }.joined(separator: ", ")
  }

  // MARK: Queries

  /// Returns the query of all documents.
  public func all() -> QueryBuilder<Document> { QueryBuilder(self) }

  // MARK: Accesses

  func prepare(_ db: Database) -> Database {
    for collation in collations { collation.ensure(in: db) }
    return db
  }

  @usableFromInline
  func reading<T>(_ body: (Database) throws -> T) throws -> T {
    guard !collations.isEmpty else { return try access.reading(body) }
    return try access.reading { try body(prepare($0)) }
  }

  @usableFromInline
  func writing<T>(_ body: (Database) throws -> T) throws -> T {
    try access.writing { try body(prepare($0)) }
  }

}

extension DocumentCollection where Document: _SendableMetatype {
  @usableFromInline
  func reading<T: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await access.writer.read { try body(self.prepare($0)) }
  }

  @usableFromInline
  func writing<T: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await access.writer.write { try body(self.prepare($0)) }
  }
}
