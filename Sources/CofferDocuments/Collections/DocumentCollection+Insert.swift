import CofferCore
import CofferQuery
import CofferRecords

extension DocumentCollection {
  // MARK: Inserting

  /// Inserts a document.
  ///
  /// - Parameter onConflict: What happens where another document has the same identifier, or the
  ///   same value in a unique property.
  /// - Throws: ``DatabaseError``, which names the property where that was not unique.
  @inlinable
  public func insert(_ document: Document, onConflict: OnConflict = .abort) throws {
    try writing { try insert(document, onConflict, $0) }
  }

  /// Inserts documents, all or none, with one prepared statement.
  ///
  /// - Parameter onConflict: What happens where another document has the same identifier, or the
  ///   same value in a unique property. With `.ignore`, the rest is inserted.
  /// - Throws: ``DatabaseError``, whose ``DatabaseError/batchIndex`` tells which document it was.
  @inlinable
  public func insert(_ documents: [Document], onConflict: OnConflict = .abort) throws {
    guard !documents.isEmpty else { return }
    try writing { try insert(documents, onConflict, $0) }
  }

  // MARK: Saving

  /// Inserts a document, or replaces the one with the same identifier.
  ///
  /// A replaced document keeps its rowid, so that what refers to it still does. Other documents that
  /// have its value in a unique property are deleted. A type without an identifier replaces by its
  /// unique properties alone.
  @inlinable
  public func save(_ document: Document) throws {
    try insert(document, onConflict: .replace)
  }

  /// Inserts documents, or replaces those with the same identifiers, all or none.
  ///
  /// - Throws: ``DatabaseError``, whose ``DatabaseError/batchIndex`` tells which document it was.
  @inlinable
  public func save(_ documents: [Document]) throws {
    try insert(documents, onConflict: .replace)
  }

  // MARK: On a connection

  @inlinable
  func insert(_ document: Document, _ onConflict: OnConflict, _ db: Database) throws {
    guard onConflict == .replace, hasID else {
      return try explaining { try store(document, onConflict, db) }
    }
    // Two statements.
    try db.inSavepoint {
      try explaining { try store(document, onConflict, db) }
      return .commit
    }
  }

  @inlinable
  func insert(_ documents: [Document], _ onConflict: OnConflict, _ db: Database) throws {
    try explaining {
      try db.inRecordBatch(documents.indices) { index in
        do { try store(documents[index], onConflict, db) } catch let error as EncodingError {
          throw cannotStore(error, at: index)
        }
      }
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
    case .abort: try stored.insert(db)
    case .ignore: try stored.insert(db, onConflict: .ignore)
    case .replace:
      do {
        if hasID, try update(stored, db) { return }
        try stored.insert(db, onConflict: .replace)
      } catch let error as DatabaseError {
        throw explainingReplacement(by: stored, error, db)
      }
    }
  }

  /// Updates the row with the document's identifier.
  ///
  /// - Returns: Whether there was one.
  @usableFromInline
  func update(
    _ stored: StoredDocument<Document>, _ db: Database
  ) throws -> Bool {
    guard let id else { return false }
    var assignments = ""
    var arguments: [DatabaseValue] = []
    var key = DatabaseValue.null
    for (column, value) in try stored.encodedColumns() {
      if column == id.name { key = value }
      assignments += "\(assignments.isEmpty ? "" : ", ")\(column.quotedDatabaseIdentifier) = ?"
      arguments.append(value)
    }
    guard !key.isNull, !id.isInList else { return false }
    arguments.append(key)
    let statement = try db.fetchStatement(
      "UPDATE OR REPLACE \(table.name) SET \(assignments) "
        + "WHERE \(table.idColumn) = \(id.sqlText(of: "?"))")
    defer { statement.clearBindings() }
    try statement.execute(arguments: StatementArguments(arguments))
    return db.changesCount > 0
  }

  /// Says of an error which property is the reason, without any value.
  @usableFromInline
  func explaining<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as DatabaseError {
      guard let hint = schema.explanation(of: error) else { throw error }
      throw error.addingHint(hint)
    } catch let error as EncodingError { throw cannotStore(error) }
  }

  /// The error of a document that can't be encoded, whose own one has the value.
  ///
  /// - Parameter index: The document's, in a batch.
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
        context.codingPath.count > 1 ? "JSON has no such number" : "SQLite has no NaN"
      case is any UnsignedInteger: "SQLite's largest integer is \(Int64.max)"
      default: "its encode(to:) throws"
      }
    return DocumentError(
      "\(property.isEmpty ? "" : "the property \(property) of ")\(Document.self) can't be stored: "
        + "the value of \(Swift.type(of: value)) isn't taken, since \(reason)\(place ?? "")")
  }
}

extension DocumentCollection where Document: Sendable {
  /// Inserts a document, on another thread.
  @inlinable
  public func insert(_ document: Document, onConflict: OnConflict = .abort) async throws {
    try await writing { try self.insert(document, onConflict, $0) }
  }

  /// Inserts documents, all or none, on another thread.
  @inlinable
  public func insert(_ documents: [Document], onConflict: OnConflict = .abort) async throws {
    guard !documents.isEmpty else { return }
    try await writing { try self.insert(documents, onConflict, $0) }
  }

  /// Inserts a document, or replaces the one with the same identifier, on another thread.
  @inlinable
  public func save(_ document: Document) async throws {
    try await insert(document, onConflict: .replace)
  }

  /// Inserts documents, or replaces those with the same identifiers, all or none, on another thread.
  @inlinable
  public func save(_ documents: [Document]) async throws {
    try await insert(documents, onConflict: .replace)
  }
}
