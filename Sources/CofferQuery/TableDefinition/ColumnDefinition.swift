import CofferCore

/// A column that is being defined; see ``TableDefinition/column(_:_:)``.
///
/// ```swift
/// t.column("email", .text).notNull().unique().collate(.nocase)
/// // "email" TEXT NOT NULL UNIQUE COLLATE NOCASE
/// ```
public final class ColumnDefinition {
  /// How a generated column gets its values; see ``generatedAs(_:_:)``.
  public enum GeneratedColumnQualification: Hashable, Sendable {
    /// They are computed when they are read.
    case virtual
    /// They are computed when the row is written, and stored.
    case stored
  }

  struct Key {
    var conflict: Database.ConflictResolution?
    var autoincrement = false
  }

  /// A reference to one column, or to the primary key of a table.
  struct Reference {
    var table: String
    var column: String?
    var actions: ReferenceActions
  }

  let name: String
  let type: Database.ColumnType?
  private(set) var key: Key?
  /// Nil where there is no such constraint.
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

  /// Whether an index is to be created besides the table.
  var needsIndex: Bool { isIndexed && uniqueness == nil }

  // MARK: Keys and constraints

  /// Makes the column the primary key.
  ///
  /// - Parameter autoincrement: Whether rowids of deleted rows are never used again; for `INTEGER`
  ///   columns only.
  @discardableResult
  public func primaryKey(
    onConflict conflictResolution: Database.ConflictResolution? = nil, autoincrement: Bool = false
  ) -> Self {
    key = Key(conflict: conflictResolution, autoincrement: autoincrement)
    return self
  }

  /// Refuses NULL.
  @discardableResult
  public func notNull(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
    notNull = .some(conflictResolution)
    return self
  }

  /// Refuses two rows with the same value, but for NULL.
  @discardableResult
  public func unique(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
    uniqueness = .some(conflictResolution)
    return self
  }

  /// Creates an index on the column, named `table_on_column`.
  ///
  /// A unique column has one already.
  @discardableResult
  public func indexed() -> Self {
    isIndexed = true
    return self
  }

  /// Refuses values for which a condition is false; NULL passes.
  ///
  /// ```swift
  /// t.column("score", .integer).check { $0 >= 0 }
  /// ```
  @discardableResult
  public func check(_ condition: (Column) -> any SQLExpressible) -> Self {
    checks.append(condition(Column(name)).sqlExpression)
    return self
  }

  /// Refuses values for which a condition is false; NULL passes.
  @discardableResult
  public func check(sql: String) -> Self {
    checks.append(SQLExpression(sql: SQL(sql: sql)))
    return self
  }

  // MARK: Values

  /// Sets the value of rows that are inserted without one.
  @discardableResult
  public func defaults(to value: some DatabaseValueConvertible) -> Self {
    defaultSQL = value.databaseValue.sqlExpression
    return self
  }

  /// Sets the value of rows that are inserted without one, as SQL: `CURRENT_TIMESTAMP`, a literal,
  /// or an expression in parentheses.
  @discardableResult
  public func defaults(sql: String) -> Self {
    defaultSQL = SQLExpression(sql: SQL(sql: sql))
    return self
  }

  /// Sets how texts are compared.
  @discardableResult
  public func collate(_ collation: Database.CollationName) -> Self {
    self.collation = collation.rawValue
    return self
  }

  /// Sets how texts are compared; each connection that uses the column needs the collation.
  @discardableResult
  public func collate(_ collation: DatabaseCollation) -> Self {
    self.collation = collation.name
    return self
  }

  /// Computes the values from other columns. It needs SQLite 3.31.
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

  /// Computes the values from other columns. It needs SQLite 3.31.
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

  /// Makes the column refer to rows of a table.
  ///
  /// - Parameters:
  ///   - table: The other table, or the one that is being defined.
  ///   - column: The column there; nil for the primary key, for which the table must exist.
  ///   - deleteAction: What becomes of this row when the other one is deleted.
  ///   - updateAction: What becomes of this row when the other one gets another key.
  ///   - isDeferred: Whether violations are checked at the end of the transaction only.
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

/// It belongs to the definition that it was made by.
@available(*, unavailable)
extension ColumnDefinition: Sendable {}

/// What happens to a reference when what it refers to changes.
struct ReferenceActions {
  var onDelete: Database.ForeignKeyAction?
  var onUpdate: Database.ForeignKeyAction?
  var isDeferred: Bool

  /// `REFERENCES "table"("column") …`.
  func clause(table: String, columns: [String]) -> String {
    var sql = "REFERENCES \(table.quotedDatabaseIdentifier)(\(columns.quotedList))"
    if let onDelete { sql += " ON DELETE \(onDelete.rawValue)" }
    if let onUpdate { sql += " ON UPDATE \(onUpdate.rawValue)" }
    if isDeferred { sql += " DEFERRABLE INITIALLY DEFERRED" }
    return sql
  }
}

extension [String] {
  /// The names, quoted, with commas between them.
  var quotedList: String { map(\.quotedDatabaseIdentifier).joined(separator: ", ") }
}
