import CofferCore
import CofferQuery

/// The facts about a table or view that persistence needs.
@usableFromInline
final class RecordTable {
  /// The name in the record type's declaration.
  let name: String
  private let object: SchemaTable
  let isView: Bool
  /// The primary key; nil for a view without a known one.
  let primaryKey: PrimaryKeyInfo?
  /// The names of the columns, as they were created.
  let columns: [String]
  /// The names of all columns, as a set.
  let columnSet: Set<String>
  private let columnNames: Set<SQLName>

  @safe @exclusivity(unchecked) private var generation: Int
  /// The transaction in which the schema was last checked; nil if it wasn't checked.
  @safe @exclusivity(unchecked) private var transaction: Int?
  /// The schema cache's revision of which the table was the current one, and the number of schemas
  /// that were asked about then, as long as there is such a number.
  @safe @exclusivity(unchecked) private var known: (revision: Int, schemaCount: Int?)

  init(_ db: Database, _ name: String) throws {
    self.name = name
    // Called first, since the schema source of a view can itself read the schema.
    let key = try db.primaryKeyIfAny(name)
    let (found, known) = try RecordTable.find(name, db)
    guard let found else { throw DatabaseError.noSuchTable(name) }
    object = found
    self.known = known
    isView = object.kind == .view
    primaryKey = key
    columns = try db.columnNames(in: name)
    columnSet = Set(columns)
    columnNames = Set(columns.map { SQLName($0) })
    generation = db.hooks.schemaGeneration
    transaction = db.openTransaction
  }

  /// Returns whether the table's schema is unchanged.
  ///
  /// - Complexity: Two comparisons in a transaction that has checked it before.
  @inline(__always)
  func isCurrent(_ db: Database) throws -> Bool {
    let current = db.openTransaction
    if let transaction, transaction == current, generation == db.hooks.schemaGeneration {
      return !isView
    }
    return try isUnchanged(db)
  }

  private func isUnchanged(_ db: Database) throws -> Bool {
    // A schema source can describe a view differently at any time.
    guard !isView else { return false }
    if let count = known.schemaCount,
      try db.schemaCache.isCurrent(known.revision, schemaCount: count)
    {
      // Nothing has changed for any table.
    } else {
      let (found, known) = try RecordTable.find(name, db)
      guard found === object else { return false }
      self.known = known
    }
    generation = db.hooks.schemaGeneration
    transaction = db.openTransaction
    return true
  }

  /// Returns the table or view, and what in the schema cache has to stay for it to stay.
  private static func find(
    _ name: String, _ db: Database
  ) throws -> (SchemaTable?, known: (revision: Int, schemaCount: Int?)) {
    var object: SchemaTable?
    let count = try db.schemaCache.dependencies {
      object = try db.schemaCache.object(named: name)
    }
    return (object, (db.schemaCache.revision, count))
  }

  /// The name of the table's schema.
  var schemaName: String { object.id.schemaID.name }

  /// The `INTEGER PRIMARY KEY` column.
  var rowIDColumn: String? { primaryKey?.rowIDColumn }

  func hasColumn(_ name: String) -> Bool { columnNames.contains(SQLName(name)) }

  /// Returns the primary key.
  ///
  /// - Throws: ``DatabaseError`` for a view without one.
  func requirePrimaryKey() throws -> PrimaryKeyInfo {
    if let primaryKey { return primaryKey }
    throw DatabaseError.noSuchTable(
      name, note: "It is a view: define its primary key in Configuration.schemaSource.")
  }
}

// MARK: - SQL

extension RecordTable {
  private static func names(_ columns: [String]) -> String {
    columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
  }

  private func onConflict(_ resolution: Database.ConflictResolution) -> String {
    resolution == .abort ? "" : "OR \(resolution.rawValue) "
  }

  func insertSQL(_ columns: [String], _ resolution: Database.ConflictResolution) -> String {
    let start = "INSERT \(onConflict(resolution))INTO \(name.quotedDatabaseIdentifier)"
    guard !columns.isEmpty else { return start + " DEFAULT VALUES" }
    return start
      + " (\(RecordTable.names(columns))) VALUES (\(databaseQuestionMarks(count: columns.count)))"
  }

  func updateSQL(
    _ columns: [String], _ key: PrimaryKeyInfo, _ resolution: Database.ConflictResolution
  ) -> String {
    let assignments = columns.map { $0.quotedDatabaseIdentifier + "=?" }.joined(separator: ", ")
    return "UPDATE \(onConflict(resolution))\(name.quotedDatabaseIdentifier) SET \(assignments)"
      + keyCondition(key)
  }

  func deleteSQL(_ key: PrimaryKeyInfo) -> String {
    "DELETE FROM \(name.quotedDatabaseIdentifier)" + keyCondition(key)
  }

  func existsSQL(_ key: PrimaryKeyInfo) -> String {
    "SELECT EXISTS (SELECT * FROM \(name.quotedDatabaseIdentifier)\(keyCondition(key)))"
  }

  func keyCondition(_ key: PrimaryKeyInfo) -> String {
    " WHERE "
      + key.columns.map { $0.quotedDatabaseIdentifier + "=?" }.joined(separator: " AND ")
  }
}
