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
/// A collection is a table with a column for each property, which SQL and records can read and
/// write like any other. A store can be used from any thread. Several stores can share a file, and
/// a store can share its queue or pool with other code. Collections don't need their store to stay
/// alive: the database is closed when the store, its collections and all other owners of the queue
/// or pool have been released.
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
  /// The queue or pool of the database.
  public var writer: any DatabaseWriter { access.writer }
  let access: StoreAccess

  private struct Known {
    var collections: [ObjectIdentifier: any Sendable] = [:]
    /// The types by collection name, compared as SQLite compares names.
    var types: [SQLName: Any.Type] = [:]
    /// Whether one of the types has references.
    var hasReferences = false
  }

  private let known = Mutex(Known())

  /// Opens the encrypted file at `path`, and creates it if it doesn't exist.
  ///
  /// The file is opened as a ``DatabasePool``, so reads and writes can run at the same time. The
  /// path `:memory:` opens a database in memory.
  /// - Parameters:
  ///   - autoMigrate: Whether tables are migrated to match their types: see ``collection(_:)``.
  ///   - autoDropColumns: Whether such a migration drops columns that the type no longer has, with
  ///     their content.
  /// - Throws: ``DatabaseError``; if the key doesn't open the file, its
  ///   ``DatabaseError/cipherDiagnosis`` has the reason.
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

  /// Creates a store in an open database.
  ///
  /// - Parameters:
  ///   - autoMigrate: Whether tables are migrated to match their types: see ``collection(_:)``.
  ///   - autoDropColumns: Whether such a migration drops columns that the type no longer has, with
  ///     their content.
  public init(
    _ writer: any DatabaseWriter, autoMigrate: Bool = true, autoDropColumns: Bool = false
  ) {
    access = StoreAccess(writer, autoMigrate: autoMigrate, autoDropColumns: autoDropColumns)
  }

  /// Creates a store in memory. Its content is never written to a file, and is lost when it closes.
  public static func inMemory(
    autoMigrate: Bool = true, autoDropColumns: Bool = false
  ) throws -> DocumentStore {
    DocumentStore(
      try DatabaseQueue(), autoMigrate: autoMigrate, autoDropColumns: autoDropColumns)
  }

  /// Closes the database once the current accesses have ended. Closing twice has no effect.
  public func close() throws { try writer.close() }

  // MARK: Collections

  /// Returns the collection of a document type.
  ///
  /// The first call creates the table, or migrates it to match the type: see
  /// ``DocumentCollection/migrate(dropColumns:)``. Later calls return the same object.
  /// - Throws: ``DocumentError`` if the type can't be stored, shares its collection's name with
  ///   another type, or its table can't be migrated; ``DatabaseError`` from SQLite.
  public func collection<Document: Codable>(
    _ type: Document.Type
  ) throws -> DocumentCollection<Document> {
    if let collection = knownCollection(type) { return collection }
    let collection = try makeCollection(type)
    guard access.autoMigrate else { return keep(collection) }
    // Until the transaction is committed, its tables can still be rolled back.
    let isLasting = currentDatabase?.isInsideTransaction != true
    do { try access.migrate(collection.schema, dropColumns: access.autoDropColumns) } catch {
      giveUp(collection.tableName, for: type)
      throw error
    }
    return isLasting ? keep(collection) : collection
  }

  /// Returns the collection of a document type, created on another thread if it isn't known yet.
  ///
  /// - Throws: The errors of the synchronous form.
  public func collection<Document: Codable>(
    _ type: Document.Type
  ) async throws -> DocumentCollection<Document> {
    if let collection = knownCollection(type) { return collection }
    let collection = try makeCollection(type)
    if access.autoMigrate {
      do { try await access.migrate(collection.schema, dropColumns: access.autoDropColumns) } catch
      {
        giveUp(collection.tableName, for: type)
        throw error
      }
    }
    return keep(collection)
  }

  /// Creates a collection, and reserves its name.
  private func makeCollection<Document: Codable>(
    _ type: Document.Type
  ) throws -> DocumentCollection<Document> {
    let collection = try DocumentCollection<Document>(in: self)
    try claim(collection.tableName, for: type)
    if !collection.schema.references.isEmpty { known.withLock { $0.hasReferences = true } }
    return collection
  }

  /// Whether one of the requested types has references.
  var hasReferences: Bool { known.withLock { $0.hasReferences } }

  private func knownCollection<Document>(_ type: Document.Type) -> DocumentCollection<Document>? {
    let collection = known.withLock { $0.collections[ObjectIdentifier(type)] }
    return collection as? DocumentCollection<Document>
  }

  /// Stores the collection, and returns it, or the collection that another thread has stored
  /// meanwhile.
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

  /// Reserves the name for the type; throws if another type has reserved it.
  private func claim(_ name: String, for type: Any.Type) throws {
    let other = known.withLock { known in
      let owner = known.types[SQLName(name)] ?? type
      known.types[SQLName(name)] = owner
      return owner == type ? nil : owner
    }
    guard let other else { return }
    throw DocumentError(
      "\(type) and \(other) would both be stored in the table \(name)",
      hint: "Give one of them another name: "
        + "conform it to CustomCollectionName, and declare `static let collectionName`.")
  }

  /// Releases the name of a type whose collection couldn't be created.
  private func giveUp(_ name: String, for type: any Any.Type) {
    known.withLock { known in
      guard known.collections[ObjectIdentifier(type)] == nil else { return }
      if known.types[SQLName(name)] == type { known.types[SQLName(name)] = nil }
    }
  }

  // MARK: Accesses

  /// The connection of the current access on this thread.
  var currentDatabase: Database? { access.currentDatabase }
}
