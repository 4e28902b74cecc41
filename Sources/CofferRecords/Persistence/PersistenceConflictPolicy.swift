import CofferCore
import CofferQuery

/// What happens where a record's insertion or update fails a constraint.
///
/// ```swift
/// struct Player: PersistableRecord {
///   static let persistenceConflictPolicy = PersistenceConflictPolicy(
///     insert: .replace, update: .replace)
/// }
/// ```
public struct PersistenceConflictPolicy: Sendable {
  /// What happens in insertions.
  public let conflictResolutionForInsert: Database.ConflictResolution
  /// What happens in updates.
  public let conflictResolutionForUpdate: Database.ConflictResolution

  /// A policy; by default, the statement fails.
  public init(
    insert: Database.ConflictResolution = .abort, update: Database.ConflictResolution = .abort
  ) {
    conflictResolutionForInsert = insert
    conflictResolutionForUpdate = update
  }
}
