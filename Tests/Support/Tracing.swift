import Coffer

extension Database {
  /// The result of `body`, and the statements that it executes.
  /// - Parameter expanded: Whether the statements are shown with their values.
  package func tracing<T>(
    expanded: Bool = false, _ body: () throws -> T
  ) rethrows -> (result: T, statements: [String]) {
    var statements: [String] = []
    trace { statements.append(expanded ? $0.expandedDescription : $0.description) }
    defer { trace(nil) }
    let result = try body()
    return (result, statements)
  }

  /// The statements that `body` executes.
  /// - Parameter expanded: Whether the statements are shown with their values.
  package func statements(expanded: Bool = false, _ body: () throws -> Void) rethrows -> [String] {
    try tracing(expanded: expanded, body).statements
  }
}
