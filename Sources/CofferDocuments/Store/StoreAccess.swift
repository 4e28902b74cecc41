import CofferCore

/// How a store and its collections access the database.
@usableFromInline
struct StoreAccess: Sendable {
  let writer: any DatabaseWriter
  /// The writer, if it knows the current access.
  private let current: (any ObservableReader)?
  let autoMigrate: Bool
  let autoDropColumns: Bool

  init(_ writer: any DatabaseWriter, autoMigrate: Bool, autoDropColumns: Bool) {
    self.writer = writer
    current = writer as? any ObservableReader
    self.autoMigrate = autoMigrate
    self.autoDropColumns = autoDropColumns
  }

  /// Creates another store of the same database.
  func store() -> DocumentStore {
    DocumentStore(writer, autoMigrate: autoMigrate, autoDropColumns: autoDropColumns)
  }

  /// The connection of the current access on this thread.
  var currentDatabase: Database? { current?.currentDatabase }

  /// Executes `body` in the current access, or else in a read.
  func reading<T>(_ body: (Database) throws -> T) throws -> T {
    if let db = currentDatabase { return try body(db) }
    return try writer.read(body)
  }

  /// Executes `body` in the current access, or else in a transaction.
  func writing<T>(_ body: (Database) throws -> T) throws -> T {
    if let db = currentDatabase { return try body(db) }
    return try writer.write(body)
  }

  /// Migrates a table that doesn't match its schema.
  ///
  /// That is checked in a read first, which waits for no writer.
  func migrate(_ schema: CollectionSchema, dropColumns: Bool) throws {
    let isReadonly = writer.configuration.readonly
    let isCurrent = try reading {
      try schema.isCurrent($0, dropColumns: dropColumns, isReadonly: isReadonly)
    }
    guard !isCurrent else { return }
    try schema.requireWritable(writer)
    try writing { try schema.migrate($0, dropColumns: dropColumns) }
  }

  /// Migrates a table that doesn't match its schema, on another thread.
  func migrate(_ schema: CollectionSchema, dropColumns: Bool) async throws {
    let isReadonly = writer.configuration.readonly
    let isCurrent = try await writer.read {
      try schema.isCurrent($0, dropColumns: dropColumns, isReadonly: isReadonly)
    }
    guard !isCurrent else { return }
    try schema.requireWritable(writer)
    try await writer.write { try schema.migrate($0, dropColumns: dropColumns) }
  }
}
