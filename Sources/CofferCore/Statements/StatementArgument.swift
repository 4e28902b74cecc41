/// One argument of a statement: a value, or an array that an `IN` takes.
public struct StatementArgument: Hashable, Sendable {
  @usableFromInline
  package enum Content: Hashable, Sendable {
    case value(DatabaseValue)
    case array(ArrayArgument)
  }

  @usableFromInline package let content: Content

  @inlinable
  package init(content: Content) { self.content = content }

  /// An argument of one value.
  @inlinable
  public init(_ value: DatabaseValue) { content = .value(value) }

  /// An array argument.
  @inlinable
  public init(_ array: ArrayArgument) { content = .array(array) }

  /// NULL.
  @inlinable public static var null: StatementArgument { StatementArgument(.null) }

  /// The value, or nil for an array.
  package var databaseValue: DatabaseValue? {
    if case .value(let value) = content { value } else { nil }
  }
}

extension StatementArgument: CustomStringConvertible {
  /// The value as ``DatabaseValue`` writes it; an array as its length.
  public var description: String {
    switch content {
    case .value(let value): value.description
    case .array(let array): array.description
    }
  }
}

/// What can stand in ``StatementArguments``: values, and collections of values.
public protocol StatementArgumentConvertible {
  /// The argument to bind.
  var statementArgument: StatementArgument { get }
}

extension DatabaseValueConvertible {
  /// An argument of one value.
  @inlinable
  public var statementArgument: StatementArgument { StatementArgument(databaseValue) }
}

extension StatementArgument: StatementArgumentConvertible {
  /// Itself.
  @inlinable public var statementArgument: StatementArgument { self }
}
