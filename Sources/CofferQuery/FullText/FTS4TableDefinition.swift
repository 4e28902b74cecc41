import CofferCore

/// The columns and the options of an ``FTS4`` table.
public final class FTS4TableDefinition {
  enum ContentMode {
    /// What `content=` says; nil where the table keeps its content itself.
    case raw(String?)
    /// The content is another table's, and followed by triggers.
    case synchronized(String)
  }

  let configuration: VirtualTableConfiguration
  var columns: [FTS4ColumnDefinition] = []
  var contentMode = ContentMode.raw(nil)

  init(configuration: VirtualTableConfiguration) { self.configuration = configuration }

  /// How texts are split into words; nil for `simple`.
  public var tokenizer: FTS3TokenizerDescriptor?

  /// The table that has the content; an empty string where none keeps it.
  ///
  /// You keep the index up to date yourself then; ``synchronize(withTable:)``
  /// does it for you. <https://sqlite.org/fts3.html#the_content_option_>
  public var content: String? {
    get {
      switch contentMode {
      case .raw(let content): content
      case .synchronized(let table): table
      }
    }
    set { contentMode = .raw(newValue) }
  }

  /// The SQL function that makes stored texts smaller.
  ///
  /// <https://sqlite.org/fts3.html#the_compress_and_uncompress_options>
  public var compress: String?

  /// The SQL function that undoes ``compress``.
  public var uncompress: String?

  /// `fts3` for an index without the sizes of documents.
  ///
  /// <https://sqlite.org/fts3.html#the_matchinfo_option>
  public var matchinfo: String?

  /// The lengths of the prefixes that have an index of their own, in characters,
  /// so that searches for them are fast.
  ///
  /// <https://sqlite.org/fts3.html#the_prefix_option>
  public var prefixes: Set<Int>?

  /// Adds a column; without any, the table has one, named `content`.
  @discardableResult
  public func column(_ name: String) -> FTS4ColumnDefinition {
    let column = FTS4ColumnDefinition(name: name)
    columns.append(column)
    return column
  }

  /// Makes the table an index of another table's columns, which have the same names.
  ///
  /// What is in the other table is indexed at once; triggers follow its inserts,
  /// updates and deletes. `REPLACE` deletes rows without a trigger, unless
  /// `PRAGMA recursive_triggers` is on: without it, the words of rows replaced
  /// in that way can still be found. And a row that `UPDATE OR IGNORE` leaves as it is
  /// can't be found any more, in FTS4 alone. `'rebuild'` mends both:
  ///
  /// ```swift
  /// try db.execute(sql: "INSERT INTO book_ft(book_ft) VALUES ('rebuild')")
  /// ```
  ///
  /// Give the other table an `INTEGER PRIMARY KEY`: `VACUUM` may change the rowids of
  /// tables without one, and the index would be about other rows.
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

  /// Stores the column, and doesn't search it.
  @discardableResult
  public func notIndexed() -> Self {
    isIndexed = false
    return self
  }

  /// Makes the column the number of the text's language.
  ///
  /// <https://sqlite.org/fts3.html#the_languageid_option>
  @discardableResult
  public func asLanguageId() -> Self {
    isLanguageID = true
    return self
  }
}
