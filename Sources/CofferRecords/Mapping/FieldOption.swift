import CofferCore
import CofferQuery

/// What a column is defined with, where a mapping creates its table: see ``Field``.
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

  /// The column is the primary key, or belongs to it. Without it, that is the column `id`, if there
  /// is one.
  public static var primaryKey: FieldOption { FieldOption(.primaryKey) }

  /// No two rows have the same value, but for NULL.
  public static var unique: FieldOption { define { $0.unique() } }

  /// The column has an index.
  public static var indexed: FieldOption { define { $0.indexed() } }

  /// Rows that are inserted by other means than records have this value.
  public static func `default`(_ value: some DatabaseValueConvertible & Sendable) -> FieldOption {
    define { $0.defaults(to: value) }
  }

  /// Rows that are inserted by other means than records have the value of an SQL expression.
  public static func `default`(sql: String) -> FieldOption { define { $0.defaults(sql: sql) } }

  /// Texts are compared by a collation.
  public static func collate(_ collation: Database.CollationName) -> FieldOption {
    define { $0.collate(collation) }
  }

  /// The column is declared with another type than the one that follows from the property's.
  public static func type(_ type: Database.ColumnType) -> FieldOption { FieldOption(.type(type)) }

  /// Rows with another value than true or NULL of an SQL expression are refused.
  public static func check(sql: String) -> FieldOption { define { $0.check(sql: sql) } }

  /// The column refers to rows of a table.
  ///
  /// - Parameters:
  ///   - column: The column there; nil for the primary key, for which the table must exist.
  ///   - deleteAction: What becomes of a row when the other one is deleted.
  ///   - updateAction: What becomes of a row when the other one gets another key.
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
