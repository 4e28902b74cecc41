import CofferVault

/// Binds values to a statement's parameters, from the first to the last.
///
/// See ``Statement/execute(binding:)``.
@safe public struct StatementBinder {
  @safe @usableFromInline let handle: SQLiteStatement
  /// The number of parameters that have a value.
  @usableFromInline package var count: CInt = 0
  /// The first error code of SQLite, or `SQLITE_OK`.
  @usableFromInline package var code: CInt = SQLite.ok

  @inlinable
  @safe package init(_ handle: SQLiteStatement) { self.handle = unsafe handle }

  /// Binds a value to the next parameter.
  ///
  /// If it fails, ``Statement/execute(binding:)`` throws.
  @inlinable @inline(__always)
  public mutating func bind<Value: StatementBinding>(_ value: Value) {
    count &+= 1
    let result = value.bind(to: handle, at: count)
    if result != SQLite.ok, code == SQLite.ok { code = result }
  }
}

/// The binder is only valid inside the closure that receives it.
@available(*, unavailable)
extension StatementBinder: Sendable {}
