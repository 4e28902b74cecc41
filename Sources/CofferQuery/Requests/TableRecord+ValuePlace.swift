import CofferCore

extension TableRecord {
  /// Returns the place of a property's value, for an ``EncryptedValue``.
  ///
  /// ```swift
  /// let body = try cipher.seal("a secret", at: Note.valuePlace(of: \.body, row: id))
  /// ```
  ///
  /// - Parameter row: The row's primary key: see ``ValuePlace/init(table:column:row:)``.
  /// - Throws: ``DatabaseError`` if the key path isn't that of a stored property of the record.
  public static func valuePlace(
    of property: PartialKeyPath<Self>, row: any DatabaseValueConvertible...
  ) throws(DatabaseError) -> ValuePlace {
    let column = try ColumnNames.name(of: property, in: Self.self)
    return ValuePlace(table: databaseTableName, column: column, key: row)
  }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
  /// Returns the place of a property's value in the record's row, for an ``EncryptedValue``.
  ///
  /// ```swift
  /// let text = try cipher.open(note.body, at: note.valuePlace(of: \.body))
  /// ```
  ///
  /// The row's key is the record's `id`. While it is nil, values can neither be sealed nor opened.
  /// - Throws: ``DatabaseError`` if the key path isn't that of a stored property of the record.
  public func valuePlace(of property: PartialKeyPath<Self>) throws(DatabaseError) -> ValuePlace {
    try Self.valuePlace(of: property, row: id)
  }
}
