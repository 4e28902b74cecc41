/// Is told of the changes to a database, and of the ends of transactions.
///
/// ```swift
/// final class PlayerObserver: TransactionObserver {
///   func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
///     eventKind.tableName == "player"
///   }
///   func databaseDidChange(with event: DatabaseEvent) { … }
///   func databaseDidCommit(_ db: Database) { … }
///   func databaseDidRollback(_ db: Database) { … }
/// }
/// ```
///
/// An observer is told of what its connection does, in SQL or through
/// triggers and foreign keys; of what other connections and processes do only
/// with ``Configuration/observesExternalChanges``. The rows of a table that is
/// dropped are not told of. For tables without rowids and for virtual tables
/// there is `databaseDidChange()` alone. So there is for rows that a conflict
/// may have replaced (`INSERT OR REPLACE`, `ON CONFLICT REPLACE`), after the
/// statement, if the observer observes deletions: which rows, if any, SQLite
/// doesn't tell. And so there is for updates of the rowid, or of a primary key:
/// their events have the new rowid, and nothing has the old one.
///
/// Changes inside a savepoint are told of when it is released, and never if it
/// is rolled back. Changes that a failed statement has undone may be told of.
public protocol TransactionObserver: AnyObject {
  /// Whether the observer wants to be told of such changes.
  ///
  /// Asked once for each compiled statement: the answer must not change while
  /// the observer is added to a database.
  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool

  /// Something that the observer observes has changed, without its being known
  /// which rows: see ``Database/notifyChanges(in:)``.
  func databaseDidChange()

  /// A row has changed.
  ///
  /// Called while the statement is executed: the connection can't be used.
  func databaseDidChange(with event: DatabaseEvent)

  /// The transaction is about to be committed; the connection can't be used.
  ///
  /// - Throws: An error to roll the transaction back: the commit throws it.
  func databaseWillCommit() throws

  /// The transaction was committed.
  ///
  /// - Parameter db: The connection, which may be used.
  func databaseDidCommit(_ db: Database)

  /// The transaction was rolled back.
  ///
  /// - Parameter db: The connection, which may be used.
  func databaseDidRollback(_ db: Database)
}

extension TransactionObserver {
  /// Does nothing.
  public func databaseDidChange() {}

  /// Does nothing.
  public func databaseWillCommit() throws {}

  /// Spares the observer the other changes of this transaction.
  ///
  /// To be called inside `databaseDidChange(with:)`; elsewhere it does nothing.
  public func stopObservingDatabaseChangesUntilNextTransaction() {
    TransactionObservation.current?.stop(self)
  }
}

/// An observer that is told of a transaction's end only if it was told of a
/// change in it: other commits, and statements on other tables, cost nothing,
/// however many such observers there are.
///
/// For a table that was dropped or altered, it is told that something has changed.
package protocol SelectiveTransactionObserver: TransactionObserver {
  /// The tables about which the observer is to be asked, in any schema; nil for all.
  ///
  /// Names are compared as SQLite does: upper and lower case of ASCII letters
  /// are the same. Read when the observer is added, and again when
  /// ``TransactionObservation/interestsDidChange(of:)`` says so.
  var observedTables: Set<String>? { get }

  /// The rowids of those rows of observed tables that matter, where not all do: changes of others
  /// cost nothing.
  ///
  /// Where it can't be told which rows have changed, it is told that something has.
  var observedRows: [String: Set<Int64>] { get }
}

extension SelectiveTransactionObserver {
  /// All tables.
  package var observedTables: Set<String>? { nil }

  /// All rows.
  package var observedRows: [String: Set<Int64>] { [:] }
}

extension Database {
  /// How long a database observes for an observer.
  public enum TransactionObservationExtent: Sendable, Hashable {
    /// As long as somebody else retains the observer.
    case observerLifetime
    /// Until the end of the next transaction, or the current one; the database
    /// retains the observer until then.
    case nextTransaction
    /// As long as the database is open; it retains the observer.
    case databaseLifetime
  }

  /// Adds an observer of the connection's transactions.
  ///
  /// - Parameter extent: How long; as long as it lives by default, so that you
  ///   have to retain it.
  public func add(
    transactionObserver: some TransactionObserver,
    extent: TransactionObservationExtent = .observerLifetime
  ) {
    observation.add(transactionObserver, extent: extent)
  }

  /// Removes an observer; it is told of nothing from now on.
  public func remove(transactionObserver: some TransactionObserver) {
    observation.remove(transactionObserver)
  }

  /// Calls a function once, when the current transaction ends, or the next one.
  ///
  /// ```swift
  /// try db.execute(sql: "DELETE FROM photo WHERE id = ?", arguments: [id])
  /// db.afterNextTransaction { _ in try? FileManager.default.removeItem(at: url) }
  /// ```
  ///
  /// - Parameters:
  ///   - onCommit: Called after a commit.
  ///   - onRollback: Called after a rollback.
  public func afterNextTransaction(
    onCommit: @escaping (_ db: Database) -> Void,
    onRollback: @escaping (_ db: Database) -> Void = { _ in }
  ) {
    add(
      transactionObserver: TransactionEnd(onCommit: onCommit, onRollback: onRollback),
      extent: .nextTransaction)
  }
}

extension DatabaseWriter {
  /// Adds an observer of the transactions that write.
  ///
  /// - Parameter extent: How long; as long as it lives by default, so that you
  ///   have to retain it.
  public func add(
    transactionObserver: some TransactionObserver,
    extent: Database.TransactionObservationExtent = .observerLifetime
  ) {
    // A closed database has nothing to observe.
    try? unsafeReentrantWrite { $0.add(transactionObserver: transactionObserver, extent: extent) }
  }

  /// Removes an observer; it is told of nothing from now on.
  public func remove(transactionObserver: some TransactionObserver) {
    try? unsafeReentrantWrite { $0.remove(transactionObserver: transactionObserver) }
  }
}

/// Calls functions at the end of a transaction, an empty one too.
final class TransactionEnd: TransactionObserver {
  private let onCommit: (Database) -> Void
  private let onRollback: (Database) -> Void

  init(onCommit: @escaping (Database) -> Void, onRollback: @escaping (Database) -> Void) {
    self.onCommit = onCommit
    self.onRollback = onRollback
  }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
  func databaseDidChange(with event: DatabaseEvent) {}
  func databaseDidCommit(_ db: Database) { onCommit(db) }
  func databaseDidRollback(_ db: Database) { onRollback(db) }
}
