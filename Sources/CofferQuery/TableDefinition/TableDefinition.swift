import CofferCore

/// The definition of a table; see ``Database/create(table:options:body:)``.
///
/// ```swift
/// try db.create(table: "player") { t in
///   t.autoIncrementedPrimaryKey("id")
///   t.column("name", .text).notNull()
///   t.belongsTo("team", onDelete: .cascade)
/// }
/// ```
public final class TableDefinition {
  enum Element {
    case column(ColumnDefinition, isInKey: Bool)
    case foreignKey(ForeignKeyDefinition, isInKey: Bool)
    case literal(SQLExpression)

    var isInKey: Bool {
      switch self {
      case .column(_, let isInKey), .foreignKey(_, let isInKey): isInKey
      case .literal: false
      }
    }
  }

  /// A primary key; its columns are nil if they are defined in its body.
  struct PrimaryKey {
    var columns: [String]?
    var conflict: Database.ConflictResolution?
  }

  /// A foreign key of the table, or of a `belongsTo` with several columns.
  struct ForeignKey {
    var columns: [String]
    var table: String
    var destination: [String]?
    var actions: ReferenceActions
  }

  let name: String
  private(set) var elements: [Element] = []
  private(set) var primaryKey: PrimaryKey?
  private(set) var uniqueKeys: [(columns: [String], conflict: Database.ConflictResolution?)] = []
  private(set) var foreignKeys: [ForeignKey] = []
  private(set) var checks: [SQLExpression] = []
  private(set) var constraints: [SQLExpression] = []
  private var isInKeyBody = false
  /// The error to throw for an invalid definition.
  private(set) var mistake: DatabaseError?

  init(_ name: String) { self.name = name }

  // MARK: Columns

  /// Adds a column.
  ///
  /// - Parameter type: The type; nil for none, so that values are stored without conversion.
  @discardableResult
  public func column(_ name: String, _ type: Database.ColumnType? = nil) -> ColumnDefinition {
    let column = ColumnDefinition(name, type)
    elements.append(.column(column, isInKey: isInKeyBody))
    if isInKeyBody { column.notNull() }
    return column
  }

  /// Adds a column, written in SQL.
  public func column(sql: String) { column(literal: SQL(sql: sql)) }

  /// Adds a column, in SQL with interpolated values.
  ///
  /// ```swift
  /// t.column(literal: "name TEXT DEFAULT \(defaultName)")
  /// ```
  public func column(literal: SQL) {
    elements.append(.literal(SQLExpression(sql: literal)))
  }

  /// Adds columns that reference the primary key of another table.
  ///
  /// ```swift
  /// t.belongsTo("team")  // "teamId" INTEGER REFERENCES "team"("id")
  /// t.belongsTo("captain", inTable: "player")  // "captainId" INTEGER REFERENCES "player"("id")
  /// ```
  ///
  /// The columns have names derived from the primary key's, and their types. An index on them is
  /// created too, unless they are the primary key.
  /// - Parameters:
  ///   - name: The prefix of the columns' names.
  ///   - table: The referenced table, which must exist or be the one being defined; nil for the one
  ///     named `name`, singular or plural.
  ///   - deleteAction: What happens to this row when the referenced row is deleted.
  ///   - updateAction: What happens to this row when the referenced key changes.
  ///   - isDeferred: Whether violations are only checked at the end of the transaction.
  ///   - indexed: Whether an index is created.
  @discardableResult
  public func belongsTo(
    _ name: String, inTable table: String? = nil,
    onDelete deleteAction: Database.ForeignKeyAction? = nil,
    onUpdate updateAction: Database.ForeignKeyAction? = nil, deferred isDeferred: Bool = false,
    indexed: Bool = true
  ) -> ForeignKeyDefinition {
    let actions = ReferenceActions(
      onDelete: deleteAction, onUpdate: updateAction, isDeferred: isDeferred)
    let key = ForeignKeyDefinition(name, table: table, actions: actions, isIndexed: indexed)
    elements.append(.foreignKey(key, isInKey: isInKeyBody))
    if isInKeyBody { key.notNull() }
    return key
  }

  // MARK: The primary key

  /// Adds a column `INTEGER PRIMARY KEY AUTOINCREMENT`.
  ///
  /// SQLite assigns numbers to inserted rows, and never reuses them.
  @discardableResult
  public func autoIncrementedPrimaryKey(
    _ name: String, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) -> ColumnDefinition {
    column(name, .integer).primaryKey(onConflict: conflictResolution, autoincrement: true)
  }

  /// Adds a primary key column.
  ///
  /// It is NOT NULL. An `.integer` column gets a number when a row is inserted with NULL.
  @discardableResult
  public func primaryKey(
    _ name: String, _ type: Database.ColumnType,
    onConflict conflictResolution: Database.ConflictResolution? = nil
  ) -> ColumnDefinition {
    let column = column(name, type).primaryKey(onConflict: conflictResolution)
    return type.rawValue.isSameName(as: "INTEGER") ? column : column.notNull()
  }

  /// Makes the columns defined in `body` the primary key, with NOT NULL constraints.
  ///
  /// ```swift
  /// t.primaryKey {
  ///   t.belongsTo("team")
  ///   t.column("number", .integer)
  /// }
  /// ```
  public func primaryKey(
    onConflict conflictResolution: Database.ConflictResolution? = nil, body: () throws -> Void
  ) rethrows {
    setPrimaryKey(PrimaryKey(conflict: conflictResolution))
    let wasInKeyBody = isInKeyBody
    isInKeyBody = true
    defer { isInKeyBody = wasInKeyBody }
    try body()
  }

  /// Makes columns that are defined elsewhere the primary key.
  public func primaryKey(
    _ columns: [String], onConflict conflictResolution: Database.ConflictResolution? = nil
  ) {
    setPrimaryKey(PrimaryKey(columns: columns, conflict: conflictResolution))
  }

  private func setPrimaryKey(_ key: PrimaryKey) {
    if primaryKey != nil {
      mistake = DatabaseError(
        resultCode: .SQLITE_ERROR,
        message: "table \(name.quotedDatabaseIdentifier) has more than one primary key",
        hint: "Define all of its columns in one `primaryKey { … }`.")
    }
    primaryKey = key
  }

  // MARK: Constraints

  /// Adds a unique constraint on columns; several rows can have NULLs.
  public func uniqueKey(
    _ columns: [String], onConflict conflictResolution: Database.ConflictResolution? = nil
  ) {
    uniqueKeys.append((columns, conflictResolution))
  }

  /// Adds a foreign key.
  ///
  /// - Parameters:
  ///   - table: The referenced table, which can be the one being defined.
  ///   - destinationColumns: The referenced columns; nil for the primary key of an existing table.
  ///   - deleteAction: What happens to this row when the referenced row is deleted.
  ///   - updateAction: What happens to this row when the referenced key changes.
  ///   - isDeferred: Whether violations are only checked at the end of the transaction.
  public func foreignKey(
    _ columns: [String], references table: String, columns destinationColumns: [String]? = nil,
    onDelete deleteAction: Database.ForeignKeyAction? = nil,
    onUpdate updateAction: Database.ForeignKeyAction? = nil, deferred isDeferred: Bool = false
  ) {
    let actions = ReferenceActions(
      onDelete: deleteAction, onUpdate: updateAction, isDeferred: isDeferred)
    foreignKeys.append(
      ForeignKey(
        columns: columns, table: table, destination: destinationColumns, actions: actions))
  }

  /// Adds a check constraint, which rejects rows for which the condition is false.
  ///
  /// ```swift
  /// t.check(Column("start") <= Column("end"))
  /// ```
  public func check(_ condition: some SQLExpressible) { checks.append(condition.sqlExpression) }

  /// Adds a check constraint, which rejects rows for which the condition is false.
  public func check(sql: String) { checks.append(SQLExpression(sql: SQL(sql: sql))) }

  /// Adds a constraint, written in SQL.
  public func constraint(sql: String) { constraint(literal: SQL(sql: sql)) }

  /// Adds a constraint, in SQL with interpolated values.
  public func constraint(literal: SQL) { constraints.append(SQLExpression(sql: literal)) }
}

/// A table definition is only valid during the call.
@available(*, unavailable)
extension TableDefinition: Sendable {}
