import CofferCore

/// The columns and the options of an ``FTS5`` table.
public final class FTS5TableDefinition {
  let configuration: VirtualTableConfiguration
  var columns: [FTS5ColumnDefinition] = []
  private(set) var isSynchronized = false

  init(configuration: VirtualTableConfiguration) { self.configuration = configuration }

  /// How texts are split into words; nil for `unicode61`.
  public var tokenizer: FTS5TokenizerDescriptor?

  /// The table that has the content; an empty string where none keeps it.
  ///
  /// You keep the index up to date yourself then; ``synchronize(withTable:)``
  /// does it for you.
  /// <https://sqlite.org/fts5.html#external_content_and_contentless_tables>
  public var content: String? {
    didSet { isSynchronized = false }
  }

  /// The column of the content table that is its rowid; nil for `rowid`.
  ///
  /// ``synchronize(withTable:)`` finds it by itself.
  public var contentRowID: String?

  /// The lengths of the prefixes that have an index of their own, in characters,
  /// so that searches for them are fast. <https://sqlite.org/fts5.html#prefix_indexes>
  public var prefixes: Set<Int>?

  /// 0 for an index without the sizes of texts, which ranks slowly.
  ///
  /// <https://sqlite.org/fts5.html#the_columnsize_option>
  public var columnSize: Int?

  /// `full`, `column` or `none`: how much the index knows of where words are.
  ///
  /// <https://sqlite.org/fts5.html#the_detail_option>
  public var detail: String?

  /// Adds a column; a table has at least one.
  @discardableResult
  public func column(_ name: String) -> FTS5ColumnDefinition {
    let column = FTS5ColumnDefinition(name: name)
    columns.append(column)
    return column
  }

  /// Makes the table an index of another table's columns, which have the same names.
  ///
  /// What is in the other table is indexed at once; triggers follow its inserts,
  /// updates and deletes. `REPLACE` deletes rows without a trigger, unless
  /// `PRAGMA recursive_triggers` is on: without it, the words of rows replaced
  /// in that way can still be found.
  ///
  /// Give the other table an `INTEGER PRIMARY KEY`: `VACUUM` may change the rowids of
  /// tables without one, and the index would be about other rows.
  public func synchronize(withTable tableName: String) {
    content = tableName
    isSynchronized = true
  }

  func contentRowIDColumn(_ db: Database) throws -> String? {
    if let contentRowID { return contentRowID }
    guard isSynchronized, let content else { return nil }
    return try db.fullTextRowIDColumn(of: content)
  }
}

/// A column of an ``FTS5`` table.
public final class FTS5ColumnDefinition {
  let name: String
  private(set) var isIndexed = true

  init(name: String) { self.name = name }

  /// Stores the column, and doesn't search it.
  @discardableResult
  public func notIndexed() -> Self {
    isIndexed = false
    return self
  }
}
