import CofferCore
import CofferRecords

/// A piece of SQL, written as a string literal that can contain key paths, values, collections and
/// collations.
///
/// ```swift
/// books.filter("length(\(\.name)) < \(limit)")
/// // SELECT … FROM "Book" WHERE length("name") < ?
/// ```
///
/// An interpolated value always becomes an argument of the statement. The text of the SQL consists
/// of the literal's own text, and of `\(literal: "…")`, `\(raw: "…")` and `\(name: "…")`.
public struct SQLFragment<Row: Codable>: ExpressibleByStringInterpolation, Sendable {
  enum Part: Sendable {
    case text(String)
    case column(DocumentColumn)
    case value(DatabaseValue)
    /// Values in parentheses.
    case list([DatabaseValue])
    /// Values between parentheses that are part of the text.
    case element([DatabaseValue])
    case collation(Collation)
    /// An error, which is thrown when the SQL is needed.
    case failure(any Error)
  }

  let parts: [Part]

  /// Creates SQL without key paths and values.
  public init(stringLiteral: String) { parts = [.text(stringLiteral)] }

  /// Creates SQL with key paths and values.
  public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

  init(_ parts: [Part]) { self.parts = parts }

  /// Collects the parts of a string literal.
  public struct StringInterpolation: StringInterpolationProtocol {
    private(set) var parts: [Part] = []
    /// The last column, with which the next value is probably compared.
    private var lastColumn: DocumentColumn?

    /// Creates an interpolation with the expected number of parts.
    public init(literalCapacity: Int, interpolationCount: Int) {
      parts.reserveCapacity(interpolationCount * 2 + 1)
    }

    /// Adds the literal's own text.
    public mutating func appendLiteral(_ literal: String) {
      if !literal.isEmpty { parts.append(.text(literal)) }
    }

    private mutating func append(_ part: () throws -> Part) {
      do { parts.append(try part()) } catch { parts.append(.failure(error)) }
    }

    // MARK: Names

    /// `\(\.name)` adds the column of a property, or of a property of a stored struct.
    public mutating func appendInterpolation<Value: Codable>(_ property: KeyPath<Row, Value>) {
      append { .column(try DocumentType<Row>.known().column(property)) }
      if case .column(let column)? = parts.last { lastColumn = column }
    }

    /// `\(\Book.name)` adds the column of a property of another type.
    @_disfavoredOverload
    public mutating func appendInterpolation<Document: Codable, Value: Codable>(
      _ property: KeyPath<Document, Value>
    ) {
      append { .column(try DocumentType<Document>.known().column(property)) }
      if case .column(let column)? = parts.last { lastColumn = column }
    }

    /// `\(books)` adds the quoted name of a collection's table.
    public mutating func appendInterpolation<Document>(_ collection: DocumentCollection<Document>) {
      parts.append(.text(collection.tableName.quotedDatabaseIdentifier))
    }

    /// `\(.caseInsensitive)` adds the quoted name of a collation, to follow `COLLATE`.
    public mutating func appendInterpolation(_ collation: Collation) {
      parts.append(.collation(collation))
    }

    /// `\(name: "…")` adds the quoted name of a table, a column and so on.
    public mutating func appendInterpolation(name: String) {
      parts.append(.text(name.quotedDatabaseIdentifier))
    }

    // MARK: Text

    /// `\(literal: "…")` adds text as it is: it must not come from outside of the program.
    public mutating func appendInterpolation(literal sql: String) { appendLiteral(sql) }

    /// `\(raw: "…")` adds text as it is: it must not come from outside of the program.
    public mutating func appendInterpolation(raw sql: String) { appendLiteral(sql) }

    // MARK: Values

    /// `\(value)` adds an argument, in the form in which the last property before it is stored; nil
    /// is NULL.
    public mutating func appendInterpolation<Value: Codable>(_ value: Value) {
      let column = lastColumn ?? DocumentColumn(name: "the SQL")
      append { .value(try DocumentValue.compared(value, with: column)) }
    }

    /// `\(values)` adds the values if it follows `IN`, with or without parentheses around it, and
    /// otherwise one argument: the array in its stored form.
    ///
    /// There can be any number of values, including none.
    public mutating func appendInterpolation<Value: Codable>(_ values: [Value]) {
      let column = lastColumn ?? DocumentColumn(name: "the SQL")
      guard let place = listPlace else {
        return append { .value(try DocumentValue.databaseValue(of: values, in: column)) }
      }
      append {
        let list = try values.map { try DocumentValue.operand(of: $0, in: column) }
        return place == .afterIN ? .list(list) : .element(list)
      }
    }

    private enum ListPlace { case afterIN, inParentheses }

    /// The place of a list that is the right side of `IN`; nil elsewhere.
    private var listPlace: ListPlace? {
      guard case .text(var text)? = parts.last else { return nil }
      func trim() { while text.last?.isWhitespace == true { text.removeLast() } }
      trim()
      let isInside = text.last == "("
      if isInside { text.removeLast() }
      trim()
      let word = text.reversed().prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
      guard String(word).uppercased() == "NI" else { return nil }
      return isInside ? .inParentheses : .afterIN
    }
  }
}

extension SQLFragment {
  /// The collations of the columns of a fragment.
  enum ColumnCollation {
    /// None.
    case columns
    /// The collation that the property declares, or that its type requires.
    case declared
    /// The same collation for all columns.
    case override(Collation)
  }

  /// SQL, and the collations that it requires.
  struct Rendered {
    var sql: SQL
    var collations: [Collation] = []
  }

  /// The name of the first column.
  var firstColumn: String? {
    for case .column(let column) in parts { return column.name }
    return nil
  }

  /// Returns the fragment as SQL.
  ///
  /// - Throws: The error of an interpolation.
  func rendered(collation: ColumnCollation) throws -> Rendered {
    var elements: [SQL.Element] = []
    var collations: [Collation] = []
    elements.reserveCapacity(parts.count)
    for part in parts {
      switch part {
      case .text(let text): elements.append(.text(text))
      case .value(let value): elements.append(.argument(StatementArgument(value)))
      case .list(let values): elements.append(.list(ArrayArgument(values)))
      case .element(let values):
        elements.append(.argument(StatementArgument(ArrayArgument(values))))
      case .failure(let error): throw error
      case .collation(let collation):
        elements.append(.text(collation.sqlName))
        collations.append(collation)
      case .column(let column):
        let used: Collation? =
          switch collation {
          case .columns: nil
          case .declared: column.comparing
          case .override(let collation): collation
          }
        elements.append(.text(column.expression(collation: used)))
        if let used { collations.append(used) }
      }
    }
    return Rendered(sql: SQL(elements: elements), collations: collations)
  }
}

extension SQLFragment {
  /// Throws if the SQL would reach beyond its place in a query: if it has unbalanced parentheses, a
  /// comment, an unterminated string or another clause.
  func requireClosed() throws {
    var text = parts.map { if case .text(let text) = $0 { text } else { " ? " } }.joined()
    var depth = 0
    let problem: String? = text.withUTF8 { utf8 in
      if unsafe utf8.contains(0) { return "has the character NUL" }
      for token in SQLTokenizer(utf8) {
        switch token.kind {
        case .leftParenthesis: depth += 1
        case .rightParenthesis:
          depth -= 1
          if depth < 0 { return "closes a parenthesis that isn't open" }
        case .comment: return "has a comment"
        case .semicolon: return "has a semicolon"
        case .illegal: return "has an unterminated quote, or a character that is invalid in SQL"
        case .word where depth == 0:
          let word = unsafe String(decoding: utf8[token.range], as: UTF8.self).uppercased()
          if clauses.contains(word) { return "has another clause, \(word)" }
        default: break
        }
      }
      return depth == 0 ? nil : "leaves a parenthesis open"
    }
    guard let problem else { return }
    throw DocumentError(
      "a fragment of SQL \(problem)",
      hint:
        "It is a condition, an order or an assignment: interpolate values as \\(value), and run "
        + "whole statements with execute.")
  }
}

/// The words that end an expression in SQL.
private let clauses: Set<String> = [
  "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "UNION", "INTERSECT", "EXCEPT", "RETURNING",
]

extension SQLFragment: CustomStringConvertible, CustomReflectable {
  /// The SQL, with `?` for values, and `…` for properties and collations.
  public var description: String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .value: "?"
      case .list: "(?)"
      case .element: "?"
      case .column, .collation, .failure: "…"
      }
    }.joined()
  }

  /// Nothing but the ``description``.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
