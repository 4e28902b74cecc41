import CofferCore
import CofferQuery

/// An option of a column's definition, for tables created from a mapping: see ``Field``.
public struct FieldOption: Sendable {
  enum Kind: Sendable {
    case primaryKey
    case define(@Sendable (ColumnDefinition) -> Void)
    case type(Database.ColumnType)
  }

  let kind: Kind

  private init(_ kind: Kind) { self.kind = kind }

  private static func define(
    _ body: @escaping @Sendable (ColumnDefinition) -> Void
  ) -> FieldOption { FieldOption(.define(body)) }

  /// Makes the column the primary key, or part of it.
  ///
  /// If no column has this option, a column `id` is the primary key.
  public static var primaryKey: FieldOption { FieldOption(.primaryKey) }

  /// Makes the values unique, except NULL.
  public static var unique: FieldOption { define { $0.unique() } }

  /// Creates an index on the column.
  public static var indexed: FieldOption { define { $0.indexed() } }

  /// Sets the default value, for rows that are inserted by other means than records.
  public static func `default`(_ value: some DatabaseValueConvertible & Sendable) -> FieldOption {
    define { $0.defaults(to: value) }
  }

  /// Sets an SQL expression as the default, for rows that are inserted by other means than records.
  public static func `default`(sql: String) -> FieldOption { define { $0.defaults(sql: sql) } }

  /// Compares strings by a collation.
  public static func collate(_ collation: Database.CollationName) -> FieldOption {
    define { $0.collate(collation) }
  }

  /// Declares a type other than that derived from the property's type.
  public static func type(_ type: Database.ColumnType) -> FieldOption { FieldOption(.type(type)) }

  /// Rejects rows for which an SQL expression is neither true nor NULL.
  public static func check(sql: String) -> FieldOption { define { $0.check(sql: sql) } }

  /// Makes the column a foreign key.
  ///
  /// - Parameters:
  ///   - column: The referenced column; nil for the primary key, for which the table must exist.
  ///   - deleteAction: What happens to a row when the referenced row is deleted.
  ///   - updateAction: What happens to a row when the key of the referenced row changes.
  public static func references(
    _ table: String, column: String? = nil, onDelete deleteAction: Database.ForeignKeyAction? = nil,
    onUpdate updateAction: Database.ForeignKeyAction? = nil, deferred isDeferred: Bool = false
  ) -> FieldOption {
    define {
      $0.references(
        table, column: column, onDelete: deleteAction, onUpdate: updateAction, deferred: isDeferred)
    }
  }
}
