import CofferSQLite

/// Reports the progress of work on a file, and ends the work if reporting throws.
final class FileProgressReports {
  private let progress: ((DatabaseFile.Progress) throws -> Void)?
  /// The error that reporting has thrown while SQLite was running.
  private(set) var cancellation: (any Error)?

  init(_ progress: ((DatabaseFile.Progress) throws -> Void)?) { self.progress = progress }

  func report(_ phase: DatabaseFile.Progress.Phase, _ fraction: Double) throws {
    try progress?(DatabaseFile.Progress(phase: phase, fraction: min(1, max(0, fraction))))
  }

  /// Reports progress while statements run inside `body`, and interrupts them if reporting throws.
  func reporting(
    on connection: FileConnection, _ phase: DatabaseFile.Progress.Phase,
    fraction: @escaping () -> Double, body: () throws -> Void
  ) throws {
    guard progress != nil else { return try body() }
    let handler = unsafe SQLiteProgressHandler(try connection.connection, every: 50_000) { [self] in
      do {
        try report(phase, fraction())
        return true
      } catch {
        cancellation = error
        return false
      }
    }
    try withExtendedLifetime(handler) { try body() }
    if let cancellation { throw cancellation }
  }
}
