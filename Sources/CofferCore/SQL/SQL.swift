/// SQL text together with its arguments, made by string interpolation.
///
/// ```swift
/// let name = "O'Brien"
/// try db.execute(literal: "UPDATE player SET name = \(name) WHERE id IN \([1, 2, 3])")
/// // UPDATE player SET name = ? WHERE id IN (?,?,?)
/// ```
///
/// An interpolated value becomes an argument, whatever is in it. Text gets into
/// the SQL by name only: `\(sql: "…")`, `\(identifier: "…")`, and the literal's
/// own text. A collection of values becomes a list with its parentheses; an
/// empty one a query without rows.
public struct SQL: Sendable {
  /// A part of the SQL.
  package enum Element: Sendable {
    /// Text, with the arguments of its parameters.
    case sql(String, StatementArguments)
    /// One argument.
    case argument(StatementArgument)
    /// A list of values, in parentheses.
    case list(ArrayArgument)
    /// What the database must be known for, or what a higher floor makes.
    case node(any SQLNode)

    /// Text without parameters.
    package static func text(_ text: String) -> Element { .sql(text, StatementArguments()) }

    /// What is known only when the SQL is rendered.
    package static func deferred(
      _ make: @escaping @Sendable (Database) throws -> SQL
    ) -> Element {
      .node(DeferredSQL(make: make))
    }
  }

  package private(set) var elements: [Element]

  package init(elements: [Element]) { self.elements = elements }

  /// SQL text, with the arguments of its parameters.
  ///
  /// Parameters by number, such as `?1`, count from the start of the whole SQL,
  /// so that such text can't follow other arguments.
  public init(sql: String, arguments: StatementArguments = StatementArguments()) {
    elements = [.sql(sql, arguments)]
  }

  /// Whether there is no text and no argument.
  public var isEmpty: Bool {
    elements.allSatisfy { element in
      if case .sql(let text, let arguments) = element {
        text.isEmpty && arguments.isEmpty
      } else {
        false
      }
    }
  }

  // MARK: Joining

  /// Adds SQL to the end.
  public mutating func append(literal sqlLiteral: SQL) {
    elements.append(contentsOf: sqlLiteral.elements)
  }

  /// Adds text, with the arguments of its parameters, to the end.
  public mutating func append(sql: String, arguments: StatementArguments = StatementArguments()) {
    elements.append(.sql(sql, arguments))
  }

  /// The left side followed by the right.
  public static func + (lhs: SQL, rhs: SQL) -> SQL {
    SQL(elements: lhs.elements + rhs.elements)
  }

  /// Adds the right side to the end of the left.
  public static func += (lhs: inout SQL, rhs: SQL) { lhs.append(literal: rhs) }

  // MARK: Building

  /// The text and its arguments.
  ///
  /// - Throws: An error where one name has two different arguments.
  public func build(_ db: Database) throws -> (sql: String, arguments: StatementArguments) {
    if elements.count == 1, case .sql(let sql, let arguments) = elements[0] {
      return (sql, arguments)
    }
    var renderer = SQLRenderer(db)
    try renderer.append(self)
    return (renderer.sql, renderer.arguments)
  }
}

/// A part of SQL that renders itself.
///
/// The floors above make their own: expressions, queries. They are rendered where
/// they stand, so that columns in them know the tables around them.
package protocol SQLNode: Sendable {
  /// Adds its text and arguments.
  func render(into renderer: inout SQLRenderer) throws

  /// The node, if it is of the type.
  func cast<T>(to type: T.Type) -> T?
}

extension SQLNode {
  /// The node, if it is of the type: ten times as fast as `as?`, since it asks for this
  /// one type only, neither for a base class nor for a protocol.
  package func cast<T>(to type: T.Type) -> T? {
    // SAFETY: both are the same type.
    type == Self.self ? unsafeBitCast(self, to: type) : nil
  }
}

private struct DeferredSQL: SQLNode {
  let make: @Sendable (Database) throws -> SQL

  func render(into renderer: inout SQLRenderer) throws {
    try renderer.append(make(renderer.database))
  }
}

extension SQL: ExpressibleByStringInterpolation {
  /// SQL text without arguments.
  public init(stringLiteral: String) { elements = [.text(stringLiteral)] }

  /// SQL from a string literal with values in it.
  public init(stringInterpolation: SQLInterpolation) { elements = stringInterpolation.elements }
}

extension Sequence<SQL> {
  /// All SQL one after the other, with text between them.
  ///
  /// ```swift
  /// let conditions: [SQL] = ["name = \(name)", "score > \(score)"]
  /// let request: SQLRequest<Row> = "SELECT * FROM player WHERE \(conditions.joined(separator: " AND "))"
  /// ```
  public func joined(separator: String = "") -> SQL {
    var elements: [SQL.Element] = []
    for (index, sql) in enumerated() {
      if index > 0, !separator.isEmpty { elements.append(.text(separator)) }
      elements.append(contentsOf: sql.elements)
    }
    return SQL(elements: elements)
  }
}

extension Collection<SQL> {
  /// All SQL one after the other, with text between them.
  public func joined(separator: String = "") -> SQL {
    AnySequence(self).joined(separator: separator)
  }
}
