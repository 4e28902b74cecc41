@testable import CofferCore

/// The statements of a connection, as they are traced.
final class SQLLog {
  private var statements: [String] = []

  /// Traces the connection until the log is read for the last time.
  init(_ db: Database) {
    db.trace { [unowned self] in statements.append("\($0)") }
  }

  /// What was executed since the last time.
  func take() -> [String] {
    defer { statements = [] }
    return statements
  }

  static func with<T>(_ db: Database, _ body: (SQLLog) throws -> T) rethrows -> T {
    let log = SQLLog(db)
    defer { db.trace(nil) }
    return try body(log)
  }
}

extension Database {
  /// The statements that `body` executes.
  func statements(_ body: () throws -> Void) throws -> [String] {
    try SQLLog.with(self) { log in
      try body()
      return log.take()
    }
  }
}
