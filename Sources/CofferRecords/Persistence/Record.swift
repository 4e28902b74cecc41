import CofferCore
import CofferQuery

/// A base class for records that know which of their columns have changed since they were fetched
/// or stored.
///
/// ```swift
/// class Player: Record {
///   var id: Int64?, name: String
///
///   override class var databaseTableName: String { "player" }
///
///   required init(row: Row) throws {
///     (id, name) = (row["id"], row["name"])
///     try super.init(row: row)
///   }
///
///   override func encode(to container: inout PersistenceContainer) throws {
///     container["id"] = id
///     container["name"] = name
///   }
///
///   override func didInsert(_ inserted: InsertionSuccess) {
///     super.didInsert(inserted)
///     id = inserted.rowID
///   }
/// }
/// try player.updateChanges(db)
/// ```
///
/// Structs do without it: see ``MutablePersistableRecord/updateChanges(_:onConflict:modify:)``.
open class Record {
  /// The values that the row has, as far as the record knows; nil where it knows of no row.
  private var stored: PersistenceContainer?

  /// A record that knows of no row.
  public init() {}

  /// The record that a row holds.
  ///
  /// Where the row comes from a database, it is what changes are told from.
  public required init(row: Row) throws {
    guard row.isFetched else { return }
    var container = PersistenceContainer()
    for (column, value) in row { container.collect(value, column) }
    stored = container
  }

  /// Whether the record has values that its row doesn't have, as far as it knows: an older name of
  /// ``hasDatabaseChanges``.
  public var databaseEdited: Bool { hasDatabaseChanges }

  // MARK: What subclasses tell

  /// The name of the table, which subclasses give.
  open class var databaseTableName: String {
    preconditionFailure("\(self) has to override databaseTableName")
  }

  /// What happens where a constraint fails; by default, the statement fails.
  open class var persistenceConflictPolicy: PersistenceConflictPolicy {
    PersistenceConflictPolicy()
  }

  /// What is fetched of a row: all columns, by default.
  open class var databaseSelection: [any SQLSelectable] { [AllColumns()] }

  /// Gives each column its value; by default there are none.
  open func encode(to container: inout PersistenceContainer) throws {}

  // MARK: Callbacks

  /// Called before the record is inserted; call `super`.
  open func willInsert(_ db: Database) throws {}

  /// Called around the insertion; call `super`, with a closure that calls `insert`.
  open func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
    stored = try insert().persistenceContainer
  }

  /// Called when the record has been inserted; call `super`.
  open func didInsert(_ inserted: InsertionSuccess) {}

  /// Called before the record is updated; call `super`.
  open func willUpdate(_ db: Database, columns: Set<String>) throws {}

  /// Called around the update; call `super`, with a closure that calls `update`.
  open func aroundUpdate(
    _ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess
  ) throws {
    let updated = try update().persistenceContainer
    let names = Set(columns.map { SQLName($0) })
    var known = stored ?? PersistenceContainer()
    for entry in updated.entries where stored != nil || names.contains(SQLName(entry.column)) {
      guard names.contains(SQLName(entry.column)) else { continue }
      known.collect(entry.value, entry.column)
    }
    stored = known
  }

  /// Called when the record has been updated; call `super`.
  open func didUpdate(_ updated: PersistenceSuccess) {}

  /// Called before the record is inserted or updated; call `super`.
  open func willSave(_ db: Database) throws {}

  /// Called around the insertion or update; call `super`, with a closure that calls `save`.
  open func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
    _ = try save()
  }

  /// Called when the record has been inserted or updated; call `super`.
  open func didSave(_ saved: PersistenceSuccess) {}

  /// Called before the record is deleted; call `super`.
  open func willDelete(_ db: Database) throws {}

  /// Called around the deletion; call `super`, with a closure that calls `delete`.
  open func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
    _ = try delete()
    stored = nil
  }

  /// Called when the deletion is over; call `super`.
  open func didDelete(deleted: Bool) {}
}

extension Record: FetchableRecord, PersistableRecord {}

extension Record {
  // MARK: Changes

  /// Whether a column differs from what was fetched or stored; true for a record that knows of no
  /// row, and for one that can't be encoded.
  public var hasDatabaseChanges: Bool {
    guard let changes = try? changedEntries() else { return true }
    return !changes.isEmpty
  }

  /// The columns that differ from what was fetched or stored, with the values that they had; nil
  /// for those that weren't fetched.
  public var databaseChanges: [String: DatabaseValue?] {
    get throws {
      Dictionary(try changedEntries(), uniquingKeysWith: { first, _ in first })
    }
  }

  /// Updates the columns that differ from what was fetched or stored.
  ///
  /// - Returns: Whether there were any; if not, nothing is executed, and no callback called.
  /// - Throws: ``RecordError`` where there is no row with the record's primary key.
  @discardableResult
  public final func updateChanges(_ db: Database) throws -> Bool {
    let columns = try changedEntries().map(\.0)
    guard !columns.isEmpty else { return false }
    try update(db, columns: columns)
    return true
  }

  private func changedEntries() throws -> [(String, DatabaseValue?)] {
    try PersistenceContainer(self).entries.compactMap { entry in
      let old = stored?.storedValue(entry.column)
      return old == entry.value ? nil : (entry.column, old)
    }
  }
}
