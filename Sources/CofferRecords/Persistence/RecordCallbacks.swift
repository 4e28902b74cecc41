import CofferCore
import CofferQuery

// Calls the callbacks of changes, in order. `willInsert` and `didInsert` can change the record; the
// `around` callbacks see it as it was when they were called.

extension DatabaseError {
  /// The error of an `around` callback that hasn't called its closure, or has hidden its error.
  @usableFromInline
  static func callbackMisuse(_ name: String) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_MISUSE, message: "\(name) has not called its closure, or hides its error",
      hint: "Call the closure exactly once, and rethrow its errors.")
  }
}

extension MutablePersistableRecord {
  /// Calls `body` inside the callbacks of a save, that is, of an insertion or an update.
  @inlinable @inline(__always)
  mutating func withSaveCallbacks(
    _ db: Database, _ body: (inout Self) throws -> PersistenceSuccess
  ) throws {
    try willSave(db)
    var saved: PersistenceSuccess?
    let record = self
    try record.aroundSave(db) {
      let success = try body(&self)
      saved = success
      return success
    }
    guard var stored = saved?.stored else { throw DatabaseError.callbackMisuse("aroundSave") }
    if let saved { didSave(saved) }
    saved = nil
    StoredRecord<Self>.recycle(&stored)
  }

  /// Calls `insert` inside the callbacks of an insertion.
  @inlinable @inline(__always)
  mutating func withInsertCallbacks(
    _ db: Database, _ insert: (Self) throws -> InsertionSuccess
  ) throws -> InsertionSuccess {
    try willInsert(db)
    var inserted: InsertionSuccess?
    let record = self
    try record.aroundInsert(db) {
      let success = try insert(record)
      inserted = success
      return success
    }
    guard let inserted else { throw DatabaseError.callbackMisuse("aroundInsert") }
    if !inserted.isIgnored {
      if inserted.isFirst { try didInsertFirst(inserted, db) } else { didInsert(inserted) }
    }
    return inserted
  }

  /// Calls the record's `didInsert`, and throws if it changes a record that can't keep the change.
  ///
  /// A `mutating` method of a ``PersistableRecord`` isn't the one that this protocol requires,
  /// which the compiler replaces by the default without a word. Then the default is called here,
  /// but not by ``MutablePersistableRecord``'s requirement.
  @usableFromInline
  mutating func didInsertFirst(_ inserted: InsertionSuccess, _ db: Database) throws {
    guard let record = self as? any PersistableRecord else { return didInsert(inserted) }
    let stored = inserted.stored
    let count = stored.defaultCallbackCount
    record.didInsert(inserted)
    guard stored.defaultCallbackCount != count else { return }
    didInsert(inserted)
    guard stored.defaultCallbackCount == count + 1 else { return }
    // The next insertion is a first one, too.
    db.recordPlans.forgetInsertions(of: type(of: self))
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "\(type(of: self)).didInsert(_:) is mutating, and would change a copy of the record",
      hint: "Conform to MutablePersistableRecord instead of PersistableRecord, or make it "
        + "nonmutating.")
  }

  /// Calls `update` inside the callbacks of an update.
  @inlinable @inline(__always)
  func withUpdateCallbacks(
    _ db: Database, columns: Set<String>, _ update: (Self) throws -> PersistenceSuccess
  ) throws -> PersistenceSuccess {
    try willUpdate(db, columns: columns)
    var updated: PersistenceSuccess?
    try aroundUpdate(db, columns: columns) {
      let success = try update(self)
      updated = success
      return success
    }
    guard let updated else { throw DatabaseError.callbackMisuse("aroundUpdate") }
    didUpdate(updated)
    return updated
  }

  /// Calls `delete` inside the callbacks of a deletion.
  @inlinable @inline(__always)
  func withDeleteCallbacks(_ db: Database, _ delete: (Self) throws -> Bool) throws -> Bool {
    try willDelete(db)
    var deleted: Bool?
    try aroundDelete(db) {
      let success = try delete(self)
      deleted = success
      return success
    }
    guard let deleted else { throw DatabaseError.callbackMisuse("aroundDelete") }
    didDelete(deleted: deleted)
    return deleted
  }
}

// MARK: - Whole changes, with all callbacks

extension MutablePersistableRecord {
  /// Inserts with `insert` and calls all callbacks.
  @inlinable @inline(__always)
  mutating func insertWithCallbacks(
    _ db: Database, _ insert: (Self) throws -> InsertionSuccess
  ) throws {
    try withSaveCallbacks(db) { PersistenceSuccess(try $0.withInsertCallbacks(db, insert)) }
  }

  /// Updates with `update` and calls all callbacks.
  @inlinable @inline(__always)
  func updateWithCallbacks(
    _ db: Database, columns: Set<String>, _ update: (Self) throws -> PersistenceSuccess
  ) throws {
    // The callbacks of an update don't change the record.
    var copy = self
    try copy.withSaveCallbacks(db) { record in
      try record.withUpdateCallbacks(db, columns: columns, update)
    }
  }

  /// Updates with `update`, or inserts with `insert` if there is no row, and calls all callbacks.
  mutating func saveWithCallbacks(
    _ db: Database, update: (Self) throws -> PersistenceSuccess,
    insert: (Self) throws -> InsertionSuccess
  ) throws {
    try withSaveCallbacks(db) { record in
      let table = try record.recordTable(db)
      if let key = try record.primaryKeyValues(table) {
        do {
          return try record.withUpdateCallbacks(db, columns: table.columnSet, update)
        } catch RecordError.recordNotFound(databaseTableName: table.name, key: key) {
          // The row doesn't exist. A callback's error about another record isn't caught here.
        }
      }
      return PersistenceSuccess(try record.withInsertCallbacks(db, insert))
    }
  }

  /// Updates or inserts the record's row and calls all callbacks.
  mutating func saveRow(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution?
  ) throws {
    try saveWithCallbacks(
      db, update: { try $0.updateRow(db, onConflict: conflictResolution) },
      insert: { try $0.insertRow(db, onConflict: conflictResolution) })
  }
}

extension MutablePersistableRecord {
  /// Returns the table of the record.
  func recordTable(_ db: Database, isInsertion: Bool = false) throws -> RecordTable {
    try type(of: self)._checkTable(db, isInsertion: isInsertion)
    return try db.recordPlans.table(db, type(of: self).databaseTableName)
  }

  /// Returns the names of all columns of the record's table.
  @usableFromInline
  func tableColumns(_ db: Database) throws -> Set<String> { try recordTable(db).columnSet }

  /// Returns the record's primary key values; nil if all are NULL.
  func primaryKeyValues(_ table: RecordTable) throws -> [String: DatabaseValue]? {
    try PersistenceContainer(self).values(of: table.requirePrimaryKey())
  }
}

extension PersistenceContainer {
  /// Returns the values of a primary key by column name; nil if all are NULL.
  func values(of key: PrimaryKeyInfo) -> [String: DatabaseValue]? {
    let values = allValues(of: key)
    return values.values.allSatisfy(\.isNull) ? nil : values
  }
}
