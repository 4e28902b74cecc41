import CofferCore
import CofferQuery

extension CollectionSchema {
  // MARK: Looking

  /// Whether the table matches the type, and the tables that it references match theirs.
  ///
  /// - Parameter isReadonly: Whether the database can't be changed. Only the columns matter then.
  func isCurrent(_ db: Database, dropColumns: Bool, isReadonly: Bool) throws -> Bool {
    guard try isTableCurrent(db, dropColumns: dropColumns, isReadonly: isReadonly) else {
      return false
    }
    if isReadonly { return true }
    return try referenced().allSatisfy { try $0.isTableCurrent(db, dropColumns: false) }
  }

  private func isTableCurrent(
    _ db: Database, dropColumns: Bool, isReadonly: Bool = false
  ) throws -> Bool {
    guard try db.tableExists(tableName, in: "main") else { return false }
    let present = try db.columns(in: tableName, in: "main")
    guard columns.allSatisfy({ column in present.contains { $0.name.isSameName(as: column.name) } })
    else { return false }
    guard try !hasPendingSteps(db) else { return false }
    if isReadonly { return true }
    let unknown = try unknownColumns(present, dropping: dropColumns)
    guard !dropColumns || unknown.isEmpty else { return false }
    let changes = try indexChanges(db, present: present)
    guard changes.drop.isEmpty, changes.create.isEmpty else { return false }
    return try missingDefaults(db).isEmpty && areReferencesCurrent(db) && isFullTextCurrent(db)
  }

  /// Returns the columns of the table that the type doesn't have.
  ///
  /// - Throws: ``DocumentError`` if one of them is required, since no document could be inserted.
  private func unknownColumns(
    _ present: [ColumnInfo], dropping: Bool = false
  ) throws -> [ColumnInfo] {
    let unknown = present.filter { info in
      !info.isGenerated && info.name != FullTextIndex.rowIDColumn
        && !columns.contains { $0.name.isSameName(as: info.name) }
    }
    let required = unknown.first {
      $0.isNotNull && $0.defaultValueSQL == nil && !isRowID($0, among: present)
    }
    guard let required, !dropping else { return unknown }
    throw DocumentError(
      "the table \(tableName) has a column \(required.name) that needs a value, "
        + "and \(typeName) has no such property",
      hint: "Add the property, give the column a default value, or drop it.")
  }

  /// Whether the column is the rowid, which SQLite fills in.
  private func isRowID(_ column: ColumnInfo, among all: [ColumnInfo]) -> Bool {
    column.primaryKeyIndex == 1 && column.type.uppercased() == "INTEGER"
      && !all.contains { $0.primaryKeyIndex > 1 }
  }

  /// Returns the default values that some documents still lack.
  private func missingDefaults(_ db: Database) throws -> [DefaultValue] {
    try defaults.filter { rule in
      guard
        rule.column.isNested
          || columns.contains(where: { $0.name == rule.column.name && !$0.isOptional }),
        try hasColumn(rule.column.name, db)
      else { return false }
      return try Bool.fetchOne(
        db, sql: "SELECT EXISTS (SELECT 1 FROM \(quotedTable) WHERE \(rule.isMissing))") ?? false
    }
  }

  // MARK: Migrating

  /// Migrates the table to match the type, or throws and changes nothing.
  func migrate(_ db: Database, dropColumns: Bool) throws {
    try db.inSavepoint {
      let others = try referenced().filter { try !$0.isTableCurrent(db, dropColumns: false) }
      try migrateContent(db, dropColumns: dropColumns)
      for other in others { try other.migrateContent(db, dropColumns: false) }
      // After all tables exist, since they can refer to each other.
      for schema in [self] + others { try schema.addReferences(db) }
      return .commit
    }
  }

  private func migrateContent(_ db: Database, dropColumns: Bool) throws {
    for collation in collations { collation.ensure(in: db) }
    try db.inSavepoint {
      try removeOutdated(db, dropColumns: dropColumns)
      try migrateTable(db)
      let present = try db.columns(in: tableName, in: "main")
      let unknown = try unknownColumns(present, dropping: dropColumns)
      let changes = try indexChanges(db, present: present)
      for name in changes.drop {
        try db.execute(sql: "DROP INDEX main.\(name.quotedDatabaseIdentifier)")
      }
      if dropColumns, !unknown.isEmpty { try drop(unknown, of: present, db) }
      for index in changes.create { try create(index, db) }
      try makeFullText(db)
      return .commit
    }
  }

  /// Removes references and full text that would make changes of columns fail.
  private func removeOutdated(_ db: Database, dropColumns: Bool) throws {
    guard try db.tableExists(tableName, in: "main") else { return }
    let mayDrop =
      try dropColumns
      && !unknownColumns(
        db.columns(in: tableName, in: "main"), dropping: true
      ).isEmpty
    try removeReferences(unlessCurrent: !mayDrop, db)
    try removeFullText(unlessCurrent: !mayDrop, db)
    if mayDrop, !SQLiteFeatures.linked.hasColumnDropping { try releaseRowIDs(db) }
  }

  private func migrateTable(_ db: Database) throws {
    guard try db.tableExists(tableName, in: "main") else {
      guard try !db.viewExists(tableName, in: "main") else {
        throw DocumentError(
          "\(tableName) is a view, which can't store the documents of \(typeName)",
          hint: "Give the collection another name.")
      }
      // Columns without a type store values unchanged.
      let names = columns.map { $0.name.quotedDatabaseIdentifier }.joined(separator: ", ")
      try db.execute(sql: "CREATE TABLE \(quotedTable) (\(names))")
      // In a new table, no document has an older form.
      return try note(steps.filter(\.runsOnce).map(\.name), db)
    }
    try runSteps(db)
    try addColumns(db)
    for rule in try missingDefaults(db) { try apply(rule, db) }
  }

  /// Sets the default value in documents that have none.
  func apply(_ rule: DefaultValue, _ db: Database) throws {
    let value = rule.column.setting("\(rule.value)")
    try db.execute(
      literal: """
        UPDATE \(sql: quotedTable) SET \(identifier: rule.column.name) = \(value)
        WHERE \(sql: rule.isMissing)
        """)
  }

  private func drop(_ unknown: [ColumnInfo], of present: [ColumnInfo], _ db: Database) throws {
    guard SQLiteFeatures.linked.hasColumnDropping else {
      let kept = present.filter { info in !unknown.contains { $0.name == info.name } }
      return try TableRebuild(tableName: tableName, columns: kept, rowIDName: rowIDName).run(db)
    }
    for column in unknown {
      let name = column.name.quotedDatabaseIdentifier
      try db.execute(sql: "ALTER TABLE \(quotedTable) DROP COLUMN \(name)")
    }
  }

  // MARK: Indexes

  /// Returns the indexes to drop and to create.
  private func indexChanges(
    _ db: Database, present columns: [ColumnInfo]
  ) throws -> (drop: [String], create: [Index]) {
    let present = try presentIndexes(db)
    let wanted = try indexes.filter { try !hasConstraint($0, columns, db) }
    let kept = try wanted.filter { index in
      guard let other = present.first(where: { $0.name.isSameName(as: index.name) }) else {
        return false
      }
      guard other.isOurs else {
        guard index.isUnique else { return true }
        throw DocumentError(
          "the table \(tableName) has an index \(other.name), which Coffer didn't create, and "
            + "\(typeName) needs a different index of that name",
          hint: "Rename the existing index.")
      }
      return other.name == index.name && other.sql == index.storedSQL(tableName)
    }
    return (
      present.filter { index in
        index.isOurs && !kept.contains { $0.name == index.name }
      }.map(\.name),
      wanted.filter { index in !kept.contains { $0.name == index.name } }
    )
  }

  /// Whether the table's definition already makes the property unique.
  private func hasConstraint(
    _ index: Index, _ columns: [ColumnInfo], _ db: Database
  ) throws -> Bool {
    guard index.isUnique, index.columns.count == 1, let column = index.columns.first,
      column.path.isEmpty, column.comparing == nil
    else { return false }
    let name = column.name
    let key = columns.filter { $0.primaryKeyIndex > 0 }
    if key.count == 1, key[0].name.isSameName(as: name) { return true }
    return try db.indexes(on: tableName, in: "main").contains {
      $0.isUnique && $0.origin != .createIndex && $0.columns.count == 1
        && $0.columns[0].isSameName(as: name)
    }
  }

  private func create(_ index: Index, _ db: Database) throws {
    do { try db.execute(sql: index.creationSQL(tableName)) } catch let error as DatabaseError
      where error.resultCode == .SQLITE_CONSTRAINT
    {
      let names = index.columns.map(\.description).joined(separator: ", ")
      throw DocumentError(
        index.columns.count == 1
          ? "the property \(names) of \(typeName) can't become unique, "
            + "since two documents have the same value"
          : "the properties \(names) of \(typeName) can't become unique together, "
            + "since two documents have the same values",
        hint: "Change or delete one of them first. The table is unchanged.")
    }
  }
}

extension CollectionSchema.Index {
  private func definition(_ tableName: String) -> String {
    "\(name.quotedDatabaseIdentifier) ON \(tableName.quotedDatabaseIdentifier) "
      + "(\(columns.map { $0.expression(collation: $0.comparing) }.joined(separator: ", ")))"
  }

  private var start: String { isUnique ? "CREATE UNIQUE INDEX " : "CREATE INDEX " }

  /// The statement that creates the index.
  func creationSQL(_ tableName: String) -> String { "\(start)main.\(definition(tableName))" }

  /// The text that SQLite stores for the index.
  func storedSQL(_ tableName: String) -> String { start + definition(tableName) }
}

extension CollectionSchema.DefaultValue {
  /// The SQL condition that a document has no value but can have one.
  fileprivate var isMissing: String {
    guard column.isNested else { return "\(column.sqlText()) IS NULL" }
    return "\(column.parent.sqlText()) IS NOT NULL AND \(column.sqlText()) IS NULL"
  }
}
