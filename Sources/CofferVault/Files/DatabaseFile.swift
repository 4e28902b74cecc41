import CofferSQLite

/// Operations on a whole database file, while no connection has it open.
public enum DatabaseFile {
  /// The progress of an operation on a file.
  public struct Progress: Sendable, Hashable {
    /// The phases, in their order.
    public enum Phase: Sendable, Hashable {
      /// The content is being written to the new file.
      case copying
      /// The new file is being read back and compared.
      case verifying
      /// The new file is complete and in its place; the operation can no longer be cancelled.
      case finished
    }

    /// The current phase.
    public let phase: Phase
    /// The completed fraction of the phase, from 0 to 1.
    ///
    /// An estimate while copying.
    public let fraction: Double
  }
}
