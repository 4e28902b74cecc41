extension MigrationRule {
  /// An index on several properties together, for queries that filter and order by them.
  ///
  /// ```swift
  /// static var migrationRules: [MigrationRule<Book>] {
  ///   [.index(\.author, \.title), .unique(\.shelf, \.place)]
  /// }
  /// ```
  ///
  /// It serves queries of the first properties as well. Without the rule, it is dropped. Properties
  /// of stored structs may be among them. For a single property, there is ``Index``.
  public static func index(
    _ first: PartialKeyPath<Document>, _ others: PartialKeyPath<Document>...
  ) -> MigrationRule {
    MigrationRule { .index(try ([first] + others).map { try place($0) }, isUnique: false) }
  }

  /// No two documents have the same values in these properties, all together.
  ///
  /// Nil is no value: documents in which one of the properties is nil may be alike. Where the rule is
  /// added, and two documents are alike, ``DocumentStore/collection(_:)`` throws and changes nothing.
  /// For a single property, there is ``Unique``.
  public static func unique(
    _ first: PartialKeyPath<Document>, _ others: PartialKeyPath<Document>...
  ) -> MigrationRule {
    MigrationRule { .index(try ([first] + others).map { try place($0) }, isUnique: true) }
  }
}
