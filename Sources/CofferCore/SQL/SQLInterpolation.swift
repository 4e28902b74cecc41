/// Creates ``SQL`` from a string literal: its text stays text, its values become arguments.
public struct SQLInterpolation: StringInterpolationProtocol {
  package private(set) var elements: [SQL.Element] = []

  /// Creates an interpolation, with memory reserved for its parts.
  public init(literalCapacity: Int, interpolationCount: Int) {
    elements.reserveCapacity(interpolationCount * 2 + 1)
  }

  /// Appends an element.
  package mutating func append(_ element: SQL.Element) { elements.append(element) }

  /// Appends the literal's text.
  public mutating func appendLiteral(_ literal: String) {
    if !literal.isEmpty { append(.text(literal)) }
  }

  // MARK: SQL

  /// `\(sql: "…")` appends text unchanged: never pass text from outside the program.
  public mutating func appendInterpolation(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) {
    append(.sql(sql, arguments))
  }

  /// `\(literal: sql)` appends other SQL, with its arguments.
  public mutating func appendInterpolation(literal: SQL) {
    elements.append(contentsOf: literal.elements)
  }

  /// `\(sql)` appends other SQL, with its arguments.
  public mutating func appendInterpolation(_ sql: SQL) { appendInterpolation(literal: sql) }

  /// `\(identifier: name)` appends the quoted name of a table, a column, ….
  public mutating func appendInterpolation(identifier: String) {
    append(.text(identifier.quotedDatabaseIdentifier))
  }

  // MARK: Values

  /// `\(value)` appends a parameter for the value; nil is NULL.
  public mutating func appendInterpolation<Value: DatabaseValueConvertible>(_ value: Value) {
    append(.argument(value.statementArgument))
  }

  /// `\(value)` appends a parameter for the value; nil is NULL.
  public mutating func appendInterpolation(_ value: (any DatabaseValueConvertible)?) {
    append(.argument(value?.statementArgument ?? .null))
  }

  /// `\(text)` appends a parameter for the text.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ text: some StringProtocol) {
    appendInterpolation(String(text))
  }

  // MARK: Lists

  /// `\(values)` appends a parameter for each value, in parentheses.
  ///
  /// `id IN \(ids)` becomes `id IN (?,?,?)`, or `id IN (SELECT NULL WHERE NULL)` for an empty
  /// sequence. After `IN`, more than eight values become a single array argument with the same
  /// meaning, so that the SQL doesn't depend on their number.
  @_disfavoredOverload
  public mutating func appendInterpolation<Values: Sequence>(_ values: Values)
  where Values.Element: DatabaseValueConvertible {
    append(.list(ArrayArgument(Array(values))))
  }

  /// `\(values)` appends a parameter for each value, in parentheses.
  @_disfavoredOverload
  public mutating func appendInterpolation<Values: Sequence>(_ values: Values)
  where Values.Element == any DatabaseValueConvertible {
    append(.list(ArrayArgument(values.map(\.databaseValue))))
  }

  /// `\(values)` appends a parameter for each value, in parentheses; nil is NULL.
  @_disfavoredOverload
  public mutating func appendInterpolation<Values: Sequence>(_ values: Values)
  where Values.Element == (any DatabaseValueConvertible)? {
    append(.list(ArrayArgument(values.map { $0?.databaseValue ?? .null })))
  }

  /// `\(ArrayArgument(values))` appends the values in parentheses, like a collection.
  public mutating func appendInterpolation(_ array: ArrayArgument) { append(.list(array)) }
}
