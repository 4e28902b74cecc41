/// Options for creating a table; see ``Database/create(table:options:body:)``.
public struct TableOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int

  /// Creates options from bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Does nothing if the table exists.
  public static let ifNotExists = TableOptions(rawValue: 1)
  /// Creates a table that is private to the connection and deleted with it.
  public static let temporary = TableOptions(rawValue: 2)
  /// Rows are stored by their primary key: <https://sqlite.org/withoutrowid.html>.
  public static let withoutRowID = TableOptions(rawValue: 4)
  /// Requires values to have the types of their columns: <https://sqlite.org/stricttables.html>.
  ///
  /// Needs SQLite 3.37.
  public static let strict = TableOptions(rawValue: 8)
}

/// Options for creating a view; see ``Database/create(view:options:columns:as:)``.
public struct ViewOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int

  /// Creates options from bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Does nothing if the view exists.
  public static let ifNotExists = ViewOptions(rawValue: 1)
  /// Creates a view that is private to the connection and deleted with it.
  public static let temporary = ViewOptions(rawValue: 2)
}

/// Options for creating an index; see ``Database/create(indexOn:columns:options:condition:)``.
public struct IndexOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int

  /// Creates options from bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Does nothing if the index exists.
  public static let ifNotExists = IndexOptions(rawValue: 1)
  /// Rejects rows with equal values, except for NULLs.
  public static let unique = IndexOptions(rawValue: 2)
}
