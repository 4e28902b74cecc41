import Coffer

/// Logs the calls that it gets, in words such as `+a1`, `-a1`, `~a1`, `?`, `will`, `did` and
/// `rollback`.
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
