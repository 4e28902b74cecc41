extension CommitCapture {
  // MARK: Checkpoints

  /// Reads the commits, moves their frames to the file, and lets the log start again.
  ///
  /// Called by the database's writer for its checkpoints, outside of transactions.
  /// - Parameter run: Moves frames in a mode.
  func checkpoint(
    mode: CInt, frameCount: Int?, _ run: (_ mode: CInt) -> CheckpointResult?
  ) -> CheckpointResult? {
    state.withLock { state in
      guard !state.isClosed, state.position != nil else { return run(mode) }
      // Another reader can keep the log for long: each commit would try in vain.
      if let frameCount, mode == SQLite.passiveCheckpoint {
        if frameCount < state.triedFrame { state.triedFrame = 0 }
        guard frameCount >= state.triedFrame + Self.step || state.triedFrame == 0 else {
          return run(mode)
        }
        state.triedFrame = frameCount
      }
      if (try? letGoIfTooLong(&state)) == true { return run(mode) }
      _ = try? collect(&state)
      let moved = run(SQLite.passiveCheckpoint)
      // A hold that begins now lets the log start again.
      _ = try? collect(&state)
      return mode == SQLite.passiveCheckpoint ? moved : run(mode)
    }
  }

  private static let step = 250

  /// Moves the frames of a log that other processes write, and lets it start again.
  ///
  /// - Parameters:
  ///   - pageCount: The frames from which on this is done.
  ///   - maximum: Those from which on commits of other processes wait for it.
  package func shortenLog(from pageCount: Int, maximum: Int) throws {
    try state.withLock { state in
      guard !state.isClosed, state.position != nil else { return }
      let index = try state.hold.index()
      guard index.frameCount >= pageCount, state.hold.state?.isFinal == false else { return }
      let writer = try state.writer ?? FileConnection(path: path, key: key, busyTimeout: 100)
      if state.writer == nil { SQLite.keepLogAtClose(try unsafe writer.connection) }
      state.writer = writer
      try writer.readSchema()
      _ = try unsafe SQLite.checkpoint(
        writer.connection, schema: "main", mode: SQLite.passiveCheckpoint)
      guard try collect(&state), state.hold.state?.isFinal == false,
        index.frameCount >= maximum
      else { return }
      let blocker = try FileConnection(path: path, key: key, busyTimeout: 100)
      defer { blocker.close() }
      SQLite.keepLogAtClose(try unsafe blocker.connection)
      try blocker.run("BEGIN IMMEDIATE")
      guard try collect(&state) else { return }
      _ = try unsafe SQLite.checkpoint(
        writer.connection, schema: "main", mode: SQLite.passiveCheckpoint)
      try collect(&state)
    }
  }
}
