extension Database {
  /// Why a pragma is refused; nil if it isn't.
  ///
  /// Asked while SQLite compiles the statement, and shown as the error's message.
  func pragmaRefusal(name: String, value: String?) -> String? { nil }
}
