import Synchronization
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Counts the commits of a pool's writer, so that readers know which one they see.
final class CommitCount: Sendable {
  /// Odd while a commit is under way.
  private let count = Atomic<Int>(0)
  private let pins = Atomic<Int>(0)

  /// Twice the number of commits, plus one while a commit is under way.
  var value: Int { count.load(ordering: .sequentiallyConsistent) }

  // The order matters: a reader pins and then reads the count, the writer counts and then checks
  // for pins, so that at least one of them sees the other.
  func store(_ value: Int) { count.store(value, ordering: .sequentiallyConsistent) }

  /// Whether a reader will ask for the changes since a commit.
  var isPinned: Bool { pins.load(ordering: .sequentiallyConsistent) > 0 }

  /// Requests that the writer keep its changes from the current commit on.
  func pin() { pins.add(1, ordering: .sequentiallyConsistent) }

  func unpin() { pins.subtract(1, ordering: .sequentiallyConsistent) }

  // MARK: Delaying commits

  /// The number of readers that are about to begin and need to know at which commit.
  private let starters = Atomic<Int>(0)

  /// Executes `body`, during which the writer delays its commits by some milliseconds at most.
  func makingWay<T>(_ body: () throws -> T) rethrows -> T {
    starters.add(1, ordering: .sequentiallyConsistent)
    defer { starters.subtract(1, ordering: .sequentiallyConsistent) }
    return try body()
  }

  /// Waits for the readers that are about to begin, for some milliseconds at most.
  ///
  /// A reader that only now starts to begin is missed, and detects that from the count.
  func makeWay() {
    var waits = 0
    while starters.load(ordering: .sequentiallyConsistent) > 0, waits < 100 {
      waits += 1
      if waits < 10 { sched_yield() } else { usleep(100) }
    }
  }
}

/// The changes committed by a pool's writer, as its statements declare them.
///
/// Changes are kept only while an observation begins: between its fetch on a reader and the
/// addition of its observers on the writer. Used only in the writer's accesses.
final class CommitLog {
  /// The changed tables; nil if unknown.
  private typealias Changes = [TableChange]?

  let commits = CommitCount()
  private var pending: Changes = []
  private var entries: [(commit: Int, changes: Changes)] = []
  /// Whether SQLite has begun a commit that isn't settled yet.
  private(set) var isCommitting = false
  /// Whether a writing statement has begun in the transaction.
  private(set) var hasWritten = false
  private var lastStatement: ObjectIdentifier?
  private var lastChangesCount = 0

  /// Notes that a statement is about to write.
  func note(_ statement: Statement) {
    hasWritten = true
    guard lastStatement != ObjectIdentifier(statement) else { return }
    lastStatement = ObjectIdentifier(statement)
    // A transaction with so many different statements counts as changing everything.
    if statement.facts.invalidatesSchemaCache || (pending?.count ?? 0) > 1_000 {
      pending = nil
    } else {
      pending?.append(contentsOf: statement.facts.changes)
    }
  }

  /// Notes that a transaction has begun. Earlier statements may have written without committing.
  func didBegin() { hasWritten = false }

  /// Notes that SQLite is about to make the commit visible.
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

  /// Notes the end of a commit, if one was under way.
  func settle(_ connection: SQLiteConnection) {
    guard isCommitting, SQLite.isAutocommit(connection) else { return }
    didCommit(changesCount: SQLite.totalChangesCount(connection))
  }

  /// - Parameter changesCount: The connection's total of changed rows.
  private func didCommit(changesCount: Int) {
    isCommitting = false
    hasWritten = false
    defer { lastChangesCount = changesCount }
    // A transaction begun for a write can end without one.
    if let pending, pending.isEmpty, changesCount == lastChangesCount {
      return commits.store(commits.value & ~1)
    }
    let commit = (commits.value | 1) + 1
    commits.store(commit)
    append(commit, pending)
    pending = []
    lastStatement = nil
  }

  /// Notes a commit by another connection, whose changes are unknown.
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

  /// Whether the region may have changed since a pinned commit.
  func hasChanged(_ region: DatabaseRegion, since commit: Int) -> Bool {
    entries.contains { entry in
      guard entry.commit > commit else { return false }
      guard let changes = entry.changes, !changes.isEmpty else { return true }
      return changes.contains { region.isModified(byEventsOfKind: $0.kind) }
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

  /// Notes the end of a commit, if one was under way.
  func settleCommitLog() {
    guard let commitLog, let sqliteConnection else { return }
    commitLog.settle(sqliteConnection)
  }

  /// Begins the transaction that a read access owes, at the last commit.
  ///
  /// - Parameter isPatient: Whether to wait longer for a commit under way, which takes as long as
  ///   the disk.
  /// - Returns: The commit that the transaction sees, or an earlier one if that can't be
  ///   determined.
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

  /// Begins the transaction while no commit is under way.
  ///
  /// - Returns: The commit that the transaction sees; nil if it hasn't begun.
  private func countedSnapshot(_ commits: CommitCount, _ isPatient: Bool) throws -> Int? {
    var waits = 0
    for _ in 0..<(isPatient ? 10_000 : 50) {
      var before = commits.value
      while before & 1 == 1 {
        waits += 1
        // One second, or ten if patient: a commit can take long while its thread isn't scheduled.
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
