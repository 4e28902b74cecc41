/// Puts the elements of ``SQL`` together, text and arguments side by side.
package struct SQLBuilder {
  package private(set) var sql = ""
  package private(set) var arguments = StatementArguments()

  /// The longest list that is written out after `IN`. A longer one is one
  /// array argument, so that lists of many lengths don't fill the statement cache.
  package static let longestWrittenList = 8

  package init() {}

  /// Adds an element.
  ///
  /// - Parameter build: Gives the text and the arguments of a fragment.
  package mutating func append(
    _ element: SQL.Element,
    build: (any SQLFragment) throws -> (sql: String, arguments: StatementArguments)
  ) throws {
    switch element {
    case .sql(let text, let arguments): try append(text, arguments: arguments)
    case .argument(let argument): append(argument)
    case .list(let list): append(list)
    case .fragment(let fragment):
      let (text, arguments) = try build(fragment)
      try append(text, arguments: arguments)
    }
  }

  /// Adds text, with the arguments of its parameters.
  ///
  /// - Throws: An error where a name has another argument already.
  package mutating func append(
    _ text: String, arguments new: StatementArguments = StatementArguments()
  ) throws {
    sql += text
    arguments.positional.append(contentsOf: new.positional)
    for (name, argument) in new.named {
      guard let old = arguments.named.updateValue(argument, forKey: name), old != argument
      else { continue }
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "already defined statement argument: \(name)",
        sql: sql, hint: "Two parts of the SQL have different arguments of that name.")
    }
  }

  /// Adds a parameter for the argument.
  package mutating func append(_ argument: StatementArgument) {
    sql += "?"
    arguments.positional.append(argument)
  }

  /// Adds a list of values, in parentheses.
  package mutating func append(_ list: ArrayArgument) {
    let count = list.count
    if count > SQLBuilder.longestWrittenList, endsWithIN {
      sql += "(?)"
      arguments.positional.append(StatementArgument(list))
    } else if count == 0 {
      sql += "(SELECT NULL WHERE NULL)"
    } else {
      let values = list.storage.values
      sql += "(\(databaseQuestionMarks(count: values.count)))"
      arguments.positional.append(contentsOf: values.lazy.map { StatementArgument($0) })
    }
  }

  /// Whether the next token is the right side of `IN`: nothing else takes an array.
  private var endsWithIN: Bool {
    var bytes = sql.utf8[...]
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
}
