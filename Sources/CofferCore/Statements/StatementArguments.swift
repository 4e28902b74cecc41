import CofferVault

/// The arguments of a statement: values for `?` by position, and for `:name` by name.
///
/// ```swift
/// try db.execute(
///   sql: "INSERT INTO player (name, score) VALUES (?, ?)", arguments: ["Arthur", 1000])
/// try Row.fetchAll(
///   db, sql: "SELECT * FROM player WHERE name IN (:names)", arguments: ["names": names])
/// ```
///
/// Named parameters also take positional values, in the order in which the parameters appear.
public struct StatementArguments: Sendable {
  @usableFromInline
  enum Storage: Sendable {
    /// The elements of an array literal, of which there is at least one.
    case literal(LiteralArguments)
    case lists(positional: [StatementArgument], named: [String: StatementArgument])
  }

  @usableFromInline var storage: Storage

  @inlinable
  package init(positional: [StatementArgument], named: [String: StatementArgument]) {
    storage = .lists(positional: positional, named: named)
  }

  /// Creates an empty list of arguments.
  @inlinable
  public init() { storage = .lists(positional: [], named: [:]) }

  /// Whether there are no arguments.
  public var isEmpty: Bool {
    switch storage {
    case .literal: false
    case .lists(let positional, let named): positional.isEmpty && named.isEmpty
    }
  }

  // MARK: Storage

  /// The arguments by position.
  package var positional: [StatementArgument] {
    get {
      switch storage {
      case .literal(let values): values.array
      case .lists(let positional, _): positional
      }
    }
    _modify {
      // Moves the lists out, so that they aren't copied.
      var lists = takeLists()
      defer { storage = .lists(positional: lists.positional, named: lists.named) }
      yield &lists.positional
    }
  }

  /// The arguments by name.
  package var named: [String: StatementArgument] {
    get {
      switch storage {
      case .literal: [:]
      case .lists(_, let named): named
      }
    }
    _modify {
      var lists = takeLists()
      defer { storage = .lists(positional: lists.positional, named: lists.named) }
      yield &lists.named
    }
  }

  private mutating func takeLists() -> (
    positional: [StatementArgument], named: [String: StatementArgument]
  ) {
    let lists = (positional, named)
    storage = .lists(positional: [], named: [:])
    return lists
  }

  /// Whether there are only arguments by position.
  var isPositional: Bool {
    switch storage {
    case .literal: true
    case .lists(_, let named): named.isEmpty
    }
  }

  /// Calls `body` with the arguments by position, and with whether there can be arrays among them.
  @safe func withPositional<Result>(
    _ body: (UnsafeBufferPointer<StatementArgument>, _ mayHaveArrays: Bool) throws -> Result
  ) rethrows -> Result {
    switch storage {
    case .literal(let values):
      try values.withValues { try unsafe body($0, values.ownsMemory) }
    case .lists(let positional, _):
      try unsafe positional.withUnsafeBufferPointer { try unsafe body($0, true) }
    }
  }

  // MARK: By position

  /// Creates arguments by position.
  @inlinable
  public init<S: Sequence>(_ sequence: S) where S.Element == (any DatabaseValueConvertible)? {
    self.init(
      positional: sequence.map { $0?.statementArgument ?? .null }, named: [:])
  }

  /// Creates arguments by position.
  @inlinable
  public init<S: Sequence>(_ sequence: S) where S.Element: DatabaseValueConvertible {
    self.init(positional: sequence.map(\.statementArgument), named: [:])
  }

  /// Creates arguments by position from values and arrays.
  @inlinable
  public init<S: Sequence>(_ sequence: S)
  where S.Element == (any StatementBinding)? {
    self.init(positional: sequence.map { $0?.statementArgument ?? .null }, named: [:])
  }

  /// Creates arguments by position, or returns nil if the database can't store one of the elements.
  public init?(_ array: [Any]) {
    var positional: [StatementArgument] = []
    for element in array {
      guard let argument = StatementArguments.argument(element) else { return nil }
      positional.append(argument)
    }
    self.init(positional: positional, named: [:])
  }

  // MARK: By name

  /// Creates arguments by name.
  @inlinable
  public init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
    self.init(
      positional: [], named: dictionary.mapValues { $0?.statementArgument ?? .null })
  }

  /// Creates arguments by name.
  ///
  /// If a name occurs several times, the last value is used.
  @inlinable
  public init<S: Sequence>(_ sequence: S)
  where S.Element == (String, (any DatabaseValueConvertible)?) {
    self.init(
      positional: [],
      named: Dictionary(
        sequence.map { ($0.0, $0.1?.statementArgument ?? .null) }, uniquingKeysWith: { $1 }))
  }

  /// Creates arguments by name, or returns nil if the database can't store one of the values.
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

  /// Adds arguments.
  ///
  /// Positional arguments are added at the end; named arguments replace existing ones of the same
  /// name.
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

  /// Returns the arguments of both sides.
  ///
  /// - Precondition: No name is on both sides; with `&+` the right side wins.
  public static func + (lhs: StatementArguments, rhs: StatementArguments) -> StatementArguments {
    var result = lhs
    result += rhs
    return result
  }

  /// Returns the arguments of both sides.
  ///
  /// If both sides have a name, the right side's value is used.
  public static func &+ (lhs: StatementArguments, rhs: StatementArguments) -> StatementArguments {
    var result = lhs
    result.append(contentsOf: rhs)
    return result
  }

  /// Adds the arguments of the right side.
  ///
  /// - Precondition: No name is on both sides; with `&+` the right side wins.
  public static func += (lhs: inout StatementArguments, rhs: StatementArguments) {
    let replaced = lhs.append(contentsOf: rhs)
    precondition(
      replaced.isEmpty,
      "already defined statement argument: \(replaced.keys.sorted().joined(separator: ", "))")
  }
}

extension StatementArguments: ExpressibleByArrayLiteral {
  /// Creates arguments by position from values and arrays.
  @inlinable
  public init(arrayLiteral elements: (any StatementBinding)?...) {
    // The optimizer keeps the elements on the stack.
    storage =
      elements.isEmpty
      ? .lists(positional: [], named: [:])
      : unsafe elements.withUnsafeBufferPointer { .literal(LiteralArguments($0)) }
  }
}

extension StatementArguments: Hashable {
  /// Returns whether both have equal arguments by position and by name.
  public static func == (lhs: StatementArguments, rhs: StatementArguments) -> Bool {
    lhs.positional == rhs.positional && lhs.named == rhs.named
  }

  /// Hashes the arguments by position and by name.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(positional)
    hasher.combine(named)
  }
}

extension StatementArguments: ExpressibleByDictionaryLiteral {
  /// Creates arguments by name from values and arrays.
  @inlinable
  public init(dictionaryLiteral elements: (String, (any StatementBinding)?)...) {
    self.init(
      positional: [],
      named: Dictionary(
        elements.map { ($0.0, $0.1?.statementArgument ?? .null) }, uniquingKeysWith: { $1 }))
  }
}

extension StatementArguments: CustomStringConvertible {
  /// The arguments in brackets.
  ///
  /// Named ones are sorted by name.
  public var description: String {
    let values =
      positional.map(\.description)
      + named.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.description)" }
    return "[\(values.joined(separator: ", "))]"
  }
}
