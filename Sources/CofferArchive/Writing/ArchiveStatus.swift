import FoundationEssentials

/// How far a session's archive is.
public struct ArchiveStatus: Sendable {
  /// The last commit that can be restored from the archive; nil before the first.
  public internal(set) var archived: ArchiveCommit?

  /// How long the database has had commits that the archive doesn't have; zero if it has all.
  public internal(set) var lag: Duration = .zero

  /// The bytes that wait: in the write-ahead log, and in memory.
  public internal(set) var waitingByteCount = 0

  /// The number of gaps that this session has made: how often it had to let the write-ahead log go
  /// with commits that it hadn't read. These can't be restored one by one.
  public internal(set) var gapCount = 0

  /// The size of all objects that the session has stored, in bytes.
  public internal(set) var storedByteCount = 0

  /// The number of the objects that the session has stored.
  public internal(set) var storedObjectCount = 0

  /// The number of segments and parts of layers that the session has deleted, since the retention
  /// doesn't keep them.
  public internal(set) var prunedObjectCount = 0

  /// The number of the writer from which this session has taken the archive over; nil if it hasn't.
  public internal(set) var takenOverWriter: UInt64?

  /// The part of all pages that is archived, from 0 to 1, while they are being archived; otherwise
  /// nil.
  public internal(set) var progress: Double?

  /// The error of the last attempt; nil if it succeeded.
  public internal(set) var lastError: (any Error)?

  /// Whether the session goes on.
  ///
  /// It ends with ``ArchiveSession/stop(within:)``, or when it can't go on.
  public internal(set) var isRunning = true
}
