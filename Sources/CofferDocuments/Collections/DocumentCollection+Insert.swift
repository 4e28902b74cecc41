import CofferCore
import CofferQuery
import CofferRecords
import FoundationEssentials

extension DocumentCollection {
  // MARK: Inserting

  /// Inserts a document.
  ///
  /// - Parameter onConflict: What happens if another document has the same identifier, or the same
  ///   value in a unique property.
  /// - Throws: ``DatabaseError``, which names the property that wasn't unique.
  @inlinable
  public func insert(_ document: Document, onConflict: OnConflict = .abort) throws {
    try writing { try insert(document, onConflict, $0) }
  }

  /// Inserts all documents or none, with one prepared statement.
  ///
  /// - Parameter onConflict: What happens if another document has the same identifier, or the same
  ///   value in a unique property. With `.ignore`, the other documents are inserted.
  /// - Throws: ``DatabaseError``, whose ``DatabaseError/batchIndex`` is the index of the document
  ///   that failed.
  @inlinable
  public func insert(_ documents: [Document], onConflict: OnConflict = .abort) throws {
    guard !documents.isEmpty else { return }
    try writing { try insert(documents, onConflict, $0) }
  }

  // MARK: Saving

  /// Inserts a document, or replaces the one with the same identifier.
  ///
  /// A replaced document keeps its rowid, so references to it stay valid. No other document is
  /// touched: if one has the same value in a unique property, this throws, unlike `insert` with
  /// `.replace`. A document whose type has no identifier is always inserted.
  /// - Throws: ``DatabaseError``, which names the property that wasn't unique.
  @inlinable
  public func save(_ document: Document) throws {
    try writing { try save(document, $0) }
  }

  /// Inserts documents, or replaces those with the same identifiers.
  ///
  /// Either all of them are stored or none. In a transaction, many become a part of it: see
  /// ``Configuration/changedPagesSize``.
  /// - Throws: ``DatabaseError``, whose ``DatabaseError/batchIndex`` is the index of the document
  ///   that failed.
  @inlinable
  public func save(_ documents: [Document]) throws {
    guard !documents.isEmpty else { return }
    try writing { try save(documents, $0) }
  }

  // MARK: On a connection

  @inlinable
  func insert(_ document: Document, _ onConflict: OnConflict, _ db: Database) throws {
    guard onConflict == .replace, hasID else {
      return try explaining { try store(document, onConflict, db) }
    }
    // Two statements are executed.
    try db.inSavepoint {
      try explaining { try store(document, onConflict, db) }
      return .commit
    }
  }

  @inlinable
  func insert(_ documents: [Document], _ onConflict: OnConflict, _ db: Database) throws {
    try inBatch(documents, db) { try store($0, onConflict, db) }
  }

  /// Stores all documents or none.
  @inlinable @inline(__always)
  func inBatch(
    _ documents: [Document], _ db: Database, _ store: (Document) throws -> Void
  ) throws {
    try explaining {
      try deferringReferences(of: documents, db) {
        try db.inRecordBatch(documents.indices) { index in
          do { try store(documents[index]) } catch let error as EncodingError {
            throw cannotStore(error, at: index)
          }
        }
      }
    }
  }

  @inlinable
  func save(_ document: Document, _ db: Database) throws {
    try explaining { try storeSaved(document, db) }
  }

  @inlinable
  func save(_ documents: [Document], _ db: Database) throws {
    try inBatch(documents, db) { try storeSaved($0, db) }
  }

  @inlinable @inline(__always)
  func storeSaved(_ document: Document, _ db: Database) throws {
    let stored = StoredDocument(document)
    guard !hasExtras else { return try saveWithExtras(stored, db) }
    try save(stored, db)
  }

  /// Saves a document whose type has full text or references.
  @usableFromInline
  func saveWithExtras(_ stored: StoredDocument<Document>, _ db: Database) throws {
    try schema.explainingReferences(of: stored.encodedColumns(), db) { try save(stored, db) }
  }

  @inlinable @inline(__always)
  func save(_ stored: StoredDocument<Document>, _ db: Database) throws {
    guard hasID else { return try stored.insertWithoutCallbacks(db) }
    guard hasUpsert else { return try saveInTwoSteps(stored, db) }
    do { try stored.execute(db, .upsert, sql: upsertSQL) } catch let error as DatabaseError {
      guard isWithoutKey(error) else { throw error }
      try saveInTwoSteps(stored, db)
    }
  }

  @inlinable @inline(__always)
  func store(_ document: Document, _ onConflict: OnConflict, _ db: Database) throws {
    let stored = StoredDocument(document)
    guard !hasExtras else { return try storeWithExtras(stored, onConflict, db) }
    try store(stored, onConflict, db)
  }

  @inlinable @inline(__always)
  func store(
    _ stored: StoredDocument<Document>, _ onConflict: OnConflict, _ db: Database
  ) throws {
    switch onConflict {
    case .abort: try stored.insertWithoutCallbacks(db)
    case .ignore: try stored.insertWithoutCallbacks(db, onConflict: .ignore)
    case .replace:
      do {
        if hasID, try update(stored, .replace, db) { return }
        try stored.insertWithoutCallbacks(db, onConflict: .replace)
      } catch let error as DatabaseError {
        throw explainingReplacement(by: stored, error, db)
      }
    }
  }

  /// Updates the row with the document's identifier.
  ///
  /// - Returns: Whether such a row exists.
  @usableFromInline
  func update(
    _ stored: StoredDocument<Document>, _ conflict: Database.ConflictResolution, _ db: Database
  ) throws -> Bool {
    guard let id, !id.isInList else { return false }
    try stored.execute(db, .keyedUpdate, conflict) { columns in
      let key = (columns.firstIndex(of: id.name) ?? 0) + 1
      // Without the default, which the triggers of full-text tables would inherit.
      let resolution = conflict == .abort ? "" : "OR \(conflict.rawValue) "
      return "UPDATE \(resolution)\(table.name) SET "
        + assignments(columns) { "?\($0 + 1)" }
        + " WHERE \(table.idColumn) = \(id.sqlText(of: "?\(key)"))"
    }
    return db.changesCount > 0
  }

  /// Saves with an update, then an insertion, where SQLite lacks `ON CONFLICT(…) DO UPDATE` or the
  /// table has no unique index of the identifier.
  @usableFromInline
  func saveInTwoSteps(_ stored: StoredDocument<Document>, _ db: Database) throws {
    if try update(stored, .abort, db) { return }
    try stored.insertWithoutCallbacks(db)
  }

  /// `INSERT INTO … ON CONFLICT("id") DO UPDATE SET …`
  @usableFromInline
  func upsertSQL(_ columns: [String]) -> String {
    let names = columns.map(\.quotedDatabaseIdentifier)
    let values = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    return "INSERT INTO \(table.name) (\(names.joined(separator: ", "))) VALUES (\(values)) "
      + "ON CONFLICT(\(table.idColumn)) DO UPDATE SET "
      + assignments(columns) { "excluded.\(names[$0])" }
  }

  /// The assignments of an update of the row with the same identifier.
  private func assignments(_ columns: [String], _ value: (Int) -> String) -> String {
    // An identifier that is compared by its bytes can't have changed.
    let isFixed = id?.isNested == false && id?.collation == nil && columns.count > 1
    return columns.indices.filter { !isFixed || columns[$0] != id?.name }
      .map { index in
        // Members of a stored struct that the type doesn't know are kept.
        let new = type.structured[columns[index]]?.keeping(value(index)) ?? value(index)
        return "\(columns[index].quotedDatabaseIdentifier) = \(new)"
      }
      .joined(separator: ", ")
  }

  /// Whether the error says that the table has no unique index of the identifier, as when the table
  /// doesn't follow its type.
  @usableFromInline
  func isWithoutKey(_ error: DatabaseError) -> Bool {
    error.resultCode == .SQLITE_ERROR
      && error.message?.hasPrefix("ON CONFLICT clause does not match") == true
  }

  /// Adds to errors which property caused them, without any value.
  @usableFromInline
  func explaining<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as DatabaseError {
      guard let hint = schema.explanation(of: error) else { throw error }
      throw error.addingHint(hint)
    } catch let error as EncodingError { throw cannotStore(error) }
  }

  /// Replaces the error of a document that can't be encoded, since `EncodingError` holds the value.
  ///
  /// - Parameter index: The index of the document in its batch.
  @usableFromInline
  func cannotStore(_ error: EncodingError, at index: Int? = nil) -> DocumentError {
    guard case .invalidValue(let value, let context) = error else {
      return DocumentError("\(Document.self) can't be stored")
    }
    let property = context.codingPath.reduce("") { path, key in
      if let index = key.intValue { return path + "[\(index)]" }
      return path.isEmpty ? key.stringValue : path + "." + key.stringValue
    }
    let place = index.map { "; it was element \($0) of the batch, nothing of which was stored" }
    let reason =
      switch value {
      case is any BinaryFloatingPoint:
        context.codingPath.count > 1 ? "JSON can't represent it" : "SQLite has no NaN"
      case is any UnsignedInteger: "SQLite's largest integer is \(Int64.max)"
      case is Decimal: "JSON can't represent it"
      case _ where context.codingPath.count < 2:
        "its encode(to:) throws, or its lists and structs are nested more than 511 levels deep"
      default: "its encode(to:) throws"
      }
    return DocumentError(
      "\(property.isEmpty ? "" : "the property \(property) of ")\(Document.self) can't be stored: "
        + "the value of \(Swift.type(of: value)) can't be stored, since \(reason)\(place ?? "")")
  }
}

extension DocumentCollection where Document: Sendable {
  /// Inserts a document on another thread.
  @inlinable
  public func insert(_ document: Document, onConflict: OnConflict = .abort) async throws {
    try await writing { try self.insert(document, onConflict, $0) }
  }

  /// Inserts all documents or none, on another thread.
  @inlinable
  public func insert(_ documents: [Document], onConflict: OnConflict = .abort) async throws {
    guard !documents.isEmpty else { return }
    try await writing { try self.insert(documents, onConflict, $0) }
  }

  /// Inserts a document, or replaces the one with the same identifier, on another thread.
  @inlinable
  public func save(_ document: Document) async throws {
    try await writing { try self.save(document, $0) }
  }

  /// Inserts documents, or replaces those with the same identifiers, on another thread.
  ///
  /// Either all of them are stored or none. In a transaction, many become a part of it: see
  /// ``Configuration/changedPagesSize``.
  @inlinable
  public func save(_ documents: [Document]) async throws {
    guard !documents.isEmpty else { return }
    try await writing { try self.save(documents, $0) }
  }
}
