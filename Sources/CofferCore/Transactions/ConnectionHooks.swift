import CofferVault

/// The callbacks of one connection, and the state that they maintain.
package final class ConnectionHooks {
  let authorizer = Authorizer()
  var busyWait: BusyWait?
  var tracer: Tracer?
  var tracingOptions: Database.TracingOptions = []
  /// The error that a tokenizer has thrown, until SQLite reports its code.
  var tokenizerFailure: TokenizerFailure?
  /// The regions that are currently recorded, each nested in the one before it.
  var recordedRegions: [DatabaseRegion] = []
  /// Incremented when the connection changes the schema or undoes such a change, which invalidates
  /// everything cached from the schema.
  @inlinable package var schemaGeneration: Int { generation }
  // Other modules don't see the attribute, and would check each access; so they call the getter.
  @safe @exclusivity(unchecked) @usableFromInline var generation = 0
  /// Incremented when a transaction begins.
  @safe @exclusivity(unchecked) var transactionCount = 0
  /// The last transaction that began with the lock for writing, and sees the last commit since.
  @safe @exclusivity(unchecked) var lockedTransaction: Int?

  /// Incremented when a query can have another meaning or another order of rows than before, with
  /// the same schema: by functions, collations and some settings of the connection.
  ///
  /// 0 as long as the connection is as it was set up.
  package private(set) var meaningGeneration = 0
  private var isSetUp = false

  init() {}

  /// Called when a function, a collation or a setting has changed.
  func noteMeaningChange() { if isSetUp { meaningGeneration += 1 } }

  /// Called when the connection is set up, also when it was opened again.
  func didSetUp() {
    noteMeaningChange()
    isSetUp = true
  }

  /// Removes all callbacks before the connection closes.
  @safe func removeAll(from connection: SQLiteConnection) {
    Authorizer.remove(from: connection)
    SQLite.removeHooks(from: connection)
    SQLite.setBusyWait(nil, in: connection)
    SQLite.setCancellation(nil, in: connection)
    SQLite.setTracer(nil, options: [], in: connection)
  }
}
