import CofferCore
import CofferRecords

extension QueryBuilder {
  /// Fetches several properties of each document of the query.
  ///
  /// ```swift
  /// for (title, pages) in try books.all().fetchMany(\.title, \.pages) { … }
  /// // SELECT "title", "pages" FROM "Book"
  /// ```
  ///
  /// - Throws: The error of an invalid query; ``RowDecodingError`` if a stored value doesn't fit
  ///   its property any more; ``DatabaseError``.
  public func fetchMany<First: Codable, Second: Codable, each Other: Codable>(
    _ first: KeyPath<Document, First>, _ second: KeyPath<Document, Second>,
    _ others: repeat KeyPath<Document, each Other>
  ) throws -> [(First, Second, repeat each Other)] {
    let (first, second) = (try selection(first), try selection(second))
    let others = (repeat try selection(each others))
    return try collection.reading { try fetchMany(first, second, repeat each others, in: $0) }
  }

  /// Fetches several properties of the first document of the query.
  ///
  /// Nil if there is none.
  public func fetchOne<First: Codable, Second: Codable, each Other: Codable>(
    _ first: KeyPath<Document, First>, _ second: KeyPath<Document, Second>,
    _ others: repeat KeyPath<Document, each Other>
  ) throws -> (First, Second, repeat each Other)? {
    try limitedToOne.fetchMany(first, second, repeat each others).first
  }

  fileprivate func fetchMany<each Value: Decodable>(
    _ selections: repeat DocumentSelection<each Value>, in db: Database
  ) throws -> [(repeat each Value)] {
    var columns: [DocumentColumn] = []
    repeat columns.append((each selections).column)
    var tuples: [(repeat each Value)] = []
    func tuple(_ row: CofferCore.Row) throws -> (repeat each Value) {
      var index = -1
      func next<V>(_ selection: DocumentSelection<V>) throws -> V {
        index += 1
        return try selection.value(of: row, at: index)
      }
      return (repeat try next(each selections))
    }
    do {
      try rows(selecting: selection(of: columns), db).forEach { tuples.append(try tuple($0)) }
    } catch let error as RowDecodingError {
      throw located(error, selecting: selection(of: columns), db) { _ = try tuple($0) }
    }
    return tuples
  }
}

extension QueryBuilder where Document: _SendableMetatype {
  /// Fetches several properties of each document of the query on another thread.
  ///
  /// - Throws: The errors of the synchronous form.
  public func fetchMany<
    First: Codable & Sendable, Second: Codable & Sendable, each Other: Codable & Sendable
  >(
    _ first: KeyPath<Document, First>, _ second: KeyPath<Document, Second>,
    _ others: repeat KeyPath<Document, each Other>
  ) async throws -> [(First, Second, repeat each Other)] {
    let (first, second) = (try selection(first), try selection(second))
    let others = (repeat try selection(each others))
    return try await collection.reading {
      try fetchMany(first, second, repeat each others, in: $0)
    }
  }

  /// Fetches several properties of the first document of the query on another thread.
  ///
  /// Nil if there is no document.
  public func fetchOne<
    First: Codable & Sendable, Second: Codable & Sendable, each Other: Codable & Sendable
  >(
    _ first: KeyPath<Document, First>, _ second: KeyPath<Document, Second>,
    _ others: repeat KeyPath<Document, each Other>
  ) async throws -> (First, Second, repeat each Other)? {
    try await limitedToOne.fetchMany(first, second, repeat each others).first
  }
}
