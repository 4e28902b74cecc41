/// The arguments of a statement: values for `?` by position, and for `:name`
/// by name.
///
/// ```swift
/// try db.execute(
///   sql: "INSERT INTO player (name, score) VALUES (?, ?)", arguments: ["Arthur", 1000])
/// try Row.fetchAll(
///   db, sql: "SELECT * FROM player WHERE name IN (:names)", arguments: ["names": names])
/// ```
///
/// Where values by position meet named parameters, they are taken in the order
/// in which the parameters appear.
public struct StatementArguments: Hashable, Sendable {
  @usableFromInline package var positional: [StatementArgument]
  @usableFromInline package var named: [String: StatementArgument]

  @inlinable
  package init(positional: [StatementArgument], named: [String: StatementArgument]) {
    self.positional = positional
    self.named = named
  }

  /// No arguments.
  @inlinable
  public init() {
    positional = []
    named = [:]
  }

  /// Whether there are no arguments.
  @inlinable
  public var isEmpty: Bool { positional.isEmpty && named.isEmpty }

  // MARK: By position

  /// Values by position.
  @inlinable
  public init<S: Sequence>(_ sequence: S) where S.Element == (any DatabaseValueConvertible)? {
    self.init(
      positional: sequence.map { $0?.statementArgument ?? .null }, named: [:])
  }

  /// Values by position.
  @inlinable
  public init<S: Sequence>(_ sequence: S) where S.Element: DatabaseValueConvertible {
    self.init(positional: sequence.map(\.statementArgument), named: [:])
  }

  /// Values and arrays by position.
  @inlinable
  public init<S: Sequence>(_ sequence: S)
  where S.Element == (any StatementBinding)? {
    self.init(positional: sequence.map { $0?.statementArgument ?? .null }, named: [:])
  }

  /// Values by position, or nil where an element is none that a database can store.
  public init?(_ array: [Any]) {
    var positional: [StatementArgument] = []
    for element in array {
      guard let argument = StatementArguments.argument(element) else { return nil }
      positional.append(argument)
    }
    self.init(positional: positional, named: [:])
  }

  // MARK: By name

  /// Values by name.
  @inlinable
  public init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
    self.init(
      positional: [], named: dictionary.mapValues { $0?.statementArgument ?? .null })
  }

  /// Values by name; the last of several for one name counts.
  @inlinable
  public init<S: Sequence>(_ sequence: S)
  where S.Element == (String, (any DatabaseValueConvertible)?) {
    self.init(
      positional: [],
      named: Dictionary(
        sequence.map { ($0.0, $0.1?.statementArgument ?? .null) }, uniquingKeysWith: { $1 }))
  }

  /// Values by name, or nil where one is none that a database can store.
  public init?(_ dictionary: [AnyHashable: Any]) {
    var named: [String: StatementArgument] = [:]
    for (key, value) in dictionary {
      guard let name = key as? String, let argument = StatementArguments.argument(value)
      else { return nil }
      named[name] = argument
    }
    self.init(positional: [], named: named)
  }

  private static func argument(_ value: Any) -> StatementArgument? {
    if let value = value as? any StatementBinding { return value.statementArgument }
    if let value = DatabaseValue(value: value) { return StatementArgument(value) }
    return nil
  }

  // MARK: Both

  /// Adds arguments: those by position after the ones that are there, those by
  /// name in the place of the ones of the same name.
  ///
  /// - Returns: The named arguments that were replaced.
  @discardableResult
  public mutating func append(contentsOf arguments: StatementArguments) -> [String: DatabaseValue] {
    var replaced: [String: DatabaseValue] = [:]
    positional.append(contentsOf: arguments.positional)
    for (name, argument) in arguments.named {
      if let old = named.updateValue(argument, forKey: name) {
        replaced[name] = old.databaseValue ?? .null
      }
    }
    return replaced
  }

  /// Both sides' arguments.
  ///
  /// - Precondition: No name is in both; `&+` lets the right side's count.
  public static func + (lhs: StatementArguments, rhs: StatementArguments) -> StatementArguments {
    var result = lhs
    result += rhs
    return result
  }

  /// Both sides' arguments; of those with one name, the right side's.
  public static func &+ (lhs: StatementArguments, rhs: StatementArguments) -> StatementArguments {
    var result = lhs
    result.append(contentsOf: rhs)
    return result
  }

  /// Adds the right side's arguments.
  ///
  /// - Precondition: No name is in both; `&+` lets the right side's count.
  public static func += (lhs: inout StatementArguments, rhs: StatementArguments) {
    let replaced = lhs.append(contentsOf: rhs)
    precondition(
      replaced.isEmpty,
      "already defined statement argument: \(replaced.keys.sorted().joined(separator: ", "))")
  }
}

extension StatementArguments: ExpressibleByArrayLiteral {
  /// Values and arrays by position.
  @inlinable
  public init(arrayLiteral elements: (any StatementBinding)?...) {
    let count = elements.count
    positional = elements.withUnsafeBufferPointer { elements in
      [StatementArgument](unsafeUninitializedCapacity: count) { buffer, initializedCount in
        for index in 0..<count {
          (buffer.baseAddress! + index).initialize(
            to: elements[index]?.statementArgument ?? .null)
        }
        initializedCount = count
      }
    }
    named = [:]
  }
}

extension StatementArguments: ExpressibleByDictionaryLiteral {
  /// Values and arrays by name.
  @inlinable
  public init(dictionaryLiteral elements: (String, (any StatementBinding)?)...) {
    self.init(
      positional: [],
      named: Dictionary(
        elements.map { ($0.0, $0.1?.statementArgument ?? .null) }, uniquingKeysWith: { $1 }))
  }
}

extension StatementArguments: CustomStringConvertible {
  /// The arguments in brackets, those by name in the order of the names.
  public var description: String {
    let values =
      positional.map(\.description)
      + named.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.description)" }
    return "[\(values.joined(separator: ", "))]"
  }
}
