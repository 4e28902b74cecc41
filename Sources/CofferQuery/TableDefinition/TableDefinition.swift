import CofferCore

/// A table that is being defined; see ``Database/create(table:options:body:)``.
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

  /// The columns of a primary key; nil for those that were defined in its body.
  struct PrimaryKey {
    var columns: [String]?
    var conflict: Database.ConflictResolution?
  }

  /// A foreign key of the table, or that of a `belongsTo` with several columns.
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
  /// What the definition asks for that can't be.
  private(set) var mistake: DatabaseError?

  init(_ name: String) { self.name = name }

  // MARK: Columns

  /// Adds a column.
  ///
  /// - Parameter type: Nil for none, so that values are stored as they are.
  @discardableResult
  public func column(_ name: String, _ type: Database.ColumnType? = nil) -> ColumnDefinition {
    let column = ColumnDefinition(name, type)
    elements.append(.column(column, isInKey: isInKeyBody))
    if isInKeyBody { column.notNull() }
    return column
  }

  /// Adds a column, as SQL.
  public func column(sql: String) { column(literal: SQL(sql: sql)) }

  /// Adds a column, as SQL with values in it.
  ///
  /// ```swift
  /// t.column(literal: "name TEXT DEFAULT \(defaultName)")
  /// ```
  public func column(literal: SQL) {
    elements.append(.literal(SQLExpression(sql: literal)))
  }

  /// Adds columns that refer to the primary key of another table.
  ///
  /// ```swift
  /// t.belongsTo("team")  // "teamId" INTEGER REFERENCES "team"("id")
  /// t.belongsTo("captain", inTable: "player")  // "captainId" INTEGER REFERENCES "player"("id")
  /// ```
  ///
  /// The columns are named after those of the primary key, and have their types. An index on them is
  /// created as well, unless they are the primary key.
  /// - Parameters:
  ///   - name: What the columns' names begin with.
  ///   - table: The table, which must exist or be the one that is being defined; nil for the one
  ///     named `name`, in the singular or the plural.
  ///   - deleteAction: What becomes of this row when the other one is deleted.
  ///   - updateAction: What becomes of this row when the other one gets another key.
  ///   - isDeferred: Whether violations are checked at the end of the transaction only.
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

  /// Adds a column `INTEGER PRIMARY KEY AUTOINCREMENT`: SQLite gives rows their number, never the
  /// same twice.
  @discardableResult
  public func autoIncrementedPrimaryKey(
    _ name: String, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) -> ColumnDefinition {
    column(name, .integer).primaryKey(onConflict: conflictResolution, autoincrement: true)
  }

  /// Adds a column that is the primary key.
  ///
  /// It refuses NULL. An `.integer` one gets a number where a row is inserted with NULL.
  @discardableResult
  public func primaryKey(
    _ name: String, _ type: Database.ColumnType,
    onConflict conflictResolution: Database.ConflictResolution? = nil
  ) -> ColumnDefinition {
    let column = column(name, type).primaryKey(onConflict: conflictResolution)
    return type.rawValue.isSameName(as: "INTEGER") ? column : column.notNull()
  }

  /// Makes the columns that are defined in `body` the primary key; they refuse NULL.
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

  /// Makes columns, which are defined elsewhere, the primary key.
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

  /// Refuses two rows with the same values in columns, but for NULLs.
  public func uniqueKey(
    _ columns: [String], onConflict conflictResolution: Database.ConflictResolution? = nil
  ) {
    uniqueKeys.append((columns, conflictResolution))
  }

  /// Makes columns refer to rows of a table.
  ///
  /// - Parameters:
  ///   - table: The other table, or the one that is being defined.
  ///   - destinationColumns: The columns there; nil for the primary key, for which the table must
  ///     exist.
  ///   - deleteAction: What becomes of this row when the other one is deleted.
  ///   - updateAction: What becomes of this row when the other one gets another key.
  ///   - isDeferred: Whether violations are checked at the end of the transaction only.
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

  /// Refuses rows for which a condition is false.
  ///
  /// ```swift
  /// t.check(Column("start") <= Column("end"))
  /// ```
  public func check(_ condition: some SQLExpressible) { checks.append(condition.sqlExpression) }

  /// Refuses rows for which a condition is false.
  public func check(sql: String) { checks.append(SQLExpression(sql: SQL(sql: sql))) }

  /// Adds a constraint, as SQL.
  public func constraint(sql: String) { constraint(literal: SQL(sql: sql)) }

  /// Adds a constraint, as SQL with values in it.
  public func constraint(literal: SQL) { constraints.append(SQLExpression(sql: literal)) }
}

/// It belongs to the call that it was made for.
@available(*, unavailable)
extension TableDefinition: Sendable {}
