import Coffer
import Foundation
import Testing

/// An encrypted database in a temporary directory of its own.
struct TransactionDatabase {
  let directory: TemporaryDirectory
  let path: String
  let queue: DatabaseQueue

  init(_ configuration: Configuration = Configuration()) throws {
    directory = try TemporaryDirectory()
    path = directory.path("test.db")
    queue = try DatabaseQueue(path: path, key: Self.key(), configuration: configuration)
  }

  static func key() throws -> DatabaseKey { try .raw((0..<32).map { UInt8($0) }) }

  /// Another connection to the same file.
  func secondQueue(_ configuration: Configuration = Configuration()) throws -> DatabaseQueue {
    try DatabaseQueue(path: path, key: Self.key(), configuration: configuration)
  }
}

/// Writes down what it is told, in words such as `+a1`, `-a1`, `~a1`, `?`,
/// `will`, `did` and `rollback`.
final class LogObserver: TransactionObserver {
  var log: [String] = []
  var observes: (DatabaseEventKind) -> Bool
  var asked = 0
  var refusal: (any Error)?
  var onChange: (LogObserver) -> Void = { _ in }
  var onCommit: (Database) -> Void = { _ in }

  init(observes: @escaping (DatabaseEventKind) -> Bool = { _ in true }) {
    self.observes = observes
  }

  convenience init(table: String) { self.init { $0.tableName == table } }

  func take() -> String {
    defer { log = [] }
    return log.joined(separator: " ")
  }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
    asked += 1
    return observes(eventKind)
  }

  func databaseDidChange() { log.append("?") }

  func databaseDidChange(with event: DatabaseEvent) {
    let sign =
      switch event.kind {
      case .insert: "+"
      case .delete: "-"
      case .update: "~"
      }
    let schema = event.databaseName == "main" ? "" : event.databaseName + "."
    log.append("\(sign)\(schema)\(event.tableName)\(event.rowID)")
    onChange(self)
  }

  func databaseWillCommit() throws {
    log.append("will")
    if let refusal { throw refusal }
  }

  func databaseDidCommit(_ db: Database) {
    log.append("did")
    onCommit(db)
  }

  func databaseDidRollback(_ db: Database) { log.append("rollback") }
}

struct Refused: Error {}

/// Expects an error of SQLite with a code, primary or extended.
func expectError(
  _ code: ResultCode, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> Void
) {
  let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation, performing: body)
  expect(error, matches: code, sourceLocation)
}

func expect(
  _ error: DatabaseError?, matches code: ResultCode, _ sourceLocation: SourceLocation
) {
  guard let error else { return }
  #expect(code ~= error.extendedResultCode, sourceLocation: sourceLocation)
}
