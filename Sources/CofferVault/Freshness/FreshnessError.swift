import CofferSQLite

/// The reason why freshness can't be established, other than a replaced file.
///
/// A replaced file is a ``DatabaseError`` with ``CipherDiagnosis/replaced(_:)``.
public enum FreshnessError: Error, Equatable, Sendable {
  /// The database has had an anchor, which is gone, or none may be made.
  case anchorMissing
  /// The anchor's bytes are damaged, forged, or made with another key.
  case anchorDamaged
  /// The anchor is older than the database: an earlier anchor was put back.
  case anchorOlder
  /// The anchor can't be read or written now.
  case anchorUnavailable(reason: String)
  /// Somebody else has stored another state in the anchor.
  case anchorTaken
  /// The anchor has a format that this version of Coffer doesn't know.
  case unknownVersion(Int)
  /// Another connection or process has the database open with freshness.
  case inUse
  /// Freshness isn't possible for this database.
  case unsupported(reason: String)
  /// The record beside the database can't be written.
  case recordUnavailable(reason: String)
}

extension FreshnessError: CustomStringConvertible {
  /// A description of the problem and its remedy.
  public var description: String {
    switch self {
    case .anchorMissing:
      "The anchor of the database is missing, so that nothing shows whether the database is the "
        + "newest one. Bring the anchor back; or, if you know that the database is right, accept it "
        + "with Freshness.accept."
    case .anchorDamaged:
      "The anchor is damaged, forged, or of another key or database. Bring the right one back; or, "
        + "if you know that the database is right, accept it with Freshness.accept."
    case .anchorOlder:
      "The anchor is older than the database: an earlier anchor was put back. Bring the newest one "
        + "back; or, if you know that the database is right, accept it with Freshness.accept."
    case .anchorUnavailable(let reason):
      "The anchor can't be used now: \(reason). Commits are safe; try again when it is back."
    case .anchorTaken:
      "Another program has stored a state in this anchor: each database needs one of its own, and "
        + "only one program may write to a copy of it."
    case .unknownVersion(let version):
      "The anchor has format version \(version), which this version of Coffer doesn't know. "
        + "Update Coffer."
    case .inUse:
      "The database is open with freshness already. It can have one queue or pool in one process: "
        + "close the other one first."
    case .unsupported(let reason):
      "Freshness isn't possible here: \(reason)."
    case .recordUnavailable(let reason):
      "The record of the database's state can't be written: \(reason). Check the folder and the disk."
    }
  }
}
