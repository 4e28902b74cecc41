import Coffer

/// The tables of an inventory: a machine's packages and their dependencies.
enum Schema {
  /// Creates the tables. A later version of a program adds its changes as a migration of their own.
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("packages", migrate: createTables)
    return migrator
  }

  private static func createTables(_ db: Database) throws {
    try db.create(table: "package") { t in
      t.autoIncrementedPrimaryKey("id")
      t.column("name", .text).notNull()
      t.column("architecture", .text).notNull()
      t.column("version", .text)
      t.column("section", .text)
      t.column("priority", .text)
      t.column("maintainer", .text)
      t.column("size", .integer)  // KiB
      t.column("summary", .text)
      t.column("details", .text)
      t.uniqueKey(["name", "architecture"])
    }
    try db.create(table: "dependency", options: .withoutRowID) { t in
      t.primaryKey {
        t.belongsTo("package", indexed: false)
        t.column("groupNumber", .integer)  // all groups are required
        t.column("alternative", .integer)  // one alternative of each group suffices
      }
      t.column("name", .text).notNull().indexed()
      t.column("architecture", .text)
      t.column("comparison", .text)
      t.column("version", .text)
    }
    try db.create(table: "provided") { t in
      t.belongsTo("package").notNull()
      t.column("name", .text).notNull().indexed()
      t.column("version", .text)
    }
    // Dependencies that installed packages satisfy.
    try db.create(table: "needs", options: .withoutRowID) { t in
      t.primaryKey {
        t.belongsTo("package", indexed: false)
        t.belongsTo("needed", inTable: "package", indexed: false)
      }
    }
    // The primary key finds a package's dependencies; this index finds its dependents.
    try db.create(indexOn: "needs", columns: ["neededId"])
    try createTextIndex(db)
  }

  /// The name of the full-text index, which is synchronized with the packages.
  static let textIndex = "packageText"

  /// Whether the full-text index ranks what it finds.
  static let hasRanking = Database.engine.hasFTS5

  private static func createTextIndex(_ db: Database) throws {
    let columns = ["name", "summary", "details"]
    if hasRanking {
      try db.create(virtualTable: textIndex, using: FTS5()) { t in
        t.synchronize(withTable: "package")
        t.tokenizer = .porter(wrapping: .unicode61())
        for column in columns { t.column(column) }
      }
    } else {
      try db.create(virtualTable: textIndex, using: FTS4()) { t in
        t.synchronize(withTable: "package")
        t.tokenizer = .porter
        for column in columns { t.column(column) }
      }
    }
  }
}
