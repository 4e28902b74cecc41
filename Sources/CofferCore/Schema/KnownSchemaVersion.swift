import CofferVault

/// The version of the main schema that SQLite was asked for, and what shows that it is still the
/// version: to ask again takes a quarter of Coffer's own instructions in a short transaction.
///
/// - SQLite counts the changes of the file that a connection has seen, by itself or by others. The
///   count is compared only where the transaction has the lock for writing: it has looked at the
///   file then, and nobody else changes it.
///   <https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntldataversion>
/// - The connection's own changes of the schema are counted by its hooks. Those that its hooks
///   don't hear of, by statements that a program has prepared with SQLite's handle, end this for
///   good.
struct KnownSchemaVersion {
  private let version: Int32
  private let generation: Int
  private var dataVersion: UInt32
  /// The last transaction in which this was the version.
  private var transaction: Int

  /// Returns nil if SQLite doesn't count changes, as before 3.22.
  init?(_ version: Int32, of transaction: Int, _ database: Database) {
    guard let connection = database.sqliteConnection,
      let dataVersion = SQLite.dataVersion(connection)
    else { return nil }
    self.version = version
    generation = database.hooks.schemaGeneration
    self.dataVersion = dataVersion
    self.transaction = transaction
  }

  /// Returns the version in a transaction; nil if SQLite has to be asked.
  mutating func version(in transaction: Int, _ database: Database) -> Int32? {
    guard transaction == database.hooks.lockedTransaction,
      generation == database.hooks.schemaGeneration,
      !database.hooks.authorizer.hasForeignDefinition,
      let connection = database.sqliteConnection, dataVersion == SQLite.dataVersion(connection)
    else { return nil }
    self.transaction = transaction
    return version
  }

  /// Counts the change that the commit of a transaction is, if the version is known from it.
  mutating func didCommit(_ transaction: Int, _ database: Database) {
    guard transaction == self.transaction, let connection = database.sqliteConnection,
      let dataVersion = SQLite.dataVersion(connection)
    else { return }
    self.dataVersion = dataVersion
  }
}
