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

  // MARK: Making way

  /// How many readers are about to begin, and want to know at which commit.
  private let starters = Atomic<Int>(0)

  /// Executes `body`, during which the writer lets commits wait, for some milliseconds at most.
  func makingWay<T>(_ body: () throws -> T) rethrows -> T {
    starters.add(1, ordering: .sequentiallyConsistent)
    defer { starters.subtract(1, ordering: .sequentiallyConsistent) }
    return try body()
  }

  /// Lets the readers begin that are about to.
  ///
  /// One that begins meanwhile goes unnoticed: it looks at the count once more.
  func makeWay() {
    var waits = 0
    while starters.load(ordering: .sequentiallyConsistent) > 0, waits < 100 {
      waits += 1
      if waits < 10 { sched_yield() } else { usleep(100) }
    }
  }
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
  /// Whether a statement that writes has begun in the transaction.
  private(set) var hasWritten = false
  private var lastStatement: ObjectIdentifier?
  private var lastChangesCount = 0

  /// A statement is about to write.
  func note(_ statement: Statement) {
    hasWritten = true
    guard lastStatement != ObjectIdentifier(statement) else { return }
    lastStatement = ObjectIdentifier(statement)
    // A transaction of so many different statements counts as one that changes all.
    if statement.facts.invalidatesSchemaCache || (pending?.count ?? 0) > 1_000 {
      pending = nil
    } else {
      pending?.append(contentsOf: statement.facts.changes)
    }
  }

  /// A transaction has begun; statements before it may have written nothing that was committed.
  func didBegin() { hasWritten = false }

  /// SQLite is about to make the commit visible.
  func willCommit() {
    guard !isCommitting else { return }
    commits.makeWay()
    isCommitting = true
    commits.store(commits.value | 1)
  }

  func didRollback() {
    hasWritten = false
    pending = []
    lastStatement = nil
    guard isCommitting else { return }
    isCommitting = false
    commits.store(commits.value & ~1)
  }

  /// Notes that a commit is over, if there was one.
  func settle(_ connection: SQLiteConnection) {
    guard isCommitting, SQLite.isAutocommit(connection) else { return }
    didCommit(changesCount: SQLite.totalChangesCount(connection))
  }

  /// - Parameter changesCount: The connection's count of changed rows.
  private func didCommit(changesCount: Int) {
    isCommitting = false
    hasWritten = false
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
  func startCommitLog() -> CommitLog {
    let log = CommitLog()
    commitLog = log
    accessState.insert(.logged)
    observation.updateHooks()
    return log
  }

  /// Notes that a commit is over, if there was one.
  func settleCommitLog() {
    guard let commitLog, let sqliteConnection else { return }
    commitLog.settle(sqliteConnection)
  }

  /// Begins the transaction that a read access owes, and has it see the last commit.
  ///
  /// - Parameter isPatient: Whether a commit that takes long is waited for; it takes as long as the
  ///   disk.
  /// - Returns: The commit that it sees, or an earlier one where that can't be told.
  func establishSnapshot(
    _ commits: CommitCount? = nil, isPatient: Bool = false
  ) throws -> Int {
    guard let commits else {
      try beginSnapshot()
      return 0
    }
    if let commit = try commits.makingWay({ try countedSnapshot(commits, isPatient) }) {
      return commit
    }
    let earlier = commits.value & ~1
    try beginSnapshot()
    return earlier
  }

  /// Begins the transaction where no commit is under way.
  ///
  /// - Returns: The commit that it sees; nil where it hasn't begun.
  private func countedSnapshot(_ commits: CommitCount, _ isPatient: Bool) throws -> Int? {
    var waits = 0
    for _ in 0..<(isPatient ? 10_000 : 50) {
      var before = commits.value
      while before & 1 == 1 {
        waits += 1
        // A second, or ten: a commit may be long on its way where its thread gets no time.
        if waits > (isPatient ? 100_000 : 10_000) { return nil }
        if waits < 10 { sched_yield() } else { usleep(100) }
        before = commits.value
      }
      try beginSnapshot()
      if commits.value == before { return before }
      try renewPendingTransaction()
    }
    return nil
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
