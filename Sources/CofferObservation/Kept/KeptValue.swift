import CofferCore

/// A value that an observation keeps and brings up to date; see ``ValueReducer/_makeKeptValue()``.
public struct _KeptValue<Value: Sendable>: Sendable {
  private let base: any KeptFetching<Value>
  private var willFetch: @Sendable () -> Void = {}

  init(_ base: some KeptFetching<Value>) { self.base = base }

  /// Returns the value with a function that is called before each fetch.
  func handlingFetches(_ willFetch: @escaping @Sendable () -> Void) -> _KeptValue {
    var result = self
    result.willFetch = { [first = self.willFetch] in
      first()
      willFetch()
    }
    return result
  }

  /// The rows that have changed since the last fetch.
  var changes: ChangedRows { base.changes }

  /// Fetches the value anew.
  func fetch(_ db: Database) throws -> Value {
    willFetch()
    return try base.fetch(db)
  }

  /// Returns the value after the noted changes, on the connection that has committed them, outside
  /// of a transaction.
  ///
  /// - Returns: Nil if it must be fetched.
  func update(_ db: Database) -> Value? {
    guard let value = base.update(db) else { return nil }
    willFetch()
    return value
  }

  /// Confirms on the writer that nothing has changed since a fetch on a reader.
  func confirm(in db: Database) { base.confirm(in: db) }

  /// Notes on the writer what a fetch that begins later on a reader will see at least.
  func noteCommits(seenBy db: Database) { base.noteCommits(seenBy: db) }

  /// Forgets the value, so that the next one is fetched.
  func forget() { base.forget() }
}

/// What fetches a value, keeps it, and brings it up to date.
protocol KeptFetching<Value>: Sendable {
  associatedtype Value: Sendable
  var changes: ChangedRows { get }
  func fetch(_ db: Database) throws -> Value
  func update(_ db: Database) -> Value?
  func confirm(in db: Database)
  func noteCommits(seenBy db: Database)
  func forget()
}
