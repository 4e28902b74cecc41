import Coffer

/// Writes packages one after the other, inside a transaction.
struct InventoryWriter {
  /// The numbers of written rows.
  struct Counts: Equatable {
    var packages = 0
    var dependencies = 0
    var provided = 0
    /// Packages that had already been written.
    var duplicates = 0

    var rows: Int { packages + dependencies + provided }
  }

  private let db: Database
  private var counts = Counts()

  /// Writes packages, and which of them need which.
  static func write(_ packages: [InstalledPackage], _ db: Database) throws -> Counts {
    var writer = InventoryWriter(db: db)
    for package in packages { try writer.add(package) }
    try writer.connectPackages()
    return writer.counts
  }

  private mutating func add(_ installed: InstalledPackage) throws {
    var package = Package(installed)
    try package.insert(db, onConflict: .ignore)
    guard db.changesCount == 1, let id = package.id else {
      counts.duplicates += 1
      return
    }
    counts.packages += 1
    var dependencies = Dependency.all(of: installed, id: id)
    var provided = installed.provides.map {
      Provided(packageId: id, name: $0.name, version: $0.version)
    }
    try Dependency.insertAll(db, &dependencies)
    try Provided.insertAll(db, &provided)
    counts.dependencies += dependencies.count
    counts.provided += provided.count
  }

  /// Finds the packages that satisfy dependencies, by their name or as a virtual package.
  private func connectPackages() throws {
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
