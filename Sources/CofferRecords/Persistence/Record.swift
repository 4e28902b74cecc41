import CofferCore
import CofferQuery

/// A base class for records that track the changes of their columns.
///
/// Changes are relative to the values that were fetched or stored.
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
/// Structs don't need it: see ``MutablePersistableRecord/updateChanges(_:onConflict:modify:)``.
open class Record {
  /// The last known values of the row; nil if no row is known.
  private var stored: PersistenceContainer?

  /// Creates a record without a known row.
  public init() {}

  /// Decodes a row.
  ///
  /// If the row was fetched, changes are tracked from its values.
  public required init(row: Row) throws {
    guard row.isFetched else { return }
    var container = PersistenceContainer()
    for (column, value) in row { container.collect(value, column) }
    stored = container
  }

  /// The former name of ``hasDatabaseChanges``.
  public var databaseEdited: Bool { hasDatabaseChanges }

  // MARK: Overridden by subclasses

  /// The name of the table.
  ///
  /// Subclasses must override it.
  open class var databaseTableName: String {
    preconditionFailure("\(self) has to override databaseTableName")
  }

  /// The behavior when a constraint fails.
  ///
  /// By default, the statement fails.
  open class var persistenceConflictPolicy: PersistenceConflictPolicy {
    PersistenceConflictPolicy()
  }

  /// The columns to fetch; by default, all.
  open class var databaseSelection: [any SQLSelectable] { [AllColumns()] }

  /// Sets the value of each column; by default, there are none.
  open func encode(to container: inout PersistenceContainer) throws {}

  // MARK: Callbacks

  /// Called before the record is inserted.
  ///
  /// Overrides must call `super`.
  open func willInsert(_ db: Database) throws {}

  /// Called around the insertion.
  ///
  /// Overrides must call `super` with a closure that calls `insert`.
  open func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
    stored = try insert().persistenceContainer
  }

  /// Called after the record has been inserted.
  ///
  /// Overrides must call `super`.
  open func didInsert(_ inserted: InsertionSuccess) {}

  /// Called before the record is updated.
  ///
  /// Overrides must call `super`.
  open func willUpdate(_ db: Database, columns: Set<String>) throws {}

  /// Called around the update.
  ///
  /// Overrides must call `super` with a closure that calls `update`.
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

  /// Called after the record has been updated.
  ///
  /// Overrides must call `super`.
  open func didUpdate(_ updated: PersistenceSuccess) {}

  /// Called before the record is inserted or updated.
  ///
  /// Overrides must call `super`.
  open func willSave(_ db: Database) throws {}

  /// Called around the insertion or update.
  ///
  /// Overrides must call `super` with a closure that calls `save`.
  open func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
    _ = try save()
  }

  /// Called after the record has been inserted or updated.
  ///
  /// Overrides must call `super`.
  open func didSave(_ saved: PersistenceSuccess) {}

  /// Called before the record is deleted.
  ///
  /// Overrides must call `super`.
  open func willDelete(_ db: Database) throws {}

  /// Called around the deletion.
  ///
  /// Overrides must call `super` with a closure that calls `delete`.
  open func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
    _ = try delete()
    stored = nil
  }

  /// Called after the deletion.
  ///
  /// Overrides must call `super`.
  open func didDelete(deleted: Bool) {}
}

extension Record: FetchableRecord, PersistableRecord {}

extension Record {
  // MARK: Changes

  /// Whether a column differs from its fetched or stored value.
  ///
  /// True if no row is known, or the record can't be encoded.
  public var hasDatabaseChanges: Bool {
    guard let changes = try? changedEntries() else { return true }
    return !changes.isEmpty
  }

  /// The columns that differ from their fetched or stored values, with these values.
  ///
  /// The value of a column that wasn't fetched is nil.
  public var databaseChanges: [String: DatabaseValue?] {
    get throws {
      Dictionary(try changedEntries(), uniquingKeysWith: { first, _ in first })
    }
  }

  /// Updates the columns that differ from their fetched or stored values.
  ///
  /// - Returns: Whether any column differed. If not, no statement is executed and no callback
  ///   called.
  /// - Throws: ``RecordError`` if there is no row with the record's primary key.
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
