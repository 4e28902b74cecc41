extension EncodableRecord {
  /// Returns the columns that the record stores, with their values.
  ///
  /// - Throws: The error of `encode(to:)`.
  package func encodedColumns() throws -> PersistenceContainer { try PersistenceContainer(self) }
}
