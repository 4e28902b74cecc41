import CofferVault
import FoundationEssentials

/// Builds SQL: the text, its arguments, and the names of its tables.
@usableFromInline
package struct SQLRenderer {
  package let database: Database

  /// The text so far, without the parentheses of ``subqueries``.
  private var text = ""

  /// The ranges in bytes of queries that get parentheses only where needed.
  ///
  /// Outer queries come first.
  private var subqueries: [Range<Int>] = []

  /// The complete text.
  package var sql: String {
    subqueries.isEmpty ? text : SubqueryParentheses.adding(to: text, around: subqueries)
  }

  package private(set) var arguments = StatementArguments()

  /// Whether values are written as literals, since schema definitions can't have arguments.
  private let writesValues: Bool

  /// The qualifier of the innermost query's columns; nil if that query has only one table.
  package var qualifier: String?

  /// The table that columns belong to; empty for a query.
  package var tableName = ""

  /// The tables that a table alias can refer to, in this query and the queries around it.
  package var tables: [ObjectIdentifier: NamedTable] = [:]

  /// The number of queries around the current position.
  package var depth = 0

  /// A table in a query.
  package struct NamedTable {
    /// The name in the query.
    package let name: String
    /// The name in the schema; empty for a query.
    package let tableName: String
    /// The ``SQLRenderer/depth`` of the table's query.
    package let depth: Int
    /// Whether the name qualifies columns in the table's query.
    package let isQualified: Bool

    package init(name: String, tableName: String, depth: Int, isQualified: Bool) {
      self.name = name
      self.tableName = tableName
      self.depth = depth
      self.isQualified = isQualified
    }
  }

  /// The maximum number of values written individually after `IN`.
  ///
  /// A longer list is a single array argument, so that lists of various lengths don't fill the
  /// statement cache.
  package static let longestWrittenList = 8

  package init(_ database: Database, writesValues: Bool = false) {
    self.database = database
    self.writesValues = writesValues
    // Enough for most requests, in one allocation.
    text.reserveCapacity(240)
  }

  // MARK: Text

  /// Appends text unchanged.
  package mutating func append(_ text: String) { self.text += text }

  /// Appends text with the arguments of its parameters.
  ///
  /// - Throws: ``DatabaseError`` if a name has a different argument already.
  package mutating func append(_ text: String, arguments new: StatementArguments) throws {
    guard !writesValues || new.isEmpty else { return try appendWrittenOut(text, new) }
    self.text += text
    arguments.positional.append(contentsOf: new.positional)
    for (name, argument) in new.named {
      guard let old = arguments.named.updateValue(argument, forKey: name), old != argument
      else { continue }
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "already defined statement argument: \(name)",
        sql: sql, hint: "Two parts of the SQL have different arguments of that name.")
    }
  }

  /// Appends a quoted name.
  package mutating func append(identifier: String) {
    if identifier.utf8.contains(UInt8(ascii: "\"")) {
      text += identifier.quotedDatabaseIdentifier
    } else {
      text += "\""
      text += identifier
      text += "\""
    }
  }

  /// Appends a column of the innermost query.
  package mutating func append(column: String) {
    if let qualifier {
      append(identifier: qualifier)
      text += "."
    }
    append(identifier: column)
  }

  // MARK: Values

  /// Appends a parameter for the value.
  package mutating func append(_ value: DatabaseValue) {
    if writesValues {
      text += value.sqlLiteral
    } else {
      append(StatementArgument(value))
    }
  }

  /// Appends a parameter for the argument.
  package mutating func append(_ argument: StatementArgument) {
    if writesValues, let value = argument.databaseValue {
      text += value.sqlLiteral
    } else {
      text += "?"
      arguments.positional.append(argument)
    }
  }

  /// Appends a list of values, in parentheses.
  package mutating func append(_ list: ArrayArgument, separator: String = ",") {
    let count = list.count
    if count > SQLRenderer.longestWrittenList, !writesValues, endsWithIN {
      text += "(?)"
      arguments.positional.append(StatementArgument(list))
    } else if count == 0 {
      text += "(SELECT NULL WHERE NULL)"
    } else {
      text += "("
      for (index, value) in list.storage.values.enumerated() {
        if index > 0 { text += separator }
        append(value)
      }
      text += ")"
    }
  }

  /// Whether the text ends with `IN`: an array is only possible after it.
  private var endsWithIN: Bool {
    var bytes = text.utf8[...]
    func isWord(_ byte: UInt8) -> Bool {
      byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
        || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
    }
    while let last = bytes.last, last == 0x20 || (0x09...0x0D).contains(last) {
      bytes.removeLast()
    }
    guard let n = bytes.popLast(), n & 0xDF == UInt8(ascii: "N"),
      let i = bytes.popLast(), i & 0xDF == UInt8(ascii: "I")
    else { return false }
    return bytes.last.map { !isWord($0) } ?? true
  }

  /// Appends text with its parameters replaced by literals.
  private mutating func appendWrittenOut(_ text: String, _ arguments: StatementArguments) throws {
    var (text, positional) = (text, arguments.positional[...])
    var replacements: [(Range<Int>, String)] = []
    try text.withUTF8 { utf8 in
      for token in SQLTokenizer(utf8) where token.kind == .parameter {
        let name = unsafe String(decoding: utf8[token.range].dropFirst(), as: UTF8.self)
        let argument = arguments.named[name] ?? positional.popFirst()
        guard name.isEmpty || arguments.named[name] != nil, let value = argument?.databaseValue
        else {
          throw unsafe DatabaseError(
            resultCode: .SQLITE_MISUSE, message: "a schema definition can't have this parameter",
            sql: String(decoding: utf8, as: UTF8.self),
            hint:
              "Pass values for `?` by position, and for `:name` by name; arrays aren't allowed."
          )
        }
        replacements.append((token.range, value.sqlLiteral))
      }
    }
    var (bytes, end) = ([UInt8](), 0)
    let source = Array(text.utf8)
    for (range, value) in replacements {
      bytes += source[end..<range.lowerBound] + Array(value.utf8)
      end = range.upperBound
    }
    self.text += String(decoding: bytes + source[end...], as: UTF8.self)
  }

  // MARK: Queries and expressions

  /// Appends a query, without parentheses.
  ///
  /// Columns in the SQL of a query belong to its tables, not to those of the query around it.
  package mutating func append(_ query: SQLSubquery) throws {
    switch query.content {
    case .node(let node): try node.render(into: &self)
    case .sql(let sql):
      let (outerQualifier, outerName) = (qualifier, tableName)
      (qualifier, tableName) = (nil, "")
      depth += 1
      defer {
        depth -= 1
        (qualifier, tableName) = (outerQualifier, outerName)
      }
      let start = text.utf8.count
      try append(sql)
      // A comment must not swallow the following text.
      if mayEndWithComment(from: start) { text += "\n" }
    }
  }

  /// Returns whether the last line of the text from an offset on may end with a comment.
  private func mayEndWithComment(from start: Int) -> Bool {
    var isDash = false
    for byte in text.utf8.dropFirst(start).reversed() {
      if byte == 0x0A { return false }
      if byte == UInt8(ascii: "-"), isDash { return true }
      isDash = byte == UInt8(ascii: "-")
    }
    return false
  }

  /// Appends a query, in parentheses where SQL takes a value or a table.
  package mutating func append(embedding query: SQLSubquery) throws {
    let (start, index) = (text.utf8.count, subqueries.count)
    subqueries.append(start..<start)
    try append(query)
    subqueries[index] = start..<text.utf8.count
  }

  /// Appends an expression.
  package mutating func append(_ expression: SQLExpression) throws {
    switch expression.content {
    case .value(let value): if value.isNull { append("NULL") } else { append(value) }
    case .sql(let sql): try append(sql)
    case .node(let node): try node.render(into: &self)
    }
  }

  /// Appends SQL.
  package mutating func append(_ sql: SQL) throws {
    for element in sql.elements {
      switch element {
      case .sql(let text, let arguments): try append(text, arguments: arguments)
      case .argument(let argument): append(argument)
      case .list(let list): append(list)
      case .node(let node): try node.render(into: &self)
      }
    }
  }
}

extension DatabaseValue {
  /// The value as an SQL literal.
  package var sqlLiteral: String {
    switch storage {
    case .null: "NULL"
    case .int64(let value): String(value)
    case .double(let value):
      value.isInfinite ? (value < 0 ? "-9e999" : "9e999") : value.isNaN ? "NULL" : "\(value)"
    case .string(let value):
      value.utf8.contains(0)
        // SQL text ends at a NUL.
        ? "CAST(\(Data(value.utf8).hexadecimalLiteral) AS TEXT)"
        : "'" + value.replacing("'", with: "''") + "'"
    case .blob(let data): data.hexadecimalLiteral
    }
  }
}
