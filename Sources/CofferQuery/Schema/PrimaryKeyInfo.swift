/// The key that identifies the rows of a table; see ``Database/primaryKey(_:in:)``.
public struct PrimaryKeyInfo: Sendable {
  private enum Kind {
    /// No declared primary key: the rowid, by its name.
    case hiddenRowID
    /// A column that is an alias of the rowid.
    case rowID
    /// One or more columns.
    case columns
  }

  private let kind: Kind

  /// The columns, in the order of the key.
  ///
  /// A table without a declared key has `rowid`, or another name of the rowid if a column uses that
  /// name.
  public let columns: [String]

  /// The name that selects rows by their rowids; nil if there is none.
  package let rowIDName: String?

  private init(_ kind: Kind, _ columns: [String], rowIDName: String?) {
    self.kind = kind
    self.columns = columns
    self.rowIDName = rowIDName
  }

  static func hiddenRowID(_ name: String) -> PrimaryKeyInfo {
    PrimaryKeyInfo(.hiddenRowID, [name], rowIDName: name)
  }

  static func rowID(_ column: String) -> PrimaryKeyInfo {
    PrimaryKeyInfo(.rowID, [column], rowIDName: column)
  }

  static func columns(_ columns: [String], rowIDName: String?) -> PrimaryKeyInfo {
    PrimaryKeyInfo(.columns, columns, rowIDName: rowIDName)
  }

  /// Whether rows can be selected by their rowids.
  package var tableHasRowID: Bool { rowIDName != nil }

  /// The `INTEGER PRIMARY KEY` column, an alias of the rowid; nil if there is none.
  public var rowIDColumn: String? { kind == .rowID ? columns.first : nil }

  /// Whether the key is the rowid, with or without a column for it.
  public var isRowID: Bool { kind != .columns }

  /// Whether the key is the rowid, and `SELECT *` omits it.
  var isHiddenRowID: Bool { kind == .hiddenRowID }

  /// The only column of the key; nil if there are several.
  package var singleColumn: String? { columns.count == 1 ? columns[0] : nil }
}
