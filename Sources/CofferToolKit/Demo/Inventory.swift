import Coffer

/// The encrypted file that the demo creates: a machine's packages and their dependencies.
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

  /// Whether SQLite has FTS5, which SQLCipher 3 lacks.
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

  /// The numbers of written rows.
  struct Counts: Equatable {
    var packages = 0
    var dependencies = 0
    var provided = 0
    /// Packages that had already been written.
    var duplicates = 0

    var rows: Int { packages + dependencies + provided }
  }

  /// Writes packages one after the other, inside a transaction.
  struct Writer {
    private let db: Database
    private(set) var counts = Counts()

    init(_ db: Database) { self.db = db }

    mutating func add(_ installed: InstalledPackage) throws {
      var package = Package(installed)
      try package.insert(db, onConflict: .ignore)
      guard db.changesCount == 1, let id = package.id else {
        counts.duplicates += 1
        return
      }
      counts.packages += 1
      var dependencies: [Dependency] = []
      for (group, alternatives) in installed.dependencies.enumerated() {
        for (alternative, relation) in alternatives.enumerated() {
          dependencies.append(
            Dependency(
              packageId: id, groupNumber: group, alternative: alternative, name: relation.name,
              architecture: relation.architecture, comparison: relation.comparison,
              version: relation.version))
        }
      }
      var provided = installed.provides.map {
        Provided(packageId: id, name: $0.name, version: $0.version)
      }
      try Dependency.insertAll(db, &dependencies)
      try Provided.insertAll(db, &provided)
      counts.dependencies += dependencies.count
      counts.provided += provided.count
    }

    /// Finds the packages that satisfy dependencies, by their name or as a virtual package.
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
