import CofferCore

/// The columns and the options of an ``FTS5`` table.
public final class FTS5TableDefinition {
  let configuration: VirtualTableConfiguration
  var columns: [FTS5ColumnDefinition] = []
  private(set) var isSynchronized = false

  init(configuration: VirtualTableConfiguration) { self.configuration = configuration }

  /// The tokenizer; nil for `unicode61`.
  public var tokenizer: FTS5TokenizerDescriptor?

  /// The table that stores the content; an empty string if none does.
  ///
  /// You have to update the index then; ``synchronize(withTable:)`` sets up triggers for it.
  /// <https://sqlite.org/fts5.html#external_content_and_contentless_tables>
  public var content: String? {
    didSet { isSynchronized = false }
  }

  /// The column of the content table that is its rowid; nil for `rowid`.
  ///
  /// ``synchronize(withTable:)`` finds it automatically.
  public var contentRowID: String?

  /// The lengths, in characters, of prefixes to index for fast prefix searches.
  ///
  /// <https://sqlite.org/fts5.html#prefix_indexes>
  public var prefixes: Set<Int>?

  /// 0 for an index without the sizes of texts, with slow ranking.
  ///
  /// <https://sqlite.org/fts5.html#the_columnsize_option>
  public var columnSize: Int?

  /// `full`, `column` or `none`: how precisely the index records the positions of words.
  ///
  /// With any other text, the table isn't created.
  /// <https://sqlite.org/fts5.html#the_detail_option>
  public var detail: String?

  /// Adds a column; a table needs at least one.
  @discardableResult
  public func column(_ name: String) -> FTS5ColumnDefinition {
    let column = FTS5ColumnDefinition(name: name)
    columns.append(column)
    return column
  }

  /// Makes the table an index of the columns of the same names in another table.
  ///
  /// The existing content is indexed immediately; triggers apply inserts, updates and deletes, also
  /// those of rows that give way to a `REPLACE`. The triggers know the unique keys that the other
  /// table has now: after creating a unique index in SQL, call
  /// ``Database/resynchronize(virtualTable:)``.
  ///
  /// The triggers note the rows that give way in an additional table, which is otherwise empty.
  ///
  /// Give the other table an `INTEGER PRIMARY KEY`: without one, `VACUUM` may change its rowids,
  /// and the index would refer to other rows.
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

  /// Stores the column without indexing it.
  @discardableResult
  public func notIndexed() -> Self {
    isIndexed = false
    return self
  }
}
