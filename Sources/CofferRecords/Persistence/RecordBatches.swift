import CofferCore
import CofferQuery

// Changes of many records: one prepared statement, all or nothing.

extension Database {
  /// Calls `body` for each index, and rolls back all changes if it throws; those of the whole
  /// transaction if they have become too many for memory.
  ///
  /// - Throws: The error of `body`; a ``DatabaseError`` gets the index.
  @inlinable
  package func inRecordBatch(_ indices: Range<Int>, _ body: (Int) throws -> Void) throws {
    guard !indices.isEmpty else { return }
    try inBatchSavepoint {
      for index in indices {
        do { try body(index) } catch let error as DatabaseError {
          throw error.inBatch(at: index)
        }
      }
    }
  }
}

extension DatabaseError {
  @usableFromInline
  func inBatch(at index: Int) -> DatabaseError {
    inBatch(
      at: index,
      hint: "It was element \(index) of the batch, counted from 0; the batch was rolled back.")
  }
}

extension MutablePersistableRecord {
  /// Inserts all records or none, with one prepared statement.
  ///
  /// A batch that changes more than ``Configuration/changedPagesSize`` becomes a part of the
  /// transaction, which an error then rolls back as a whole, unless it is in a savepoint.
  ///
  /// ```swift
  /// var players = names.map { Player(id: nil, name: $0) }
  /// try Player.insertAll(db, &players)  // now they have their ids
  /// ```
  ///
  /// Calls the callbacks of each record.
  /// - Throws: The error of the first record that fails; ``DatabaseError/batchIndex`` is its index.
  ///   The records before it keep the changes that their callbacks have made.
  @inlinable
  public static func insertAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ records: inout [Self]
  ) throws {
    try db.inRecordBatch(records.indices) { index in
      try records[index].insertWithCallbacks(db) {
        try $0.insertRow(db, onConflict: conflictResolution)
      }
    }
  }

  /// Inserts copies of all records or none, with one prepared statement.
  ///
  /// - Returns: The copies, with their rowids if the type stores them.
  /// - Throws: The error of the first record that fails; ``DatabaseError/batchIndex`` is its index.
  @inlinable
  @discardableResult
  public static func insertAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ records: some Sequence<Self>
  ) throws -> [Self] {
    var records = Array(records)
    try insertAll(db, onConflict: conflictResolution, &records)
    return records
  }

  /// Inserts records, or updates the rows that conflict with them; all of them or none.
  ///
  /// See ``upsert(_:)``.
  /// - Throws: The error of the first record that fails; ``DatabaseError/batchIndex`` is its index.
  public static func upsertAll(_ db: Database, _ records: inout [Self]) throws {
    try db.inRecordBatch(records.indices) { index in
      try records[index].insertWithCallbacks(db) { try $0.upsertRow(db).success }
    }
  }

  /// Inserts copies of records, or updates the rows that conflict with them; all of them or none.
  ///
  /// - Returns: The copies, with their rowids if the type stores them.
  @discardableResult
  public static func upsertAll(_ db: Database, _ records: some Sequence<Self>) throws -> [Self] {
    var records = Array(records)
    try upsertAll(db, &records)
    return records
  }

  /// Updates the rows of all records or none, with one prepared statement.
  ///
  /// - Throws: ``RecordError`` if a record has no row, or the error of the first record that fails;
  ///   ``DatabaseError/batchIndex`` is its index.
  @inlinable
  public static func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ records: some Sequence<Self>
  ) throws {
    let records = Array(records)
    try db.inRecordBatch(records.indices) { index in
      try records[index].update(db, onConflict: conflictResolution)
    }
  }

  /// Saves all records or none: see ``save(_:onConflict:)``.
  ///
  /// - Throws: The error of the first record that fails; ``DatabaseError/batchIndex`` is its index.
  public static func saveAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ records: inout [Self]
  ) throws {
    try db.inRecordBatch(records.indices) { index in
      try records[index].saveRow(db, onConflict: conflictResolution)
    }
  }

  /// Saves copies of all records or none.
  ///
  /// - Returns: The copies, with their rowids if the type stores them.
  @discardableResult
  public static func saveAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ records: some Sequence<Self>
  ) throws -> [Self] {
    var records = Array(records)
    try saveAll(db, onConflict: conflictResolution, &records)
    return records
  }

  /// Deletes the rows of all records or none, with one prepared statement.
  ///
  /// - Returns: The number of deleted rows.
  @inlinable
  @discardableResult
  public static func deleteAll(_ db: Database, _ records: some Sequence<Self>) throws -> Int {
    let records = Array(records)
    var count = 0
    try db.inRecordBatch(records.indices) { index in
      if try records[index].delete(db) { count += 1 }
    }
    return count
  }
}

extension PersistableRecord {
  /// Inserts all records or none, with one prepared statement.
  ///
  /// - Returns: The records.
  /// - Throws: The error of the first record that fails; ``DatabaseError/batchIndex`` is its index.
  @inlinable
  @discardableResult
  public static func insertAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ records: some Sequence<Self>
  ) throws -> [Self] {
    // Insertions don't change them, so they aren't copied.
    let records = Array(records)
    try db.inRecordBatch(records.indices) { index in
      try records[index].insert(db, onConflict: conflictResolution)
    }
    return records
  }
}

extension MutableCollection where Element: MutablePersistableRecord {
  /// Inserts all records or none, with one prepared statement.
  ///
  /// See ``MutablePersistableRecord/insertAll(_:onConflict:_:)``.
  @inlinable
  @_disfavoredOverload
  public mutating func insertAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws {
    var records = Array(self)
    try Element.insertAll(db, onConflict: conflictResolution, &records)
    for (index, record) in zip(indices, records) { self[index] = record }
  }
}

extension Sequence where Element: PersistableRecord {
  /// Inserts all records or none, with one prepared statement.
  ///
  /// See ``MutablePersistableRecord/insertAll(_:onConflict:_:)``.
  @inlinable
  public func insertAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws {
    try Element.insertAll(db, onConflict: conflictResolution, self)
  }
}
