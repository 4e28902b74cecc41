import Synchronization
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Counts the commits of a pool's writer, for readers to tell which one they see.
final class CommitCount: Sendable {
  /// Odd while a commit is under way.
  private let count = Atomic<Int>(0)
  private let pins = Atomic<Int>(0)

  /// Twice the number of commits, and one more while one is under way.
  var value: Int { count.load(ordering: .sequentiallyConsistent) }

  // The order of these matters: a reader pins and then reads the count, the writer counts and
  // then looks for pins, so that one of them sees the other.
  func store(_ value: Int) { count.store(value, ordering: .sequentiallyConsistent) }

  /// Whether somebody will ask what was changed since a commit.
  var isPinned: Bool { pins.load(ordering: .sequentiallyConsistent) > 0 }

  /// Has the writer keep what it changes from the current commit on.
  func pin() { pins.add(1, ordering: .sequentiallyConsistent) }

  func unpin() { pins.subtract(1, ordering: .sequentiallyConsistent) }
}

/// What the commits of a pool's writer have changed, as their statements announce it.
///
/// It is kept only while an observation begins: between its fetch on a reader, and the addition
/// of its observers on the writer. Used by the writer's accesses alone.
final class CommitLog {
  /// Tables' changes; nil for unknown ones.
  private typealias Changes = [TableChange]?

  let commits = CommitCount()
  private var pending: Changes = []
  private var entries: [(commit: Int, changes: Changes)] = []
  /// Whether SQLite is in the middle of a commit, or was.
  private(set) var isCommitting = false
  private var lastStatement: ObjectIdentifier?
  private var lastChangesCount = 0

  /// A statement is about to write.
  func note(_ statement: Statement) {
    guard lastStatement != ObjectIdentifier(statement) else { return }
    lastStatement = ObjectIdentifier(statement)
    // A transaction of so many different statements counts as one that changes all.
    if statement.facts.invalidatesSchemaCache || (pending?.count ?? 0) > 1_000 {
      pending = nil
    } else {
      pending?.append(contentsOf: statement.facts.changes)
    }
  }

  /// SQLite is about to make the commit visible.
  func willCommit() {
    guard !isCommitting else { return }
    isCommitting = true
    commits.store(commits.value | 1)
  }

  func didRollback() {
    pending = []
    lastStatement = nil
    guard isCommitting else { return }
    isCommitting = false
    commits.store(commits.value & ~1)
  }

  /// The statement that commits has ended.
  ///
  /// - Parameter changesCount: The connection's count of changed rows.
  func didCommit(changesCount: Int) {
    isCommitting = false
    defer { lastChangesCount = changesCount }
    // Transactions that are begun for a write may do without one.
    if let pending, pending.isEmpty, changesCount == lastChangesCount {
      return commits.store(commits.value & ~1)
    }
    let commit = (commits.value | 1) + 1
    commits.store(commit)
    append(commit, pending)
    pending = []
    lastStatement = nil
  }

  /// Another connection has committed; what, is unknown.
  func didCommitElsewhere() {
    guard !isCommitting else { return }
    let commit = (commits.value & ~1) + 2
    commits.store(commit)
    append(commit, nil)
  }

  private func append(_ commit: Int, _ changes: Changes) {
    if commits.isPinned {
      entries.append((commit, changes))
    } else if !entries.isEmpty {
      entries = []
    }
  }

  /// Whether the region may have changed since a commit that was pinned.
  func hasChanged(_ region: DatabaseRegion, since commit: Int) -> Bool {
    entries.contains { entry in
      guard entry.commit > commit else { return false }
      guard let changes = entry.changes, !changes.isEmpty else { return true }
      return changes.contains { region.isModified(byEventsOfKind: $0.kind) }
    }
  }
}

extension Database {
  /// Has the commits of this connection counted.
  func startCommitLog() -> CommitCount {
    let log = CommitLog()
    commitLog = log
    accessState.insert(.logged)
    observation.updateHooks()
    return log.commits
  }

  /// Notes that a commit is over, if there was one.
  func settleCommitLog() {
    guard let commitLog, commitLog.isCommitting, let sqliteConnection,
      SQLite.isAutocommit(sqliteConnection)
    else { return }
    commitLog.didCommit(changesCount: SQLite.totalChangesCount(sqliteConnection))
  }

  /// Begins the transaction that a read access owes, and has it see the last commit.
  ///
  /// - Returns: The commit that it sees, or an earlier one where commits come too fast to tell.
  func establishSnapshot(_ commits: CommitCount? = nil) throws -> Int {
    var waits = 0
    for _ in 0..<50 {
      var before = commits?.value ?? 0
      // A commit takes as long as the disk: a tenth of a second is waited for at most.
      while before & 1 == 1, waits < 1_000, let commits {
        waits += 1
        if waits < 10 { sched_yield() } else { usleep(100) }
        before = commits.value
      }
      if before & 1 == 1 { break }
      try beginSnapshot()
      if commits?.value ?? 0 == before { return before }
      try rollback()
      accessState.insert(.pendingTransaction)
    }
    let earlier = (commits?.value ?? 0) & ~1
    try beginSnapshot()
    return earlier
  }

  private func beginSnapshot() throws {
    if accessState.contains(.pendingTransaction) { try beginPendingTransaction() }
    let connection = try openConnection()
    let code = control.run(.touchSchema, in: connection)
    guard code == SQLite.ok else {
      throw translated(DatabaseError(code: code, connection: connection))
    }
  }
}
