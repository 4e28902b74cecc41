/// How a table is created; see ``Database/create(table:options:body:)``.
public struct TableOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int

  /// The options with these bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Nothing happens if the table exists.
  public static let ifNotExists = TableOptions(rawValue: 1)
  /// The table belongs to the connection, and goes with it.
  public static let temporary = TableOptions(rawValue: 2)
  /// Rows are stored by their primary key: <https://sqlite.org/withoutrowid.html>.
  public static let withoutRowID = TableOptions(rawValue: 4)
  /// Values must have the types of their columns: <https://sqlite.org/stricttables.html>.
  ///
  /// It needs SQLite 3.37.
  public static let strict = TableOptions(rawValue: 8)
}

/// How a view is created; see ``Database/create(view:options:columns:as:)``.
public struct ViewOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int

  /// The options with these bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Nothing happens if the view exists.
  public static let ifNotExists = ViewOptions(rawValue: 1)
  /// The view belongs to the connection, and goes with it.
  public static let temporary = ViewOptions(rawValue: 2)
}

/// How an index is created; see ``Database/create(indexOn:columns:options:condition:)``.
public struct IndexOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int

  /// The options with these bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Nothing happens if the index exists.
  public static let ifNotExists = IndexOptions(rawValue: 1)
  /// No two rows can have the same values, but for NULLs.
  public static let unique = IndexOptions(rawValue: 2)
}
