import CofferCore

extension DocumentCollection where Document: Identifiable, Document.ID: Codable {
  /// Returns the place of a property's value in a document, for an ``EncryptedValue``.
  ///
  /// ```swift
  /// let id = UUID()
  /// let place = try books.valuePlace(of: \.remarks, id: id)
  /// try books.insert(Book(id: id, remarks: cipher.seal("a secret", at: place)))
  /// ```
  ///
  /// A property of a stored struct has a place, too: `\.address.phone`.
  /// - Throws: ``DocumentError`` if the key path leads to no stored property, or if the identifier
  ///   isn't stored.
  public func valuePlace(
    of property: PartialKeyPath<Document>, id: Document.ID
  ) throws -> ValuePlace {
    let column = try type.column(property)
    let key = try DocumentValue.databaseValue(of: id, in: requireID())
    return ValuePlace(table: tableName, column: column.description, row: key)
  }
}
