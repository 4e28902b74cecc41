import CofferCore

/// The definition of a column; see ``TableDefinition/column(_:_:)``.
///
/// ```swift
/// t.column("email", .text).notNull().unique().collate(.nocase)
/// // "email" TEXT NOT NULL UNIQUE COLLATE NOCASE
/// ```
public final class ColumnDefinition {
  /// When the values of a generated column are computed; see ``generatedAs(_:_:)``.
  public enum GeneratedColumnQualification: Hashable, Sendable {
    /// Values are computed when they are read.
    case virtual
    /// Values are computed when the row is written, and stored.
    case stored
  }

  struct Key {
    var conflict: Database.ConflictResolution?
    var autoincrement = false
  }

  /// A reference to a column, or to the primary key of a table.
  struct Reference {
    var table: String
    var column: String?
    var actions: ReferenceActions
  }

  let name: String
  let type: Database.ColumnType?
  private(set) var key: Key?
  /// The conflict resolution of the constraint; nil without the constraint.
  private(set) var notNull: Database.ConflictResolution??
  private(set) var uniqueness: Database.ConflictResolution??
  private(set) var checks: [SQLExpression] = []
  private(set) var defaultSQL: SQLExpression?
  private(set) var collation: String?
  private(set) var references: [Reference] = []
  private(set) var generation: (SQLExpression, GeneratedColumnQualification)?
  private var isIndexed = false

  init(_ name: String, _ type: Database.ColumnType?) {
    self.name = name
    self.type = type
  }

  /// Whether a separate index must be created.
  var needsIndex: Bool { isIndexed && uniqueness == nil }

  // MARK: Keys and constraints

  /// Makes the column the primary key.
  ///
  /// - Parameter autoincrement: Whether rowids of deleted rows are never reused; only for `INTEGER`
  ///   columns.
  @discardableResult
  public func primaryKey(
    onConflict conflictResolution: Database.ConflictResolution? = nil, autoincrement: Bool = false
  ) -> Self {
    key = Key(conflict: conflictResolution, autoincrement: autoincrement)
    return self
  }

  /// Adds a NOT NULL constraint.
  @discardableResult
  public func notNull(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
    notNull = .some(conflictResolution)
    return self
  }

  /// Adds a unique constraint; several rows can have NULL.
  @discardableResult
  public func unique(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
    uniqueness = .some(conflictResolution)
    return self
  }

  /// Creates an index on the column, named `table_on_column`.
  ///
  /// Unique columns already have an index.
  @discardableResult
  public func indexed() -> Self {
    isIndexed = true
    return self
  }

  /// Adds a check constraint, which rejects values for which the condition is false, but not NULL.
  ///
  /// ```swift
  /// t.column("score", .integer).check { $0 >= 0 }
  /// ```
  @discardableResult
  public func check(_ condition: (Column) -> any SQLExpressible) -> Self {
    checks.append(condition(Column(name)).sqlExpression)
    return self
  }

  /// Adds a check constraint, which rejects values for which the condition is false, but not NULL.
  @discardableResult
  public func check(sql: String) -> Self {
    checks.append(SQLExpression(sql: SQL(sql: sql)))
    return self
  }

  // MARK: Values

  /// Sets the default value for inserted rows.
  @discardableResult
  public func defaults(to value: some DatabaseValueConvertible) -> Self {
    defaultSQL = value.databaseValue.sqlExpression
    return self
  }

  /// Sets the default value as SQL.
  ///
  /// It can be `CURRENT_TIMESTAMP`, a literal, or an expression in parentheses.
  @discardableResult
  public func defaults(sql: String) -> Self {
    defaultSQL = SQLExpression(sql: SQL(sql: sql))
    return self
  }

  /// Sets the collation for comparing texts.
  @discardableResult
  public func collate(_ collation: Database.CollationName) -> Self {
    self.collation = collation.rawValue
    return self
  }

  /// Sets the collation for comparing texts. Each connection that uses the column needs it.
  @discardableResult
  public func collate(_ collation: DatabaseCollation) -> Self {
    self.collation = collation.name
    return self
  }

  /// Makes the column generated from other columns. Needs SQLite 3.31.
  ///
  /// ```swift
  /// t.column("total", .integer).generatedAs(sql: "score + bonus")
  /// ```
  @discardableResult
  public func generatedAs(
    sql: String, _ qualification: GeneratedColumnQualification = .virtual
  ) -> Self {
    generation = (SQLExpression(sql: SQL(sql: sql)), qualification)
    return self
  }

  /// Makes the column generated from other columns. Needs SQLite 3.31.
  ///
  /// ```swift
  /// t.column("total", .integer).generatedAs(Column("score") + Column("bonus"))
  /// ```
  @discardableResult
  public func generatedAs(
    _ expression: some SQLExpressible, _ qualification: GeneratedColumnQualification = .virtual
  ) -> Self {
    generation = (expression.sqlExpression, qualification)
    return self
  }

  // MARK: References

  /// Makes the column a foreign key.
  ///
  /// - Parameters:
  ///   - table: The referenced table, which can be the one being defined.
  ///   - column: The referenced column; nil for the primary key of an existing table.
  ///   - deleteAction: What happens to this row when the referenced row is deleted.
  ///   - updateAction: What happens to this row when the referenced key changes.
  ///   - isDeferred: Whether violations are only checked at the end of the transaction.
  @discardableResult
  public func references(
    _ table: String, column: String? = nil, onDelete deleteAction: Database.ForeignKeyAction? = nil,
    onUpdate updateAction: Database.ForeignKeyAction? = nil, deferred isDeferred: Bool = false
  ) -> Self {
    let actions = ReferenceActions(
      onDelete: deleteAction, onUpdate: updateAction, isDeferred: isDeferred)
    references.append(Reference(table: table, column: column, actions: actions))
    return self
  }
}

/// A column definition belongs to its table definition.
@available(*, unavailable)
extension ColumnDefinition: Sendable {}

/// What happens to a reference when the referenced row changes.
struct ReferenceActions {
  var onDelete: Database.ForeignKeyAction?
  var onUpdate: Database.ForeignKeyAction?
  var isDeferred: Bool

  /// Returns `REFERENCES "table"("column") …`.
  func clause(table: String, columns: [String]) -> String {
    var sql = "REFERENCES \(table.quotedDatabaseIdentifier)(\(columns.quotedList))"
    if let onDelete { sql += " ON DELETE \(onDelete.rawValue)" }
    if let onUpdate { sql += " ON UPDATE \(onUpdate.rawValue)" }
    if isDeferred { sql += " DEFERRABLE INITIALLY DEFERRED" }
    return sql
  }
}

extension [String] {
  /// The names, quoted and separated by commas.
  var quotedList: String { map(\.quotedDatabaseIdentifier).joined(separator: ", ") }
}
