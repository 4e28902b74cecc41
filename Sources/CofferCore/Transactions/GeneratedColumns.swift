import CofferVault

/// The generated columns of a table, and the columns from which they are computed.
struct GeneratedColumns {
  /// By generated column: all columns that its expression names, those of other generated columns
  /// included.
  private(set) var bases: [SQLName: Set<SQLName>] = [:]

  /// - Parameter sql: The SQL that has created the table.
  init(sql: String) {
    var columns: Set<SQLName> = []
    var names: [SQLName: Set<SQLName>] = [:]
    for definition in GeneratedColumns.definitions(sql) {
      guard let column = definition.first?.name else { continue }
      columns.insert(column)
      if let expression = GeneratedColumns.expression(of: definition) {
        names[column] = Set(expression.compactMap(\.name))
      }
    }
    // As the columns are declared, not as the expressions write them.
    bases = names.mapValues { names in columns.filter(names.contains) }
    // Generated columns can be computed from one another, but not in a circle.
    for _ in bases {
      bases = bases.mapValues { columns in
        columns.reduce(into: columns) { $0.formUnion(bases[$1] ?? []) }
      }
    }
  }

  private struct Word {
    let kind: SQLTokenizer.Kind
    let text: String

    /// The name that the word can be.
    var name: SQLName? {
      switch kind {
      case .word, .quotedIdentifier, .string: SQLName(text)
      default: nil
      }
    }
  }

  /// Returns the words of each part of the list of columns and constraints.
  private static func definitions(_ sql: String) -> [[Word]] {
    var sql = sql
    return sql.withUTF8 { utf8 in
      var definitions: [[Word]] = []
      var depth = 0
      for token in SQLTokenizer(utf8) where token.isSignificant {
        if token.kind == .rightParenthesis { depth -= 1 }
        if depth == 0 {
          if token.kind == .rightParenthesis { break }
          if token.kind == .leftParenthesis { definitions.append([]) }
        } else if depth == 1, token.kind == .comma {
          definitions.append([])
        } else {
          let bytes = unsafe Array(utf8[token.range])
          let isQuoted = token.kind == .quotedIdentifier || token.kind == .string
          let text = String(
            decoding: isQuoted ? SQLWord.unquoted(bytes) : bytes, as: UTF8.self)
          definitions[definitions.count - 1].append(Word(kind: token.kind, text: text))
        }
        if token.kind == .leftParenthesis { depth += 1 }
      }
      return definitions
    }
  }

  /// Returns the rest of a column's definition from its expression on; nil for other columns.
  private static func expression(of definition: [Word]) -> ArraySlice<Word>? {
    var depth = 0
    for index in definition.indices {
      switch definition[index].kind {
      case .leftParenthesis: depth += 1
      case .rightParenthesis: depth -= 1
      case .word
      where depth == 0 && definition[index].name == SQLName("AS")
        && index + 1 < definition.count && definition[index + 1].kind == .leftParenthesis:
        return definition[(index + 1)...]
      default: break
      }
    }
    return nil
  }
}
