/// What tells the rows of a table apart; see ``Database/primaryKey(_:in:)``.
public struct PrimaryKeyInfo: Sendable {
  private enum Kind {
    /// No primary key was declared: the rowid under its own name.
    case hiddenRowID
    /// A column that is another name of the rowid.
    case rowID
    /// One or more columns.
    case columns
  }

  private let kind: Kind

  /// The columns, in the order of the key.
  ///
  /// A table without a declared key has `rowid`, or another of the rowid's names where a column
  /// has taken that one.
  public let columns: [String]

  /// The column or the name by which rows can be found by their rowids; nil for none.
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

  /// Whether rows can be found by their rowids.
  package var tableHasRowID: Bool { rowIDName != nil }

  /// The `INTEGER PRIMARY KEY` column, which is another name of the rowid; nil for none.
  public var rowIDColumn: String? { kind == .rowID ? columns.first : nil }

  /// Whether the key is the rowid, under its own name or a column's.
  public var isRowID: Bool { kind != .columns }

  /// Whether the key is the rowid, and `SELECT *` leaves it out.
  var isHiddenRowID: Bool { kind == .hiddenRowID }

  /// The column by which one row is found, nil for a key of several.
  package var singleColumn: String? { columns.count == 1 ? columns[0] : nil }
}
