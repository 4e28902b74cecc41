import Coffer

/// A package of the machine.
struct Package: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
  var id: Int64?
  var name: String
  var architecture: String
  var version: String?
  var section: String?
  var priority: String?
  var maintainer: String?
  /// The installed size in KiB.
  var size: Int?
  var summary: String?
  var details: String?

  /// The installed packages on which the package depends.
  static let needed = manyToMany(
    Package.self, through: Need.self, key: "needed",
    from: ForeignKey(["packageId"]), to: ForeignKey(["neededId"]))

  /// The installed packages that depend on the package.
  static let users = manyToMany(
    Package.self, through: Need.self, key: "users",
    from: ForeignKey(["neededId"]), to: ForeignKey(["packageId"]))

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

extension Package {
  init(_ package: InstalledPackage) {
    self.init(
      name: package.name, architecture: package.architecture ?? "", version: package.version,
      section: package.section, priority: package.priority, maintainer: package.maintainer,
      size: package.installedSize, summary: package.summary, details: package.details)
  }
}

/// A dependency of a package, installed or not: one of the alternatives of a group.
struct Dependency: MappedRecord {
  var packageId: Int64
  /// The number of the group. All groups are required.
  var groupNumber: Int
  /// The number in the group. One alternative of each group suffices.
  var alternative: Int
  var name: String
  var architecture: String?
  var comparison: String?
  var version: String?

  static let mapping = Mapping(
    Dependency.init(packageId:groupNumber:alternative:name:architecture:comparison:version:),
    Field("packageId", \.packageId),
    Field("groupNumber", \.groupNumber),
    Field("alternative", \.alternative),
    Field("name", \.name),
    Field("architecture", \.architecture),
    Field("comparison", \.comparison),
    Field("version", \.version))
}

extension Dependency {
  /// Returns the dependencies of a package that has been inserted.
  static func all(of package: InstalledPackage, id: Int64) -> [Dependency] {
    package.dependencies.enumerated().flatMap { group, alternatives in
      alternatives.enumerated().map { alternative, relation in
        Dependency(
          packageId: id, groupNumber: group, alternative: alternative, name: relation.name,
          architecture: relation.architecture, comparison: relation.comparison,
          version: relation.version)
      }
    }
  }
}

/// A virtual package that a package provides.
struct Provided: MappedRecord {
  var packageId: Int64
  var name: String
  var version: String?

  static let mapping = Mapping(
    Provided.init(packageId:name:version:),
    Field("packageId", \.packageId),
    Field("name", \.name),
    Field("version", \.version))
}

/// The fact that an installed package satisfies a dependency of another one.
struct Need: TableRecord {
  static let databaseTableName = "needs"
}
