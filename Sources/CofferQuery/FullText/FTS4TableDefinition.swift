import CofferCore

/// The columns and the options of an ``FTS4`` table.
public final class FTS4TableDefinition {
  enum ContentMode {
    /// The value of the `content` option; nil if the table stores the content.
    case raw(String?)
    /// The content is in another table, and triggers keep the index up to date.
    case synchronized(String)
  }

  let configuration: VirtualTableConfiguration
  var columns: [FTS4ColumnDefinition] = []
  var contentMode = ContentMode.raw(nil)

  init(configuration: VirtualTableConfiguration) { self.configuration = configuration }

  /// The tokenizer; nil for `simple`.
  public var tokenizer: FTS3TokenizerDescriptor?

  /// The table that stores the content; an empty string if none does.
  ///
  /// You have to update the index then; ``synchronize(withTable:)`` sets up triggers for it.
  /// <https://sqlite.org/fts3.html#the_content_option_>
  public var content: String? {
    get {
      switch contentMode {
      case .raw(let content): content
      case .synchronized(let table): table
      }
    }
    set { contentMode = .raw(newValue) }
  }

  /// The SQL function that compresses stored texts.
  ///
  /// <https://sqlite.org/fts3.html#the_compress_and_uncompress_options>
  public var compress: String?

  /// The SQL function that reverses ``compress``.
  public var uncompress: String?

  /// `fts3` for an index without the sizes of documents.
  ///
  /// <https://sqlite.org/fts3.html#the_matchinfo_option>
  public var matchinfo: String?

  /// The lengths, in characters, of prefixes to index for fast prefix searches.
  ///
  /// <https://sqlite.org/fts3.html#the_prefix_option>
  public var prefixes: Set<Int>?

  /// Adds a column. A table without any gets one named `content`.
  @discardableResult
  public func column(_ name: String) -> FTS4ColumnDefinition {
    let column = FTS4ColumnDefinition(name: name)
    columns.append(column)
    return column
  }

  /// Makes the table an index of the columns of the same names in another table.
  ///
  /// The existing content is indexed immediately; triggers apply inserts, updates and deletes, also
  /// those of rows that give way to a `REPLACE`. The triggers know the unique keys that the other
  /// table has now: after creating a unique index in SQL, call
  /// ``Database/resynchronize(virtualTable:)``. In FTS4 only, a row that `UPDATE OR IGNORE` leaves
  /// unchanged because of `NOT NULL` or `CHECK` is no longer found; `'rebuild'` repairs it:
  ///
  /// ```swift
  /// try db.execute(sql: "INSERT INTO book_ft(book_ft) VALUES ('rebuild')")
  /// ```
  ///
  /// The triggers note the rows that give way in an additional table, which is otherwise empty.
  ///
  /// Give the other table an `INTEGER PRIMARY KEY`: without one, `VACUUM` may change its rowids,
  /// and the index would refer to other rows.
  public func synchronize(withTable tableName: String) {
    contentMode = .synchronized(tableName)
  }
}

/// A column of an ``FTS4`` table.
public final class FTS4ColumnDefinition {
  let name: String
  private(set) var isIndexed = true
  private(set) var isLanguageID = false

  init(name: String) { self.name = name }

  /// Stores the column without indexing it.
  @discardableResult
  public func notIndexed() -> Self {
    isIndexed = false
    return self
  }

  /// Makes the column hold the number of the text's language.
  ///
  /// <https://sqlite.org/fts3.html#the_languageid_option>
  @discardableResult
  public func asLanguageId() -> Self {
    isLanguageID = true
    return self
  }
}
