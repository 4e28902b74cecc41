import CofferCore
import CofferQuery

/// The behavior of a record's insertions and updates when a constraint fails.
///
/// ```swift
/// struct Player: PersistableRecord {
///   static let persistenceConflictPolicy = PersistenceConflictPolicy(
///     insert: .replace, update: .replace)
/// }
/// ```
public struct PersistenceConflictPolicy: Sendable {
  /// The behavior of insertions.
  public let conflictResolutionForInsert: Database.ConflictResolution
  /// The behavior of updates.
  public let conflictResolutionForUpdate: Database.ConflictResolution

  /// Creates a policy.
  ///
  /// By default, statements fail.
  public init(
    insert: Database.ConflictResolution = .abort, update: Database.ConflictResolution = .abort
  ) {
    conflictResolutionForInsert = insert
    conflictResolutionForUpdate = update
  }
}
