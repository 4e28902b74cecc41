/// What can be done with a database file as a whole, while no connection has it open.
public enum DatabaseFile {
  /// How far the work on a file has come.
  public struct Progress: Sendable, Hashable {
    /// The steps, in their order.
    public enum Phase: Sendable, Hashable {
      /// The content is being written to the new file.
      case copying
      /// The new file is being read back and compared.
      case verifying
      /// The new file is complete, and in its place.
      case finished
    }

    /// The step that is under way.
    public let phase: Phase
    /// The part of the step that is done, from 0 to 1; an estimate while copying.
    public let fraction: Double
  }
}
