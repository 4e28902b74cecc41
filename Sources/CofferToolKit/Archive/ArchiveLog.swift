import CofferArchive
import Foundation

/// Lines that tell what happens to an archive, on the error output.
struct ArchiveLog: Sendable {
  /// The form of a line.
  enum Form: String, CaseIterable { case text, json }

  private let write: @Sendable (String) -> Void
  private let form: Form?
  /// What the lines are about.
  private let target: String
  private let database: String?

  /// - Parameters:
  ///   - form: Nil for no lines.
  ///   - database: The database, where a run has several.
  init(_ form: Form?, _ console: Console, target: String, database: String? = nil) {
    (self.form, self.target, self.database) = (form, target, database)
    write = console.logError
  }

  func tell(_ event: String, _ text: String) {
    guard let form else { return }
    let date = Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    switch form {
    case .json:
      let database = database.map { ",\"database\":\(JSONRows.quoted($0))" } ?? ""
      write(
        "{\"time\":\"\(date)\",\"event\":\"\(event)\"\(database),\"target\":\(JSONRows.quoted(target)),"
          + "\"message\":\(JSONRows.quoted(text))}")
    case .text:
      write("\(date) \(event)\(database.map { " " + $0 } ?? ""): \(text)")
    }
  }
}

/// What is new in a session's status since the last look.
struct ArchiveChanges {
  /// The error of the last look.
  private(set) var lastError: String?
  private var gapCount = 0
  private var prunedCount = 0
  private var isTakeoverTold = false

  /// Tells what is new.
  mutating func tell(_ status: ArchiveStatus, to log: ArchiveLog) {
    if let writer = status.takenOverWriter, !isTakeoverTold {
      log.tell("takeover", "the archive was taken over from the writer \(writer)")
      isTakeoverTold = true
    }
    if status.gapCount > gapCount {
      log.tell("gap", "history was let go: gap \(status.gapCount)")
    }
    gapCount = status.gapCount
    if status.prunedObjectCount > prunedCount {
      let count = status.prunedObjectCount - prunedCount
      log.tell("prune", "\(Numbers.count(count, "object")) deleted that the retention doesn't keep")
    }
    prunedCount = status.prunedObjectCount
    let error = status.lastError.map { ToolError($0).description }
    if let error, error != lastError { log.tell("error", error) }
    if error == nil, lastError != nil { log.tell("recovered", "the archive goes on") }
    lastError = error
  }
}

extension Invocation {
  /// The form of the lines that a run writes; nil for none.
  func logForm() throws -> ArchiveLog.Form? {
    guard let text = value("log") else { return nil }
    guard let form = ArchiveLog.Form(rawValue: text) else {
      throw ToolError(.usage, "--log takes text or json, and not \(text.printable)")
    }
    return form
  }
}
