import CofferVault

/// One argument of a statement: a value, or an array for an `IN`.
public struct StatementArgument: Hashable, Sendable {
  @usableFromInline
  package enum Content: Hashable, Sendable {
    case value(DatabaseValue)
    case array(ArrayArgument)
  }

  @usableFromInline package let content: Content

  @inlinable
  package init(content: Content) { self.content = content }

  /// Creates an argument from one value.
  @inlinable
  public init(_ value: DatabaseValue) { content = .value(value) }

  /// Creates an array argument.
  @inlinable
  public init(_ array: ArrayArgument) { content = .array(array) }

  /// NULL.
  @inlinable public static var null: StatementArgument { StatementArgument(.null) }

  /// The value, if it is an integer.
  ///
  /// To bind integers without a copy of the argument, which would be retained and released.
  @inline(__always)
  var integer: Int64? {
    if case .value(let value) = content, case .int64(let integer) = value.storage {
      integer
    } else {
      nil
    }
  }

  /// Whether the argument is an array.
  @inline(__always)
  var isArray: Bool {
    if case .array = content { true } else { false }
  }

  /// Whether the argument owns memory: a text, a blob or an array.
  var ownsMemory: Bool {
    guard case .value(let value) = content else { return true }
    switch value.storage {
    case .null, .int64, .double: return false
    case .string, .blob: return true
    }
  }

  /// The value, or nil for an array.
  package var databaseValue: DatabaseValue? {
    if case .value(let value) = content { value } else { nil }
  }
}

extension StatementArgument: CustomStringConvertible {
  /// The value as formatted by ``DatabaseValue``, or the first values of an array.
  public var description: String {
    switch content {
    case .value(let value): value.description
    case .array(let array): array.description
    }
  }
}

extension StatementBinding {
  /// An argument of one value; traps if the type can only be bound, so that it has no argument.
  public var statementArgument: StatementArgument {
    // A generic type can be a value under other conditions than those under which it can be bound.
    if let value = self as? any DatabaseValueConvertible {
      return StatementArgument(value.databaseValue)
    }
    preconditionFailure(
      "\(Self.self) can't be used in StatementArguments: implement statementArgument, or conform to "
        + "DatabaseValueConvertible")
  }
}

extension DatabaseValueConvertible {
  /// An argument of one value.
  @inlinable
  public var statementArgument: StatementArgument { StatementArgument(databaseValue) }
}

extension StatementArgument: StatementBinding {
  /// The argument itself.
  @inlinable public var statementArgument: StatementArgument { self }

  /// Binds the value.
  ///
  /// Returns `SQLITE_MISUSE` for an array.
  @inlinable
  @safe public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    guard case .value(let value) = content else { return SQLite.misuse }
    return value.bind(to: sqliteStatement, at: index)
  }
}
