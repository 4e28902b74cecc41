/// What stands for a region of the database, such as a table or a request.
public protocol DatabaseRegionConvertible: Sendable {
  /// The region, in the database as it is now.
  func databaseRegion(_ db: Database) throws -> DatabaseRegion
}

extension DatabaseRegion: DatabaseRegionConvertible {
  /// The region itself.
  public func databaseRegion(_ db: Database) -> DatabaseRegion { self }
}

extension DatabaseRegionConvertible where Self == DatabaseRegion {
  /// All tables that there are, or will be.
  public static var fullDatabase: DatabaseRegion { DatabaseRegion.fullDatabase }
}

/// A region that is made by a function, or by another value.
public struct AnyDatabaseRegionConvertible: DatabaseRegionConvertible {
  private let region: @Sendable (Database) throws -> DatabaseRegion

  /// A region that a function makes.
  public init(_ region: @escaping @Sendable (_ db: Database) throws -> DatabaseRegion) {
    self.region = region
  }

  /// The region of another value.
  public init(_ region: some DatabaseRegionConvertible) {
    self.region = { try region.databaseRegion($0) }
  }

  /// The region, in the database as it is now.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion { try region(db) }
}
