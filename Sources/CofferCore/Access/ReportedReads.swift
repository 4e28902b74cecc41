// Scheduled reads, which call `value` once, with the connection or with the error that prevented
// it.

extension Result<Database, any Error> {
  /// Executes `value` as a read of one state.
  func isolatedRead(reporting value: (Result<Database, any Error>) -> Void) {
    switch self {
    case .success(let db): db.isolatedRead(reporting: value)
    case .failure: value(self)
    }
  }

  /// Executes `value` as a read whose statements can see different states.
  func unsafeRead(reporting value: (Result<Database, any Error>) -> Void) {
    switch self {
    // Only `value` could fail here, and it doesn't throw.
    case .success(let db): try? db.readOnly { value(self) }
    case .failure: value(self)
    }
  }
}
