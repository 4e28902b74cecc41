import Coffer

/// The encrypted file that the demo makes: the packages of a machine, and what they need.
enum Inventory {
  static func createTables(_ db: Database) throws {
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
        t.column("groupNumber", .integer)  // each group is needed
        t.column("alternative", .integer)  // one of a group will do
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
    // Dependencies that an installed package fulfils.
    try db.create(table: "needs", options: .withoutRowID) { t in
      t.primaryKey {
        t.belongsTo("package", indexed: false)
        t.belongsTo("needed", inTable: "package", indexed: false)
      }
    }
    // The primary key finds what a package needs; this, what needs it.
    try db.create(indexOn: "needs", columns: ["neededId"])
    try createTextIndex(db)
  }

  /// The name of the full-text index, which follows the packages by itself.
  static let textIndex = "packageText"

  /// FTS5 where SQLite has it, which SQLCipher 3 doesn't.
  static let hasRanking = Database.sqliteLibVersionNumber >= 3_020_000

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

  /// How many rows were written.
  struct Counts: Equatable {
    var packages = 0
    var dependencies = 0
    var provided = 0
    /// Packages that were there already.
    var duplicates = 0

    var rows: Int { packages + dependencies + provided }
  }

  /// Writes packages, one after the other; to be used inside a transaction.
  struct Writer {
    private let db: Database
    private let insertPackage: Statement
    private let insertDependency: Statement
    private let insertProvided: Statement
    private(set) var counts = Counts()

    init(_ db: Database) throws {
      self.db = db
      insertPackage = try db.cachedStatement(
        sql: """
          INSERT OR IGNORE INTO package
            (name, architecture, version, section, priority, maintainer, size, summary, details)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
          """)
      insertDependency = try db.cachedStatement(
        sql: "INSERT INTO dependency VALUES (?, ?, ?, ?, ?, ?, ?)")
      insertProvided = try db.cachedStatement(sql: "INSERT INTO provided VALUES (?, ?, ?)")
    }

    mutating func add(_ package: InstalledPackage) throws {
      try insertPackage.execute(arguments: [
        package.name, package.architecture ?? "", package.version, package.section,
        package.priority, package.maintainer, package.installedSize, package.summary,
        package.details,
      ])
      guard db.changesCount == 1 else {
        counts.duplicates += 1
        return
      }
      counts.packages += 1
      let id = db.lastInsertedRowID
      for (group, alternatives) in package.dependencies.enumerated() {
        for (alternative, relation) in alternatives.enumerated() {
          try insertDependency.execute(arguments: [
            id, group, alternative, relation.name, relation.architecture, relation.comparison,
            relation.version,
          ])
          counts.dependencies += 1
        }
      }
      for relation in package.provides {
        try insertProvided.execute(arguments: [id, relation.name, relation.version])
        counts.provided += 1
      }
    }

    /// Finds out which packages fulfil the dependencies, by their own name or as a virtual package.
    func finish() throws {
      try db.execute(
        sql: """
          INSERT INTO needs (packageId, neededId)
          SELECT dependency.packageId, package.id
          FROM dependency JOIN package ON package.name = dependency.name
          WHERE package.id <> dependency.packageId
          UNION
          SELECT dependency.packageId, provided.packageId
          FROM dependency JOIN provided ON provided.name = dependency.name
          WHERE provided.packageId <> dependency.packageId
          """)
    }
  }
}
