import CofferVault

/// An SQL function written in Swift.
///
/// ```swift
/// let initials = DatabaseFunction("initials", argumentCount: 1, pure: true) { values in
///   String.fromDatabaseValue(values[0])?.split(separator: " ").compactMap(\.first).map(String.init)
///     .joined()
/// }
/// configuration.prepareDatabase { db in db.add(function: initials) }
/// // SELECT initials(name) FROM player
/// ```
///
/// A thrown ``DatabaseError`` fails the statement with its code and message; the description of any
/// other error becomes the message.
public final class DatabaseFunction: Sendable {
  /// The name in SQL, whose ASCII letters are case-insensitive.
  public let name: String

  /// The number of arguments; nil for any number.
  package let argumentCount: Int?

  /// Whether equal arguments always produce equal results.
  let isPure: Bool

  enum Implementation: Sendable {
    case scalar(@Sendable (SQLite.FunctionArguments) throws -> DatabaseValue)
    case aggregate(@Sendable () -> AggregateRun)
  }

  let implementation: Implementation

  /// Creates a scalar function.
  ///
  /// Functions with the same name and different numbers of arguments are different functions.
  /// - Parameter argumentCount: From 0 to 100; nil for any number.
  /// - Parameter pure: Whether equal arguments always produce equal results, as indexes and
  ///   generated columns require. SQLite then calls the function less often.
  /// - Parameter function: Called with copies of the arguments; nil is NULL.
  /// - Precondition: The name has from 1 to 255 bytes and no NUL character.
  public convenience init(
    _ name: String, argumentCount: Int? = nil, pure: Bool = false,
    function: @escaping @Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?
  ) {
    self.init(
      name, argumentCount: argumentCount, pure: pure,
      implementation: .scalar { arguments in
        try function(arguments.databaseValues)?.databaseValue ?? .null
      })
  }

  /// Creates an aggregate function.
  ///
  /// - Parameter argumentCount: From 0 to 100; nil for any number.
  /// - Parameter pure: Whether equal arguments always produce equal results.
  /// - Parameter aggregate: The type that is instantiated for every group of rows.
  /// - Precondition: The name has from 1 to 255 bytes and no NUL character.
  public convenience init<Aggregate: DatabaseAggregate>(
    _ name: String, argumentCount: Int? = nil, pure: Bool = false, aggregate: Aggregate.Type
  ) {
    self.init(
      name, argumentCount: argumentCount, pure: pure,
      implementation: .aggregate { AggregateRun(Aggregate()) })
  }

  init(
    _ name: String, argumentCount: Int?, pure: Bool, implementation: Implementation
  ) {
    precondition(isValidSQLName(name), "a function's name has from 1 to 255 bytes, and no NUL")
    precondition((0...100).contains(argumentCount ?? 0), "a function has from 0 to 100 arguments")
    self.name = name
    self.argumentCount = argumentCount
    isPure = pure
    self.implementation = implementation
  }
}

extension DatabaseFunction: Identifiable {
  /// The identity of a function: its name, ignoring case, and the number of arguments.
  public struct ID: Hashable, Sendable {
    let name: String
    let argumentCount: Int?
  }

  /// The name and the number of arguments.
  public var id: ID { ID(name: foldedASCII(name), argumentCount: argumentCount) }
}

/// An aggregate function of SQL.
///
/// ```swift
/// struct Longest: DatabaseAggregate {
///   var text: String?
///   mutating func step(_ values: [DatabaseValue]) {
///     guard let new = String.fromDatabaseValue(values[0]) else { return }
///     if new.count > text?.count ?? -1 { text = new }
///   }
///   func finalize() -> (any DatabaseValueConvertible)? { text }
/// }
/// db.add(function: DatabaseFunction("longest", argumentCount: 1, aggregate: Longest.self))
/// ```
public protocol DatabaseAggregate: _SendableMetatype {
  /// Creates the aggregate of an empty group; called for each group.
  init()

  /// Adds one row with these arguments.
  mutating func step(_ dbValues: [DatabaseValue]) throws

  /// Returns the result; nil is NULL. Called once, also for an empty group.
  func finalize() throws -> (any DatabaseValueConvertible)?
}

#if compiler(>=6.2)
  /// The requirement for passing a type itself to another thread.
  public typealias _SendableMetatype = SendableMetatype
#else
  /// No requirement: any type itself can be passed to another thread.
  public typealias _SendableMetatype = Any
#endif

/// The aggregation of one group of rows.
final class AggregateRun {
  private var aggregate: any DatabaseAggregate
  private var hasFailed = false

  init(_ aggregate: any DatabaseAggregate) { self.aggregate = aggregate }

  func step(_ arguments: SQLite.FunctionArguments) throws {
    do {
      try aggregate.step(arguments.databaseValues)
    } catch {
      hasFailed = true
      throw error
    }
  }

  /// - Returns: NULL for a group that has failed, whose result SQLite discards.
  func finalize() throws -> DatabaseValue {
    guard !hasFailed else { return .null }
    return try aggregate.finalize()?.databaseValue ?? .null
  }
}

/// Returns whether SQLite accepts the name for a function or a collation.
func isValidSQLName(_ name: String) -> Bool {
  (1...255).contains(name.utf8.count) && !name.utf8.contains(0)
}

/// Returns the name with ASCII letters in lower case, as SQLite compares names.
func foldedASCII(_ name: String) -> String {
  String(decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
}
