import CofferCore
import CofferQuery

extension TableRecord where Self: EncodableRecord {
  /// Returns a request for the rows associated with the record.
  ///
  /// ```swift
  /// extension Author {
  ///   var books: QueryInterfaceRequest<Book> { request(for: Author.books) }
  /// }
  /// let books = try author.books.order(Column("year")).fetchAll(db)
  /// ```
  ///
  /// - Throws: Fetching throws the error of encoding the record, or an error if the record doesn't
  ///   encode a column that the association needs.
  public func request<A: Association>(for association: A) -> QueryInterfaceRequest<A.RowDecoder>
  where A.OriginRowDecoder == Self {
    let values = Result { try PersistenceContainer(self).entries }
    let path = association._association
    let table = Self.databaseTableName
    return QueryInterfaceRequest(
      relation: path.relation(ofRowWith: { column in
        guard let entry = try values.get().first(where: { $0.column.isSameName(as: column) })
        else { throw RecordError.columnNotEncoded(column, table: table) }
        return entry.value
      }))
  }
}

extension RecordError {
  fileprivate static func columnNotEncoded(_ column: String, table: String) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "the record of table \(table) doesn't encode column \"\(column)\", which the "
        + "association needs",
      hint: "Set it in encode(to:), or add the property.")
  }
}
