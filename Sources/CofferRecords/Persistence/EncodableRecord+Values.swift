extension EncodableRecord {
  /// What the record stores, column by column.
  ///
  /// - Throws: What `encode(to:)` throws.
  package func encodedColumns() throws -> PersistenceContainer { try PersistenceContainer(self) }
}
