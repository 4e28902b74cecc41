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
  /// In KiB.
  var size: Int?
  var summary: String?
  var details: String?

  static let dependencies = hasMany(Dependency.self)

  /// The installed packages that the package needs.
  static let needed = manyToMany(
    Package.self, through: Need.self, key: "needed",
    from: ForeignKey(["packageId"]), to: ForeignKey(["neededId"]))

  /// The installed packages that need the package.
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

/// A package that another one asks for, installed or not: one of the alternatives of a group.
struct Dependency: MappedRecord {
  var packageId: Int64
  /// Each group is needed.
  var groupNumber: Int
  /// One of a group will do.
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

  static let package = belongsTo(Package.self)
}

/// A virtual package that a package stands for.
struct Provided: MappedRecord {
  var packageId: Int64
  var name: String
  var version: String?

  static let mapping = Mapping(
    Provided.init(packageId:name:version:),
    Field("packageId", \.packageId),
    Field("name", \.name),
    Field("version", \.version))

  static let package = belongsTo(Package.self)
}

/// That an installed package fulfils a dependency of another one.
struct Need: TableRecord {
  static let databaseTableName = "needs"
}
