import Coffer

/// The encrypted file that the demo makes: the packages of a machine, and what they need.
enum Inventory {
  static let schema = """
    CREATE TABLE package (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      architecture TEXT NOT NULL,
      version TEXT,
      section TEXT,
      priority TEXT,
      maintainer TEXT,
      size INTEGER,              -- in KiB
      summary TEXT,
      details TEXT,
      UNIQUE (name, architecture)
    );
    CREATE TABLE dependency (
      package_id INTEGER NOT NULL REFERENCES package (id),
      group_number INTEGER NOT NULL,       -- each group is needed
      alternative INTEGER NOT NULL,        -- one of a group will do
      name TEXT NOT NULL,
      architecture TEXT,
      comparison TEXT,
      version TEXT,
      PRIMARY KEY (package_id, group_number, alternative)
    ) WITHOUT ROWID;
    CREATE TABLE provided (
      package_id INTEGER NOT NULL REFERENCES package (id),
      name TEXT NOT NULL,
      version TEXT
    );
    CREATE TABLE needs (         -- dependencies that an installed package fulfils
      package_id INTEGER NOT NULL REFERENCES package (id),
      needed_id INTEGER NOT NULL REFERENCES package (id),
      PRIMARY KEY (package_id, needed_id)
    ) WITHOUT ROWID;
    CREATE INDEX dependency_name ON dependency (name);
    CREATE INDEX provided_name ON provided (name);
    CREATE INDEX provided_package ON provided (package_id);
    CREATE INDEX needs_needed ON needs (needed_id);
    """

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
          INSERT INTO needs (package_id, needed_id)
          SELECT dependency.package_id, package.id
          FROM dependency JOIN package ON package.name = dependency.name
          WHERE package.id <> dependency.package_id
          UNION
          SELECT dependency.package_id, provided.package_id
          FROM dependency JOIN provided ON provided.name = dependency.name
          WHERE provided.package_id <> dependency.package_id
          """)
    }
  }
}
