/// A type that represents a region of the database, such as a table or a request.
public protocol DatabaseRegionConvertible: Sendable {
  /// Returns the region in the current database.
  func databaseRegion(_ db: Database) throws -> DatabaseRegion
}

extension DatabaseRegion: DatabaseRegionConvertible {
  /// The region itself.
  public func databaseRegion(_ db: Database) -> DatabaseRegion { self }
}

extension DatabaseRegionConvertible where Self == DatabaseRegion {
  /// All existing and future tables.
  public static var fullDatabase: DatabaseRegion { DatabaseRegion.fullDatabase }
}

/// A type-erased region, computed by a function or by another value.
public struct AnyDatabaseRegionConvertible: DatabaseRegionConvertible {
  private let region: @Sendable (Database) throws -> DatabaseRegion

  /// Creates a region that a function computes.
  public init(_ region: @escaping @Sendable (_ db: Database) throws -> DatabaseRegion) {
    self.region = region
  }

  /// Creates the region of another value.
  public init(_ region: some DatabaseRegionConvertible) {
    self.region = { try region.databaseRegion($0) }
  }

  /// Returns the region in the current database.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion { try region(db) }
}
