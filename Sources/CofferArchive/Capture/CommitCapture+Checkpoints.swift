import CofferCore
import Synchronization

extension CommitCapture: LogFollower {
  var hasEnded: Bool { isClosed }

  var reasonForLongLog: String? {
    isFull ? "its archive can't store the commits yet" : nil
  }

  /// Reads the commits from time to time: a checkpoint waits for those that are left.
  func didCommit(frameCount: Int, isCheckpointDue: Bool) {
    // A checkpoint reads them itself.
    let last = readAheadSize.load(ordering: .relaxed)
    guard !isCheckpointDue, !(last..<(last + Self.step)).contains(frameCount) else { return }
    readAheadSize.store(frameCount, ordering: .relaxed)
    readAhead()
  }

  // MARK: Checkpoints

  /// Reads the commits, moves their frames to the file, and lets the log start again.
  ///
  /// Called by the database's writer for its checkpoints, outside of transactions.
  func checkpoint(
    mode: CInt, frameCount: Int?, _ run: (_ mode: CInt) -> CheckpointResult?
  ) -> CheckpointResult? {
    switch state.withLock({ plan(mode: mode, frameCount: frameCount, &$0) }) {
    case .notFollowing: return run(mode)
    case .later: return (SQLite.ok, frameCount ?? 0, 0)
    case .now: break
    }
    // SQLite waits, and calls the program, outside of the lock: a program may ask for the status.
    let hasRoom = (try? collect()) == true
    guard mode != SQLite.passiveCheckpoint, hasRoom else {
      let moved = run(SQLite.passiveCheckpoint)
      letLogRestart()
      // Waiting would not help: what the hold keeps has to be stored elsewhere first.
      if mode != SQLite.passiveCheckpoint, let moved {
        return (ResultCode.SQLITE_BUSY.rawValue, moved.walFrames, moved.checkpointedFrames)
      }
      return moved
    }
    // This waits for readers of older states, which the hold isn't.
    let moved = run(SQLite.fullCheckpoint)
    guard letLogRestart(), mode != SQLite.fullCheckpoint, moved?.code == SQLite.ok else {
      return moved
    }
    return run(mode)
  }

  private enum CheckpointPlan { case notFollowing, later, now }

  private func plan(mode: CInt, frameCount: Int?, _ state: inout State) -> CheckpointPlan {
    guard !state.isClosed, state.position != nil, (try? letGoIfTooLong(&state)) != true else {
      return .notFollowing
    }
    // Another reader can keep the log for long: each commit would try in vain.
    guard let frameCount, mode == SQLite.passiveCheckpoint else { return .now }
    if frameCount < state.triedFrame { state.triedFrame = 0 }
    guard frameCount >= state.triedFrame + Self.step || state.triedFrame == 0 else { return .later }
    state.triedFrame = frameCount
    return .now
  }

  /// Begins a hold that lets the log start again, if the file has all of its frames.
  ///
  /// - Returns: Whether it does.
  @discardableResult
  private func letLogRestart() -> Bool {
    state.withLock { state in
      _ = try? collect(&state)
      guard state.hold.state?.isFinal == true else { return false }
      state.triedFrame = 0
      return true
    }
  }

  /// The frames after which the log is read ahead, and after which a checkpoint is tried again.
  private static let step = 250

  /// Moves the frames of a log that other processes write, and lets it start again.
  ///
  /// - Parameters:
  ///   - pageCount: The frames from which on this is done.
  ///   - maximum: Those from which on commits of other processes wait for it.
  func shortenLog(from pageCount: Int, maximum: Int) throws {
    try shortening.withLock { _ in
      let frameCount = try state.withLock { state in
        let isGrowing =
          !state.isClosed && state.position != nil && state.hold.state?.isFinal == false
        return isGrowing ? try state.hold.index().frameCount : 0
      }
      guard frameCount >= max(1, pageCount) else { return }
      // The hold keeps what wasn't read.
      try unsafe moveFrames {
        SQLite.tryCheckpoint($0, schema: "main", mode: SQLite.passiveCheckpoint)
      }
      guard try collect(), !letLogRestart(), frameCount >= maximum else { return }
      let blocker = try FileConnection(path: path, key: key, busyTimeout: 100)
      SQLite.keepLogAtClose(try unsafe blocker.connection)
      defer { blocker.close() }
      try blocker.run("BEGIN IMMEDIATE")
      guard try collect() else { return }
      try unsafe moveFrames { connection in
        CheckpointGuard.protectingOtherwise(connection) {
          SQLite.tryCheckpoint(connection, schema: "main", mode: SQLite.passiveCheckpoint)
        }
      }
      letLogRestart()
    }
  }

  // SAFETY: it is taken out of the state, so that one thread alone uses it until it is given back.
  private struct Taken: @unchecked Sendable {
    let connection: FileConnection
  }

  /// Has frames moved to the file by the connection that the hold doesn't use, outside of the lock.
  private func moveFrames(_ move: (SQLiteConnection) -> Void) throws {
    let taken = try state.withLock { state in
      guard !state.isClosed else { throw CommitCaptureError.logIsGone }
      return Taken(connection: try state.hold.takeNext())
    }
    defer {
      state.withLock { state in
        if state.isClosed {
          taken.connection.close()
        } else {
          state.hold.giveBack(taken.connection)
        }
      }
    }
    try unsafe move(taken.connection.connection)
  }
}
