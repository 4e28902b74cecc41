import CofferCore
import CofferRecords

/// The documents of one type, and the table that has them.
///
/// ```swift
/// let books = try store.collection(Book.self)
/// try books.insert(Book(name: "Catch-22", author: "Joseph Heller", priceCents: 1050))
/// let cheap = try books.filter(\.priceCents, lessThan: 1000).fetchMany()
/// ```
///
/// It may be used from all threads. Inside an access to its store's queue or pool, its methods take
/// part in that access; elsewhere each is an access of its own.
public final class DocumentCollection<Document: Codable>: Filterable, Sendable {
  /// The type of the documents.
  public typealias Row = Document

  /// The store that the collection is of; once that one is gone, another one of the same database.
  public var store: DocumentStore { origin ?? access.store() }
  // A store keeps its collections: they would keep it alive, and its files open.
  // SAFETY: set once, in `init`; reading a weak reference is atomic.
  private nonisolated(unsafe) weak var origin: DocumentStore?
  @usableFromInline let access: StoreAccess
  /// The name of the table: the type's, or what ``CustomCollectionName`` says.
  public var tableName: String { schema.tableName }

  let type: DocumentType<Document>
  let schema: CollectionSchema
  /// The names of the table, quoted.
  let table: DocumentTable
  /// All columns, quoted.
  let columnList: String
  /// What finds a document by its identifier.
  let lookupSQL: String
  /// The column of the identifier; nil where there is none.
  let id: DocumentColumn?
  /// Whether documents have an identifier.
  @usableFromInline let hasID: Bool
  /// Whether SQLite inserts or updates by a key in one statement.
  @usableFromInline let hasUpsert: Bool
  /// Whether the type declares full text or references, which insertions look after.
  @usableFromInline let hasExtras: Bool
  /// Those that indexes have, and connections don't know by themselves.
  private let collations: [Collation]

  init(in store: DocumentStore) throws {
    origin = store
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

  /// Makes the table, or has it follow the type.
  ///
  /// Properties that have no column get one, indexes are made and dropped as the type's wrappers
  /// say, and the rules of a ``MigratingDocument`` are applied. Columns of other names stay, unless
  /// they are to be dropped, and so do indexes and triggers of your own. All of it happens, or
  /// nothing does.
  ///
  /// A store does it when the collection is first asked for, unless `autoMigrate` is false.
  /// - Parameter dropColumns: Whether columns that no property has are dropped, with what is in
  ///   them.
  /// - Throws: ``DocumentError`` where the table can't follow the type, as where two documents have
  ///   the same value in a property that is unique now.
  public func migrate(dropColumns: Bool = false) throws {
    try migrateIfNeeded(dropColumns: dropColumns)
  }

  /// Makes the table, or has it follow the type, on another thread.
  public func migrate(dropColumns: Bool = false) async throws {
    let schema = schema
    let isReadonly = access.writer.configuration.readonly
    if try await access.writer.read({
      try schema.isCurrent($0, dropColumns: dropColumns, isReadonly: isReadonly)
    }) {
      return
    }
    try schema.requireWritable(access.writer)
    try await access.writer.write { try schema.migrate($0, dropColumns: dropColumns) }
  }

  func migrateIfNeeded(dropColumns: Bool) throws {
    let isReadonly = access.writer.configuration.readonly
    // Looked at first by a read, which waits for nobody.
    if try access.reading({
      try schema.isCurrent($0, dropColumns: dropColumns, isReadonly: isReadonly)
    }) {
      return
    }
    try schema.requireWritable(access.writer)
    try access.writing { try schema.migrate($0, dropColumns: dropColumns) }
  }

  /// The column of the identifier.
  func requireID() throws -> DocumentColumn {
    if let id { return id }
    throw DocumentError(
      "the id of \(Document.self) is no stored property",
      hint: "Filter by the properties that it is made of.")
  }

  /// The quoted columns of a type that has some of the properties.
  func columns<Value: Codable>(of other: Value.Type) throws -> String {
    let properties = try DocumentType<Value>.known().properties
    let names = Set(schema.columns.map { SQLName($0.name) })
    if let unknown = properties.first(where: { !names.contains(SQLName($0.name)) }) {
      throw DocumentError(
        "\(Value.self) has a property \(unknown.name), which \(Document.self) doesn't have",
        hint: "A smaller type has some of the properties of the documents, by the same names.")
    }
    return properties.map { $0.name.quotedDatabaseIdentifier }.joined(separator: ", ")
  }

  // MARK: Queries

  /// The query of all documents.
  public func all() -> QueryBuilder<Document> { QueryBuilder(self) }

  /// The query of the documents that fulfil a condition, written in SQL.
  ///
  /// - Parameter collation: How the texts of the fragment's key paths are compared; nil for what
  ///   the properties declare.
  public func filter(
    _ sqlFragment: SQLFragment<Document>, collation: Collation?
  ) -> QueryBuilder<Document> {
    all().filter(sqlFragment, collation: collation)
  }

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
