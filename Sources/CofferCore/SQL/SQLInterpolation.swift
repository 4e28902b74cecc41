/// Makes ``SQL`` of a string literal: its text stays text, its values become arguments.
public struct SQLInterpolation: StringInterpolationProtocol {
  package private(set) var elements: [SQL.Element] = []

  /// An interpolation of so many parts.
  public init(literalCapacity: Int, interpolationCount: Int) {
    elements.reserveCapacity(interpolationCount * 2 + 1)
  }

  /// Adds an element.
  package mutating func append(_ element: SQL.Element) { elements.append(element) }

  /// Adds the literal's own text.
  public mutating func appendLiteral(_ literal: String) {
    if !literal.isEmpty { append(.text(literal)) }
  }

  // MARK: SQL

  /// `\(sql: "…")` adds text as it is: it must not come from outside of the program.
  public mutating func appendInterpolation(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) {
    append(.sql(sql, arguments))
  }

  /// `\(literal: sql)` adds other SQL, with its arguments.
  public mutating func appendInterpolation(literal: SQL) {
    elements.append(contentsOf: literal.elements)
  }

  /// `\(sql)` adds other SQL, with its arguments.
  public mutating func appendInterpolation(_ sql: SQL) { appendInterpolation(literal: sql) }

  /// `\(identifier: name)` adds the quoted name of a table, a column, ….
  public mutating func appendInterpolation(identifier: String) {
    append(.text(identifier.quotedDatabaseIdentifier))
  }

  // MARK: Values

  /// `\(value)` adds a parameter for the value; nil is NULL.
  public mutating func appendInterpolation<Value: DatabaseValueConvertible>(_ value: Value) {
    append(.argument(value.statementArgument))
  }

  /// `\(value)` adds a parameter for the value; nil is NULL.
  public mutating func appendInterpolation(_ value: (any DatabaseValueConvertible)?) {
    append(.argument(value?.statementArgument ?? .null))
  }

  /// `\(text)` adds a parameter for the text.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ text: some StringProtocol) {
    appendInterpolation(String(text))
  }

  // MARK: Lists

  /// `\(values)` adds a parameter for each value, in parentheses: `id IN \(ids)`
  /// becomes `id IN (?,?,?)`, and `id IN (SELECT NULL WHERE NULL)` for no value.
  ///
  /// After `IN`, more than eight values are one array argument: the meaning is
  /// the same, and so is the SQL, however many there are.
  @_disfavoredOverload
  public mutating func appendInterpolation<Values: Sequence>(_ values: Values)
  where Values.Element: DatabaseValueConvertible {
    append(.list(ArrayArgument(Array(values))))
  }

  /// `\(values)` adds a parameter for each value, in parentheses.
  @_disfavoredOverload
  public mutating func appendInterpolation<Values: Sequence>(_ values: Values)
  where Values.Element == any DatabaseValueConvertible {
    append(.list(ArrayArgument(values.map(\.databaseValue))))
  }

  /// `\(values)` adds a parameter for each value, in parentheses; nil is NULL.
  @_disfavoredOverload
  public mutating func appendInterpolation<Values: Sequence>(_ values: Values)
  where Values.Element == (any DatabaseValueConvertible)? {
    append(.list(ArrayArgument(values.map { $0?.databaseValue ?? .null })))
  }

  /// `\(ArrayArgument(values))` adds the values in parentheses, as a collection of them.
  public mutating func appendInterpolation(_ array: ArrayArgument) { append(.list(array)) }
}
