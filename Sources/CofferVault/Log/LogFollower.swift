import CofferSQLite

/// What has to see the commits in a database's write-ahead log before they are moved to the file.
///
/// The writer's ``Checkpointer`` calls it, on the writer's thread.
package protocol LogFollower: AnyObject {
  /// Whether it follows no more, and can be forgotten.
  var hasEnded: Bool { get }

  /// Why the log is long, if this is the reason.
  var reasonForLongLog: String? { get }

  /// Takes note of a commit, inside of it.
  ///
  /// - Parameters:
  ///   - frameCount: The frames in the log.
  ///   - isCheckpointDue: Whether a checkpoint follows.
  func didCommit(frameCount: Int, isCheckpointDue: Bool)

  /// Runs a checkpoint, and does what must come before and after it.
  ///
  /// - Parameters:
  ///   - mode: SQLite's mode, which is changed for frames that must stay.
  ///   - frameCount: The frames in the log; nil if the checkpoint was asked for.
  ///   - run: Moves frames in a mode.
  /// - Returns: Nil if no frame may be moved.
  func checkpoint(
    mode: CInt, frameCount: Int?, _ run: (_ mode: CInt) -> CheckpointResult?
  ) -> CheckpointResult?
}

extension LogFollower {
  package var hasEnded: Bool { false }
  package var reasonForLongLog: String? { nil }
}

/// The result of a checkpoint: its code, the frames in the log, and those that are in the file.
package typealias CheckpointResult = (code: CInt, walFrames: Int, checkpointedFrames: Int)
