import CofferCore

/// A column of a table or a view; see ``Database/columns(in:in:)``.
public struct ColumnInfo: Sendable {
  /// The name as written in the table's definition.
  public let name: String

  /// The declared type as written; empty if there is none.
  public let type: String

  /// Whether the column has a NOT NULL constraint.
  ///
  /// False for an `INTEGER PRIMARY KEY` without one, although it is never NULL.
  public let isNotNull: Bool

  /// The default value as SQL; nil if there is none.
  public let defaultValueSQL: String?

  /// The 1-based position in the primary key; 0 if the column is not a part of it.
  public let primaryKeyIndex: Int

  /// SQLite's kind of hidden column.
  ///
  /// 1 for a hidden column of a virtual table, 2 and 3 for virtual and stored generated columns.
  private let hiddenKind: Int

  /// Whether `SELECT *` omits the column.
  var isHidden: Bool { hiddenKind == 1 }

  /// Whether the column is generated from others.
  package var isGenerated: Bool { hiddenKind == 2 || hiddenKind == 3 }
}

extension ColumnInfo {
  /// Creates a column from a row of `PRAGMA table_info` or `PRAGMA table_xinfo`.
  public init(row: Row) {
    func value<T: DatabaseValueConvertible>(_ name: String, _ type: T.Type) -> T? {
      row.hasColumn(name) ? T.fromDatabaseValue(row[name]) : nil
    }
    self.init(
      name: value("name", String.self) ?? "", type: value("type", String.self) ?? "",
      isNotNull: value("notnull", Int.self) ?? 0 != 0,
      defaultValueSQL: value("dflt_value", String.self),
      primaryKeyIndex: value("pk", Int.self) ?? 0, hiddenKind: value("hidden", Int.self) ?? 0)
  }

  /// Creates a column from the values of such a row, in order.
  init(_ values: [DatabaseValue]) {
    func int(_ index: Int) -> Int {
      values.indices.contains(index) ? Int.fromDatabaseValue(values[index]) ?? 0 : 0
    }
    self.init(
      name: String.fromDatabaseValue(values[1]) ?? "",
      type: String.fromDatabaseValue(values[2]) ?? "", isNotNull: int(3) != 0,
      defaultValueSQL: String.fromDatabaseValue(values[4]), primaryKeyIndex: int(5),
      hiddenKind: int(6))
  }
}
