extension MigrationRule {
  /// Declares an index on several properties, for queries that filter and order by them.
  ///
  /// ```swift
  /// static var migrationRules: [MigrationRule<Book>] {
  ///   [.index(\.author, \.title), .unique(\.shelf, \.place)]
  /// }
  /// ```
  ///
  /// It also serves queries of the first properties alone. If the rule is removed, the index is
  /// dropped. Properties of stored structs are allowed. For a single property, use ``Index``.
  public static func index(
    _ first: PartialKeyPath<Document>, _ others: PartialKeyPath<Document>...
  ) -> MigrationRule {
    MigrationRule { .index(try ([first] + others).map { try place($0) }, isUnique: false) }
  }

  /// Makes the values of several properties unique in combination.
  ///
  /// Nil equals nothing: documents in which one of the properties is nil can have the same values.
  /// If two documents have the same values when the rule is added, ``DocumentStore/collection(_:)``
  /// throws and changes nothing. For a single property, use ``Unique``.
  public static func unique(
    _ first: PartialKeyPath<Document>, _ others: PartialKeyPath<Document>...
  ) -> MigrationRule {
    MigrationRule { .index(try ([first] + others).map { try place($0) }, isUnique: true) }
  }
}
