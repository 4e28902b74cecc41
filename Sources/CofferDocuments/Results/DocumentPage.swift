import CofferCore
import CofferRecords
import FoundationEssentials

/// Some documents of a query, and the position of the next ones.
public struct DocumentPage<Document> {
  /// The documents, in the query's order.
  public let documents: [Document]
  /// The start of the next page.
  ///
  /// Nil at the end.
  public let next: PageToken?
}

extension DocumentPage: Sendable where Document: Sendable {}

/// A position in an ordered query, after a document.
///
/// It can be encoded, for example to send it to a client and get it back. It holds the identifier
/// of the document before it, and the values by which the query is ordered: send it only to clients
/// that may see them.
public struct PageToken: Hashable, Sendable, Codable {
  fileprivate enum Value: Hashable, Sendable, Codable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob(Data)
  }

  fileprivate let order: String
  fileprivate let values: [Value]

  init(order: String, values: [DatabaseValue]) {
    self.order = order
    self.values = values.map { value in
      switch value.storage {
      case .null: .null
      case .int64(let integer): .integer(integer)
      case .double(let real): .real(real)
      case .string(let text): .text(text)
      case .blob: .blob(Data.fromDatabaseValue(value) ?? Data())
      }
    }
  }

  var databaseValues: [DatabaseValue] {
    values.map { value in
      switch value {
      case .null: .null
      case .integer(let integer): integer.databaseValue
      case .real(let real): real.databaseValue
      case .text(let text): text.databaseValue
      case .blob(let data): data.databaseValue
      }
    }
  }
}

extension QueryBuilder {
  /// Fetches a page of the query's documents.
  ///
  /// ```swift
  /// let books = books.all().orderBy(\.author)
  /// let first = try books.fetchPage(20)
  /// let second = try books.fetchPage(20, after: first.next)
  /// ```
  ///
  /// The next page begins after the last document of this page, wherever that document is by then:
  /// documents inserted or deleted in between cause no duplicates and no gaps. Documents that are
  /// equal in the order are ordered by their identifiers. An index on the properties of the order
  /// finds a page at any distance.
  /// - Parameters:
  ///   - size: The maximum number of documents on the page.
  ///   - token: The token of the page before; nil for the first page.
  /// - Throws: ``DocumentError`` if the query has a limit or an order other than by properties, if
  ///   the type has no identifier, or if the token belongs to another order.
  public func fetchPage(_ size: Int, after token: PageToken? = nil) throws -> DocumentPage<Document>
  {
    try collection.reading { try fetchPage(size, after: token, $0) }
  }

  func fetchPage(
    _ size: Int, after token: PageToken?, _ db: Database
  ) throws -> DocumentPage<Document> {
    _ = try collection.requireID()
    return try fetchPage(size, after: token, ties: [collection.table.idColumn], db)
  }

  /// - Parameter ties: The expressions that order otherwise equal documents.
  func fetchPage(
    _ size: Int, after token: PageToken?, ties: [String], _ db: Database
  ) throws -> DocumentPage<Document> {
    var query = try valid(db)
    guard size > 0, !query.isLimited, query.isOrderedByProperties else {
      throw DocumentError(
        "a page needs a size of at least 1, and a query that is ordered by properties and has no "
          + "limit",
        hint: "Use .orderBy(\\.…), and omit .limit, .offset and other orders.")
    }
    let keys = query.orderKeys + ties.map { DocumentOrderKey(sql: $0, suffix: .none) }
    let order = keys.map(\.description).joined(separator: ", ")
    for tie in ties { query = query.adding(order: tie) }
    if let token {
      let values = token.databaseValues
      guard token.order == order, values.count == keys.count else {
        throw DocumentError(
          "the token belongs to a query with another order",
          hint: "Start again with the first page.")
      }
      query = query.adding(keys.isBehind(values))
    }
    query.limit = size < Int.max ? size + 1 : size
    let columns = keys.enumerated().map { "\($1.sql) AS coffer_\($0)" }.joined(separator: ", ")
    let rows = try rows(selecting: "\(collection.columnList), \(columns)", of: query, db)
    return try page(size, keys.count, order, rows)
  }

  private func page(
    _ size: Int, _ keyCount: Int, _ order: String, _ rows: RowCursor
  ) throws -> DocumentPage<Document> {
    var documents: [Document] = []
    var last: [DatabaseValue] = []
    while let row = try rows.next() {
      guard documents.count < size else {
        return DocumentPage(documents: documents, next: PageToken(order: order, values: last))
      }
      documents.append(try document(of: row))
      guard documents.count == size else { continue }
      // The identifier follows the values of the order.
      let keys = row.count - 1 - keyCount..<row.count - 1
      last = keys.map { row.databaseValue(at: $0) }
    }
    return DocumentPage(documents: documents, next: nil)
  }
}

extension QueryBuilder where Document: Sendable {
  /// Fetches a page of the query's documents on another thread.
  ///
  /// - Throws: The errors of the synchronous form.
  public func fetchPage(
    _ size: Int, after token: PageToken? = nil
  ) async throws -> DocumentPage<Document> {
    try await collection.reading { try fetchPage(size, after: token, $0) }
  }
}
