import CofferCore
import FoundationEssentials

/// What a running session tells other processes of its machine, in the file beside its database.
public struct ArchiverReport: Sendable, Codable {
  /// The number of the session's process.
  public internal(set) var process: Int32
  /// Where the archive is.
  public internal(set) var target: String
  /// When this was written: each 10 seconds, and when something has changed.
  public internal(set) var date: Date
  /// When the archive last had all commits of the database.
  public internal(set) var lastCurrent: Date
  /// The last commit that can be restored; nil before the first.
  public internal(set) var commit: UInt64?
  /// The bytes that wait: in the write-ahead log, and in memory.
  public internal(set) var waitingByteCount: Int
  /// The commits that wait; nil where they are too many to be counted, or some were let go.
  public internal(set) var waitingCommitCount: Int?
  /// The number of gaps that the session has made.
  public internal(set) var gapCount: Int
  /// The request to prune that was done last, and what it has deleted.
  var prunedRequest: UInt64?
  var prunedObjectCount: Int?
  /// Whether what is stored last can be restored: false while all pages are being archived.
  public internal(set) var isWhole: Bool
  /// The error of the last attempt; nil if it succeeded.
  public internal(set) var error: String?

  /// Whether this says the same as another one, but for the time.
  func isSame(as other: ArchiverReport) -> Bool {
    (commit, waitingByteCount, gapCount, isWhole, error, prunedRequest)
      == (
        other.commit, other.waitingByteCount, other.gapCount, other.isWhole, other.error,
        other.prunedRequest
      )
  }
}

extension ArchiveSession {
  /// Returns what the session that archives a database tells, also one of another process.
  ///
  /// Waits for nothing.
  /// - Parameter path: The path of the database.
  /// - Returns: Nil if no session archives it on this machine.
  public static func report(ofDatabaseAt path: String) -> ArchiverReport? {
    // It may just be written.
    for _ in 0..<10 {
      guard let bytes = ArchiveStateFile.note(ofDatabaseAt: path) else { return nil }
      if let report = try? JSONDecoder().decode(ArchiverReport.self, from: Data(bytes)) {
        return report
      }
    }
    return nil
  }
}
