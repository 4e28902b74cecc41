import CofferVault
import Dispatch
import Synchronization

/// Counts the commits of a pool's writer, so that readers know which commit they see.
final class CommitCount: Sendable {
  private let count = Atomic<Int>(0)
  private let pins = Atomic<Int>(0)

  /// Held by the writer from before a commit is visible until it is counted, and by a reader while
  /// it begins.
  private let turn = DispatchSemaphore(value: 0)

  init() { turn.signal() }

  /// The number of commits.
  var value: Int { count.load(ordering: .sequentiallyConsistent) }

  /// Counts a commit.
  ///
  /// - Returns: Its number if a reader will ask for the changes since an earlier commit.
  func increment() -> Int? {
    // The order matters: a reader pins and then reads the count, the writer counts and then checks
    // for pins, so that at least one of them sees the other.
    let commit = count.add(1, ordering: .sequentiallyConsistent).newValue
    return pins.load(ordering: .sequentiallyConsistent) > 0 ? commit : nil
  }

  /// Requests that the writer keep its changes from the current commit on.
  func pin() { pins.add(1, ordering: .sequentiallyConsistent) }

  func unpin() { pins.subtract(1, ordering: .sequentiallyConsistent) }

  // MARK: Turns

  /// Waits until no reader is beginning, or no commit is under way.
  ///
  /// The waits have limits, so that the writer and the readers never depend on each other.
  /// - Returns: False if the time was too short.
  func takeTurn(milliseconds: Int) -> Bool {
    // The first asks no clock.
    turn.wait(timeout: DispatchTime(uptimeNanoseconds: 0)) == .success
      || turn.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
  }

  func passTurn() { turn.signal() }

  /// Begins a read between two commits.
  ///
  /// - Returns: The commit that the read sees, or an earlier one if a commit takes very long.
  func counting(_ begin: () throws -> Void) rethrows -> Int {
    let hasTurn = takeTurn(milliseconds: 1_000)
    defer { if hasTurn { passTurn() } }
    let commit = value
    try begin()
    return commit
  }
}

/// The changes committed by a pool's writer, as its statements declare them.
///
/// Changes are kept only while an observation begins: between its fetch on a reader and the
/// addition of its observers on the writer. Used only in the writer's accesses.
final class CommitLog {
  /// The changed tables, by statement; nil if unknown.
  private typealias Changes = [[TableChange]]?

  let commits = CommitCount()
  /// The writer's data version when it was opened; nil if it couldn't be read.
  var firstDataVersion: Int64?
  @safe @exclusivity(unchecked) private var pending: Changes = []
  @safe @exclusivity(unchecked) private var entries: [(commit: Int, changes: Changes)] = []
  /// Whether SQLite has begun a commit that isn't settled yet.
  @safe @exclusivity(unchecked) private var isCommitting = false
  @safe @exclusivity(unchecked) private var hasTurn = false
  /// Whether a writing statement has begun in the transaction.
  @safe @exclusivity(unchecked) private(set) var hasWritten = false
  @safe @exclusivity(unchecked) private var lastChangesCount = 0

  deinit { endCommit() }

  /// Records that a statement is about to write.
  func note(_ statement: Statement) {
    hasWritten = true
    guard let count = pending?.count else { return }
    // A transaction with so many different statements counts as changing everything.
    if statement.facts.invalidatesSchemaCache || !statement.facts.quietChanges.isEmpty
      || count > 1_000
    {
      pending = nil
    } else if !statement.facts.changes.isEmpty, statement.facts.changes != pending?.last {
      // Those of one statement are often also those of the next one.
      pending?.append(statement.facts.changes)
    }
  }

  /// Records that a transaction has begun. Earlier statements may have written without committing.
  func didBegin() { hasWritten = false }

  /// Records that SQLite is about to make the commit visible.
  func willCommit() {
    guard !isCommitting else { return }
    isCommitting = true
    hasTurn = commits.takeTurn(milliseconds: 100)
  }

  func didRollback() {
    forgetTransaction()
    endCommit()
  }

  /// Records the end of a commit, if one was under way.
  @safe func settle(_ connection: SQLiteConnection) {
    guard isCommitting else { return }
    defer { endCommit() }
    let changesCount = SQLite.totalChangesCount(connection)
    // A transaction begun for a write can end without one.
    if pending?.isEmpty != true || changesCount != lastChangesCount { count(pending) }
    lastChangesCount = changesCount
    // A commit that has failed can be repeated, and counts as one until then.
    if SQLite.isAutocommit(connection) { forgetTransaction() }
  }

  private func forgetTransaction() {
    hasWritten = false
    if pending?.removeAll(keepingCapacity: true) == nil { pending = [] }
  }

  private func endCommit() {
    isCommitting = false
    if hasTurn { commits.passTurn() }
    hasTurn = false
  }

  /// Records a commit by another connection, whose changes are unknown.
  func didCommitElsewhere() { count(nil) }

  private func count(_ changes: Changes) {
    if let commit = commits.increment() {
      entries.append((commit, changes))
    } else if !entries.isEmpty {
      entries = []
    }
  }

  /// Whether the region may have changed since a pinned commit.
  func hasChanged(_ region: DatabaseRegion, since commit: Int) -> Bool {
    entries.contains { entry in
      guard entry.commit > commit else { return false }
      guard let changes = entry.changes, !changes.isEmpty, !region.hasInternalTables else {
        return true
      }
      return changes.joined().contains { region.isModified(byEventsOfKind: $0.kind) }
    }
  }
}

extension Database {
  /// Starts counting the connection's commits.
  func startCommitLog() -> CommitLog {
    let log = CommitLog()
    commitLog = log
    accessState.insert(.logged)
    observation.updateHooks()
    return log
  }

  /// Records the end of a commit, if one was under way.
  func settleCommitLog() {
    guard let commitLog, let sqliteConnection else { return }
    commitLog.settle(sqliteConnection)
  }

  /// Begins the pending transaction of a read access, at the last commit.
  func establishSnapshot() throws {
    if accessState.contains(.pendingTransaction) { try beginPendingTransaction() }
    let connection = try openConnection()
    let code = control.run(.touchSchema, in: connection)
    guard code == SQLite.ok else {
      throw translated(DatabaseError(code: code, connection: connection))
    }
  }
}
