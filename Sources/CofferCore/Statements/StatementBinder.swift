import CofferVault

/// Binds values to a statement's parameters, from the first to the last.
///
/// See ``Statement/execute(binding:)``.
@safe public struct StatementBinder {
  @safe @usableFromInline let handle: SQLiteStatement
  @usableFromInline let layout: ParameterLayout
  /// The number of parameters that have a value.
  @usableFromInline package var count: CInt = 0
  /// The first error code of SQLite, or `SQLITE_OK`.
  @usableFromInline package var code: CInt = SQLite.ok

  @inlinable
  @safe package init(_ handle: SQLiteStatement, _ layout: ParameterLayout) {
    self.handle = unsafe handle
    self.layout = layout
  }

  /// Binds a value to the next parameter.
  ///
  /// If it fails, ``Statement/execute(binding:)`` throws.
  @inlinable @inline(__always)
  public mutating func bind<Value: StatementBinding>(_ value: Value) {
    count &+= 1
    note(layout.bind(value, to: handle, at: count))
  }

  /// Binds a value of a type that the compiler doesn't know, as in a parameter pack: to compare it
  /// with others takes longer than to bind it.
  @inlinable @inline(__always)
  mutating func bindUnknown<Value: StatementBinding>(_ value: Value) {
    count &+= 1
    note(value.bind(to: handle, at: count))
  }

  @inlinable @inline(__always)
  mutating func note(_ result: CInt) {
    if result != SQLite.ok, code == SQLite.ok { code = result }
  }
}

extension ParameterLayout {
  /// Binds a value, or NULL: stores it, if it can be.
  ///
  /// - Returns: SQLite's code.
  @inlinable @inline(__always)
  @safe package func bind<Value: StatementBinding>(
    _ value: Value?, to handle: SQLiteStatement, at index: CInt
  ) -> CInt {
    if let value {
      return store(value, in: handle, at: index) ? SQLite.ok : value.bind(to: handle, at: index)
    }
    return storeNull(in: handle, at: index) ? SQLite.ok : SQLite.bindNull(handle, index)
  }
}

/// The binder is only valid inside the closure that receives it.
@available(*, unavailable)
extension StatementBinder: Sendable {}
