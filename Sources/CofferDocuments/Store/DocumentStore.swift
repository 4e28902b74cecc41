import CofferCore
import CofferRecords
import Synchronization

/// Collections of `Codable` values in an encrypted database.
///
/// ```swift
/// struct Book: Codable, Identifiable {
///   var id = UUID()
///   @Unique var name: String
///   var author: String
///   var priceCents: Int
/// }
/// let store = try DocumentStore(path: "library.db", key: .passphrase("correct horse battery staple"))
/// let books = try store.collection(Book.self)
/// try books.insert(Book(name: "Catch-22", author: "Joseph Heller", priceCents: 1050))
/// let cheap = try books.filter(\.priceCents, lessThan: 1000).fetchMany()
/// ```
///
/// A collection is a table with a column for each property, which SQL and records read and write as
/// any other. A store may be used from all threads, several stores may have one file, and a store
/// may share its queue or pool with everything else. Its collections don't need it: the database is
/// closed once the store, its collections, and what else has its queue or pool are gone.
///
/// Inside an access to the queue or pool, the methods of collections take part in it:
///
/// ```swift
/// try pool.write { db in
///   try player.insert(db)
///   try books.insert(book)  // in the same transaction
/// }
/// ```
public final class DocumentStore: Sendable {
  /// The queue or pool that has the documents.
  public var writer: any DatabaseWriter { access.writer }
  let access: StoreAccess

  private struct Known {
    var collections: [ObjectIdentifier: any Sendable] = [:]
    /// The types by the names of their collections, as SQLite compares names.
    var types: [SQLName: Any.Type] = [:]
    /// Whether one of the types refers to others.
    var hasReferences = false
  }

  private let known = Mutex(Known())

  /// Opens the encrypted file at `path`, which is made if there is none.
  ///
  /// It is opened as a ``DatabasePool``, so that reads and writes run at the same time. The path
  /// `:memory:` opens a database in memory.
  /// - Parameters:
  ///   - autoMigrate: Whether tables follow their types: see ``collection(_:)``.
  ///   - autoDropColumns: Whether columns that a type doesn't have any more are dropped then, with
  ///     what is in them.
  /// - Throws: ``DatabaseError``; where the key doesn't open the file, its
  ///   ``DatabaseError/cipherDiagnosis`` tells why.
  public convenience init(
    path: String, key: DatabaseKey, configuration: Configuration = Configuration(),
    autoMigrate: Bool = true, autoDropColumns: Bool = false
  ) throws {
    var configuration = configuration
    configuration.key = key
    let writer: any DatabaseWriter =
      path == ":memory:"
      ? try DatabaseQueue(configuration: configuration)
      : try DatabasePool(path: path, configuration: configuration)
    self.init(writer, autoMigrate: autoMigrate, autoDropColumns: autoDropColumns)
  }

  /// A store in a database that is open already.
  ///
  /// - Parameters:
  ///   - autoMigrate: Whether tables follow their types: see ``collection(_:)``.
  ///   - autoDropColumns: Whether columns that a type doesn't have any more are dropped then, with
  ///     what is in them.
  public init(
    _ writer: any DatabaseWriter, autoMigrate: Bool = true, autoDropColumns: Bool = false
  ) {
    access = StoreAccess(writer, autoMigrate: autoMigrate, autoDropColumns: autoDropColumns)
  }

  /// A store in memory, which lives as long as the store, and is in no file.
  public static func inMemory(
    autoMigrate: Bool = true, autoDropColumns: Bool = false
  ) throws -> DocumentStore {
    DocumentStore(
      try DatabaseQueue(), autoMigrate: autoMigrate, autoDropColumns: autoDropColumns)
  }

  /// Closes the database, after the accesses that are under way; twice does nothing.
  public func close() throws { try writer.close() }

  // MARK: Collections

  /// The collection of a type's documents.
  ///
  /// The first call makes the table, or has it follow the type: see
  /// ``DocumentCollection/migrate(dropColumns:)``. Later calls give the same object.
  /// - Throws: ``DocumentError`` for a type that can't be stored, that shares its collection's name
  ///   with another one, or whose table can't follow it; ``DatabaseError`` from SQLite.
  public func collection<Document: Codable>(
    _ type: Document.Type
  ) throws -> DocumentCollection<Document> {
    if let collection = knownCollection(type) { return collection }
    let collection = try DocumentCollection<Document>(in: self)
    try claim(collection.tableName, for: type)
    if !collection.schema.references.isEmpty { known.withLock { $0.hasReferences = true } }
    guard access.autoMigrate else { return keep(collection) }
    // Until a transaction is committed, its tables may vanish again.
    let isLasting = currentDatabase?.isInsideTransaction != true
    do { try collection.migrateIfNeeded(dropColumns: access.autoDropColumns) } catch {
      giveUp(collection.tableName, for: type)
      throw error
    }
    return isLasting ? keep(collection) : collection
  }

  /// The collection of a type's documents, made on another thread where it isn't known yet.
  ///
  /// - Throws: What the synchronous form throws.
  public func collection<Document: Codable>(
    _ type: Document.Type
  ) async throws -> DocumentCollection<Document> {
    if let collection = knownCollection(type) { return collection }
    let collection = try DocumentCollection<Document>(in: self)
    try claim(collection.tableName, for: type)
    if !collection.schema.references.isEmpty { known.withLock { $0.hasReferences = true } }
    if access.autoMigrate {
      do { try await migrate(collection.schema) } catch {
        giveUp(collection.tableName, for: type)
        throw error
      }
    }
    return keep(collection)
  }

  private func migrate(_ schema: CollectionSchema) async throws {
    let (dropColumns, isReadonly) = (access.autoDropColumns, writer.configuration.readonly)
    let isCurrent = try await writer.read {
      try schema.isCurrent($0, dropColumns: dropColumns, isReadonly: isReadonly)
    }
    if isCurrent { return }
    try schema.requireWritable(writer)
    try await writer.write { try schema.migrate($0, dropColumns: dropColumns) }
  }

  /// Whether one of the types that were asked for refers to others.
  var hasReferences: Bool { known.withLock { $0.hasReferences } }

  private func knownCollection<Document>(_ type: Document.Type) -> DocumentCollection<Document>? {
    let collection = known.withLock { $0.collections[ObjectIdentifier(type)] }
    return collection as? DocumentCollection<Document>
  }

  /// The collection, or the one that another thread has made meanwhile.
  private func keep<Document>(
    _ collection: DocumentCollection<Document>
  ) -> DocumentCollection<Document> {
    let kept = known.withLock { known in
      let id = ObjectIdentifier(Document.self)
      if let other = known.collections[id] { return other }
      known.collections[id] = collection
      return collection
    }
    return kept as? DocumentCollection<Document> ?? collection
  }

  /// Gives the name to the type, unless another one has it.
  private func claim(_ name: String, for type: Any.Type) throws {
    let other = known.withLock { known in
      let owner = known.types[SQLName(name)] ?? type
      known.types[SQLName(name)] = owner
      return owner == type ? nil : owner
    }
    guard let other else { return }
    throw DocumentError(
      "\(type) and \(other) would both be stored in the table \(name)",
      hint: "Give one of them a name of its own: "
        + "conform it to CustomCollectionName, and declare `static let collectionName`.")
  }

  /// Takes the name from the type, whose collection couldn't be made.
  private func giveUp(_ name: String, for type: any Any.Type) {
    known.withLock { known in
      guard known.collections[ObjectIdentifier(type)] == nil else { return }
      if known.types[SQLName(name)] == type { known.types[SQLName(name)] = nil }
    }
  }

  // MARK: Accesses

  /// The connection of the access that is under way on this thread.
  var currentDatabase: Database? { access.currentDatabase }
}
