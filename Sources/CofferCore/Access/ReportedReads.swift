// Reads that are scheduled: `value` is called once, with the connection or with the reason why there
// is none.

extension Result<Database, any Error> {
  /// Executes `value` as one read.
  func isolatedRead(reporting value: (Result<Database, any Error>) -> Void) {
    switch self {
    case .success(let db): db.isolatedRead(reporting: value)
    case .failure: value(self)
    }
  }

  /// Executes `value` as a read whose statements may see different states.
  func unsafeRead(reporting value: (Result<Database, any Error>) -> Void) {
    switch self {
    // Nothing fails there but `value`, which doesn't throw.
    case .success(let db): try? db.readOnly { value(self) }
    case .failure: value(self)
    }
  }
}
