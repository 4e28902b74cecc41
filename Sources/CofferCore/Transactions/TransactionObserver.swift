/// An observer of the changes to a database and of the ends of transactions.
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
/// An observer is notified of the changes of its connection, including those by triggers and
/// foreign keys; of changes by other connections and processes only with
/// ``Configuration/observesExternalChanges``. Rows that disappear with a dropped table are not
/// reported.
///
/// Some changes call `databaseDidChange()` instead, because SQLite doesn't report their rows:
///
/// - Changes of tables without rowids, and of virtual tables.
/// - Rows possibly replaced by a conflict (`INSERT OR REPLACE`, `ON CONFLICT REPLACE`): called
///   after the statement if the observer observes deletions, even if no row was replaced.
/// - Updates of the rowid or of a primary key: their events carry the new rowid only.
///
/// Changes inside a savepoint are reported when it is released, and never if it is rolled back.
/// Changes that a failed statement has undone can still be reported.
public protocol TransactionObserver: AnyObject {
  /// Returns whether the observer wants to be notified of such changes.
  ///
  /// Called once for each compiled statement: the answer must not change while the observer is
  /// added to a database.
  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool

  /// Called when something that the observer observes has changed in unknown rows: see
  /// ``Database/notifyChanges(in:)``.
  func databaseDidChange()

  /// Called when a row has changed.
  ///
  /// The statement is still being executed: the connection can't be used.
  func databaseDidChange(with event: DatabaseEvent)

  /// Called when the transaction is about to be committed; the connection can't be used.
  ///
  /// - Throws: An error to roll the transaction back; the commit rethrows it.
  func databaseWillCommit() throws

  /// Called when the transaction was committed.
  ///
  /// - Parameter db: The connection, which can be used.
  func databaseDidCommit(_ db: Database)

  /// Called when the transaction was rolled back.
  ///
  /// - Parameter db: The connection, which can be used.
  func databaseDidRollback(_ db: Database)
}

extension TransactionObserver {
  /// Does nothing.
  public func databaseDidChange() {}

  /// Does nothing.
  public func databaseWillCommit() throws {}

  /// Stops notifying the observer of changes until the next transaction.
  ///
  /// Call it inside `databaseDidChange(with:)`; elsewhere it does nothing.
  public func stopObservingDatabaseChangesUntilNextTransaction() {
    TransactionObservation.current?.stop(self)
  }
}

/// An observer that is notified of a transaction's end only if it was notified of a change in it:
/// other commits, and statements on other tables, cost nothing, however many such observers exist.
///
/// It is notified with `databaseDidChange()` when a table or a view that it observes is created,
/// dropped or altered, and when an internal table of SQLite that it observes has changed.
package protocol SelectiveTransactionObserver: TransactionObserver {
  /// The tables that the observer is asked about, in any schema; nil for all tables.
  ///
  /// Names are compared as in SQLite: case-insensitively for ASCII letters. Read when the observer
  /// is added, and again by ``TransactionObservation/interestsDidChange(of:)``.
  var observedTables: Set<String>? { get }

  /// The rowids of the observed rows, for tables of which only some rows are observed: changes of
  /// other rows cost nothing.
  ///
  /// Where SQLite doesn't report the changed rows, `databaseDidChange()` is called.
  var observedRows: [String: Set<Int64>] { get }

  /// Whether the observer knows rows by their rowids, so that a change of these matters even if no
  /// observed column changes: `databaseDidChange()` is called then.
  var followsRows: Bool { get }
}

extension SelectiveTransactionObserver {
  /// Nil: all tables are observed.
  package var observedTables: Set<String>? { nil }

  /// Empty: all rows are observed.
  package var observedRows: [String: Set<Int64>] { [:] }

  package var followsRows: Bool { false }
}

extension Database {
  /// The time during which a database notifies an observer.
  public enum TransactionObservationExtent: Sendable, Hashable {
    /// As long as the observer is retained elsewhere.
    case observerLifetime
    /// Until the end of the current transaction, or else of the next one.
    ///
    /// The database retains the observer until then.
    case nextTransaction
    /// As long as the database is open.
    ///
    /// The database retains the observer.
    case databaseLifetime
  }

  /// Adds an observer of the connection's transactions.
  ///
  /// - Parameter extent: How long the observer is notified. By default, until it is deallocated;
  ///   retain it.
  public func add(
    transactionObserver: some TransactionObserver,
    extent: TransactionObservationExtent = .observerLifetime
  ) {
    observation.add(transactionObserver, extent: extent)
  }

  /// Removes an observer.
  ///
  /// It gets no further notifications.
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
  /// - Parameter extent: How long the observer is notified. By default, until it is deallocated;
  ///   retain it.
  public func add(
    transactionObserver: some TransactionObserver,
    extent: Database.TransactionObservationExtent = .observerLifetime
  ) {
    // A closed database has nothing to observe.
    try? unsafeReentrantWrite { $0.add(transactionObserver: transactionObserver, extent: extent) }
  }

  /// Removes an observer.
  ///
  /// It gets no further notifications.
  public func remove(transactionObserver: some TransactionObserver) {
    try? unsafeReentrantWrite { $0.remove(transactionObserver: transactionObserver) }
  }
}

/// Calls functions at the end of a transaction, even of an empty one.
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
