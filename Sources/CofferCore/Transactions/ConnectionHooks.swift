/// What SQLite calls back, and what is known thanks to it, of one connection.
package final class ConnectionHooks {
  let authorizer = Authorizer()
  var busyWait: BusyWait?
  var tracer: Tracer?
  var tracingOptions: Database.TracingOptions = []
  /// What a tokenizer has thrown, until SQLite reports its code.
  var tokenizerFailure: TokenizerFailure?
  /// The regions that are recorded at the moment, one inside the other.
  var recordedRegions: [DatabaseRegion] = []
  /// Counts up when the connection has changed the schema, or undone a change:
  /// what is kept of the schema is outdated.
  @exclusivity(unchecked) package var schemaGeneration = 0
  /// Counts up when a transaction begins.
  @exclusivity(unchecked) var transactionCount = 0

  init() {}

  /// Ends all calls, before the connection closes.
  func removeAll(from connection: SQLiteConnection) {
    Authorizer.remove(from: connection)
    SQLite.removeHooks(from: connection)
    SQLite.setBusyWait(nil, in: connection)
    SQLite.setCancellation(nil, in: connection)
    SQLite.setTracer(nil, options: [], in: connection)
  }
}
