import CofferVault

/// SQL text with its arguments, written as a string interpolation.
///
/// ```swift
/// let name = "O'Brien"
/// try db.execute(literal: "UPDATE player SET name = \(name) WHERE id IN \([1, 2, 3])")
/// // UPDATE player SET name = ? WHERE id IN (?,?,?)
/// ```
///
/// An interpolated value always becomes an argument. Only `\(sql: "…")`, `\(identifier: "…")` and
/// the literal itself add text. A collection of values becomes a list in parentheses, an empty
/// collection a query without rows.
public struct SQL: Sendable {
  /// A part of the SQL.
  package enum Element: Sendable {
    /// Text, with the arguments of its parameters.
    case sql(String, StatementArguments)
    /// One argument.
    case argument(StatementArgument)
    /// A list of values, written in parentheses.
    case list(ArrayArgument)
    /// A part that renders itself, with access to the database.
    case node(any SQLNodeObject)

    /// Text without parameters.
    package static func text(_ text: String) -> Element { .sql(text, StatementArguments()) }

    /// SQL that is made when it is rendered.
    package static func deferred(
      _ make: @escaping @Sendable (Database) throws -> SQL
    ) -> Element {
      .node(DeferredSQL(make: make).object)
    }
  }

  package private(set) var elements: [Element]

  package init(elements: [Element]) { self.elements = elements }

  /// Creates SQL from text and the arguments of its parameters.
  ///
  /// Numbered parameters, such as `?1`, count from the start of the whole SQL, so that such text
  /// can't follow other arguments.
  public init(sql: String, arguments: StatementArguments = StatementArguments()) {
    elements = [.sql(sql, arguments)]
  }

  /// Whether there is neither text nor an argument.
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

  /// Appends SQL.
  public mutating func append(literal sqlLiteral: SQL) {
    elements.append(contentsOf: sqlLiteral.elements)
  }

  /// Appends text with the arguments of its parameters.
  public mutating func append(sql: String, arguments: StatementArguments = StatementArguments()) {
    elements.append(.sql(sql, arguments))
  }

  /// Returns the concatenation of both sides.
  public static func + (lhs: SQL, rhs: SQL) -> SQL {
    SQL(elements: lhs.elements + rhs.elements)
  }

  /// Appends the right side to the left side.
  public static func += (lhs: inout SQL, rhs: SQL) { lhs.append(literal: rhs) }

  // MARK: Building

  /// Returns the text and its arguments.
  ///
  /// - Throws: ``DatabaseError`` if a name has two different arguments.
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
/// Higher layers define expressions and queries as fragments. They are rendered in place, so that
/// columns know the tables around them.
@usableFromInline
package protocol SQLNode: Sendable {
  /// Appends the fragment's text and arguments.
  func render(into renderer: inout SQLRenderer) throws

  /// Appends the fragment's structure and arguments, in the order in which they are rendered.
  ///
  /// By default, it gives up, so that queries with the fragment are always rendered.
  func describe(in shape: inout QueryShape)
}

extension SQLNode {
  package func describe(in shape: inout QueryShape) { shape.giveUp() }

  /// The fragment as an object.
  @inlinable package var object: any SQLNodeObject { SQLNodeBox(self) }
}

/// A fragment in an object, so that copying an expression only counts references.
@usableFromInline
package protocol SQLNodeObject: AnyObject, Sendable {
  /// Appends the fragment's text and arguments.
  func render(into renderer: inout SQLRenderer) throws

  /// Appends the fragment's structure and arguments: see ``SQLNode/describe(in:)``.
  func describe(in shape: inout QueryShape)
}

extension SQLNodeObject {
  /// Returns the fragment if it is of the type.
  @inlinable @inline(__always)
  package func cast<Node: SQLNode>(to type: Node.Type) -> Node? {
    exactly(SQLNodeBox<Node>.self, self)?.node
  }
}

@usableFromInline
final class SQLNodeBox<Node: SQLNode>: SQLNodeObject {
  @usableFromInline let node: Node

  @inlinable
  init(_ node: Node) { self.node = node }

  @inlinable
  func render(into renderer: inout SQLRenderer) throws { try node.render(into: &renderer) }

  @inlinable
  func describe(in shape: inout QueryShape) { node.describe(in: &shape) }
}

private struct DeferredSQL: SQLNode {
  let make: @Sendable (Database) throws -> SQL

  func render(into renderer: inout SQLRenderer) throws {
    try renderer.append(make(renderer.database))
  }
}

extension SQL: ExpressibleByStringInterpolation {
  /// Creates SQL text without arguments.
  public init(stringLiteral: String) { elements = [.text(stringLiteral)] }

  /// Creates SQL from a string literal with interpolated values.
  public init(stringInterpolation: SQLInterpolation) { elements = stringInterpolation.elements }
}

extension Sequence<SQL> {
  /// Returns the concatenated SQL, with text between the elements.
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
  /// Returns the concatenated SQL, with text between the elements.
  public func joined(separator: String = "") -> SQL {
    AnySequence(self).joined(separator: separator)
  }
}
