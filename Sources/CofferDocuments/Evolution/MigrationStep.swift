import CofferCore
import CofferQuery

/// A migration of a table's documents.
protocol MigrationStep: Sendable {
  /// The name under which it is recorded.
  var name: String { get }

  /// Whether it runs once, and is recorded then; by default it is.
  var runsOnce: Bool { get }

  /// Returns whether it still has to run; by default, if it isn't recorded.
  ///
  /// - Parameter noted: The recorded names.
  func isPending(_ schema: CollectionSchema, _ noted: Set<String>, _ db: Database) throws -> Bool

  func run(_ schema: CollectionSchema, _ db: Database) throws
}

extension MigrationStep {
  var runsOnce: Bool { true }

  func isPending(_ schema: CollectionSchema, _ noted: Set<String>, _ db: Database) -> Bool {
    !noted.contains(name)
  }
}

/// Renames a column, whenever a column of the old name exists.
struct ColumnRename: MigrationStep {
  let old: String
  let column: String

  var name: String { "rename \(old) to \(column)" }
  var runsOnce: Bool { false }

  func isPending(
    _ schema: CollectionSchema, _ noted: Set<String>, _ db: Database
  ) throws -> Bool {
    try schema.hasColumn(old, db)
      && (!schema.hasColumn(column, db) || !noted.contains(name))
  }

  func run(_ schema: CollectionSchema, _ db: Database) throws {
    let (table, from, to) = (
      schema.quotedTable, old.quotedDatabaseIdentifier, column.quotedDatabaseIdentifier
    )
    if try !schema.hasColumn(column, db) {
      if SQLiteFeatures.linked.hasColumnRenaming {
        return try db.execute(sql: "ALTER TABLE \(table) RENAME COLUMN \(from) TO \(to)")
      }
      try db.execute(sql: "ALTER TABLE \(table) ADD COLUMN \(to)")
    }
    // Recorded, so it isn't repeated: values that become nil later were set to nil on purpose.
    try db.execute(sql: "UPDATE \(table) SET \(to) = \(from) WHERE \(to) IS NULL")
    try schema.note([name], db)
  }
}

/// Renames a key in stored structs.
struct NestedRename: MigrationStep {
  let old: String
  let column: DocumentColumn

  var name: String { "rename \(old) to \(column.description)" }

  func run(_ schema: CollectionSchema, _ db: Database) throws {
    guard try schema.hasColumn(column.name, db) else { return }
    let former = DocumentColumn(
      name: column.name, path: column.path.dropLast() + [PathStep.step(old)])
    let rows = try DocumentRows(schema, where: "\(former.sqlText()) IS NOT NULL", db)
    try rows.rewrite([column.name.quotedDatabaseIdentifier]) { row in
      guard let json = String.fromDatabaseValue(row.databaseValue(at: 0)),
        let changed = StoredKeys.rename(former, to: column, in: json)
      else { return [] }
      return [(column.name, "\(changed)")]
    }
  }
}

/// Sets the value of an optional property of a stored struct where it is nil.
struct NestedFilling: MigrationStep {
  let rule: CollectionSchema.DefaultValue

  var name: String { "default \(rule.column.description)" }

  func run(_ schema: CollectionSchema, _ db: Database) throws {
    guard try schema.hasColumn(rule.column.name, db) else { return }
    try schema.apply(rule, db)
  }
}

/// The keys of stored structs.
private enum StoredKeys {
  /// Returns the JSON with the key renamed; nil if there is nothing to move, or the new key has a
  /// value.
  static func rename(
    _ old: DocumentColumn, to new: DocumentColumn, in json: String
  ) -> String? {
    var json = json
    return json.withUTF8 { json in
      let json = UnsafeRawBufferPointer(json)
      let path = DocumentColumn(name: new.name, path: new.path.dropLast()).jsonPath
      guard let range = JSONScanner.find(in: json, at: path),
        let object = unsafe JSONMembers(UnsafeRawBufferPointer(rebasing: json[range])),
        let oldName = old.path.last.map(PathStep.name),
        let newName = new.path.last.map(PathStep.name),
        let member = object.member(Array(oldName.utf8)),
        object.member(Array(newName.utf8))?.isNull ?? true
      else { return nil }
      let kept = object.all.filter {
        $0.name != Array(newName.utf8) && $0.name != Array(oldName.utf8)
      }
      var members = kept.map { unsafe Array($0.key) + [UInt8(ascii: ":")] + Array($0.value) }
      let key = DocumentColumn.quoted(newName)
      unsafe members.append(Array(key.utf8) + [UInt8(ascii: ":")] + Array(member.value))
      let text = Array("{".utf8) + members.joined(separator: [UInt8(ascii: ",")]) + Array("}".utf8)
      return unsafe String(
        decoding: json[..<range.lowerBound] + text + json[range.upperBound...], as: UTF8.self)
    }
  }
}

// MARK: - Notes

extension CollectionSchema {
  /// The table of completed steps, for all collections of a file.
  private static let notes = "main.\"coffer_migrations\""

  /// Returns the names of the steps that this table has completed.
  func notedSteps(_ db: Database) throws -> Set<String> {
    guard try db.tableExists("coffer_migrations", in: "main") else { return [] }
    return try Set(
      String.fetchAll(
        db, sql: "SELECT step FROM \(Self.notes) WHERE collection = ? COLLATE NOCASE",
        arguments: [tableName]))
  }

  func note(_ steps: [String], _ db: Database) throws {
    guard !steps.isEmpty else { return }
    try db.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS \(Self.notes)
        (collection TEXT COLLATE NOCASE, step TEXT, PRIMARY KEY (collection, step))
        """)
    for step in steps {
      try db.execute(
        sql: "INSERT OR IGNORE INTO \(Self.notes) (collection, step) VALUES (?, ?)",
        arguments: [tableName, step])
    }
  }

  /// Whether a step still has to run.
  func hasPendingSteps(_ db: Database) throws -> Bool {
    guard !steps.isEmpty else { return false }
    let noted = try notedSteps(db)
    return try steps.contains { try $0.isPending(self, noted, db) }
  }

  func hasColumn(_ name: String, _ db: Database) throws -> Bool {
    try db.columns(in: tableName, in: "main").contains { $0.name.isSameName(as: name) }
  }

  /// Runs the pending steps, in order.
  func runSteps(_ db: Database) throws {
    let noted = try notedSteps(db)
    for step in steps where try step.isPending(self, noted, db) {
      try step.run(self, db)
      if step.runsOnce { try note([step.name], db) }
    }
  }
}
