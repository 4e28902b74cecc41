/// Finds which queries embedded in SQL text need parentheses.
///
/// A query needs none where SQL expects a query: as a statement, after `EXPLAIN`, `CREATE … AS`,
/// `INSERT INTO …`, `WITH …` and `UNION`, and alone in parentheses other than those of function
/// arguments. Elsewhere, it is a value or a table, which needs them.
///
/// The text is scanned for keywords and parentheses only; SQLite checks the grammar.
package struct SubqueryParentheses {
  /// Returns the text with parentheses around the queries that need them.
  ///
  /// - Parameter queries: The ranges of the queries, in bytes; outer queries come first.
  package static func adding(to text: String, around queries: [Range<Int>]) -> String {
    let text = Array(text.utf8)
    var finder = SubqueryParentheses(text, queries)
    var (result, end) = ([UInt8](), 0)
    result.reserveCapacity(text.count + 2 * queries.count)
    for (position, parenthesis) in finder.find() {
      result += text[end..<position]
      result.append(parenthesis)
      end = position
    }
    return String(decoding: result + text[end...], as: UTF8.self)
  }

  /// The text between two parentheses, or outside of any.
  private struct Level {
    /// The syntax read so far.
    enum Place {
      /// Nothing: a query can follow.
      case start
      /// `WITH …`
      case with
      /// `INSERT …`
      case insertion
      /// `CREATE …`
      case definition
      /// A position for values and tables.
      case other
    }

    var place: Place
    /// The last two tokens.
    var previous: Token?
    var beforePrevious: Token?
    /// The end of the parentheses added around a query.
    var end: Int?

    /// Whether a query without added parentheses has just ended.
    var isBehindQuery = false
  }

  /// A significant token.
  private struct Token {
    let kind: SQLTokenizer.Kind
    let range: Range<Int>
    /// The word in upper case; empty for other tokens.
    let word: String
  }

  private let tokens: [Token]
  private let queries: [Range<Int>]
  private var levels = [Level(place: .start)]
  private var parentheses: [(position: Int, parenthesis: UInt8)] = []

  private init(_ text: [UInt8], _ queries: [Range<Int>]) {
    self.queries = queries
    tokens = unsafe text.withUnsafeBufferPointer { bytes in
      SQLTokenizer(bytes).filter(\.isSignificant).map { token in
        let word =
          unsafe token.kind == .word ? String(decoding: bytes[token.range], as: UTF8.self) : ""
        return Token(kind: token.kind, range: token.range, word: word.uppercased())
      }
    }
  }

  private mutating func find() -> [(position: Int, parenthesis: UInt8)] {
    var next = 0
    var ends: [Int] = []
    for (index, token) in tokens.enumerated() {
      let start = token.range.lowerBound
      closeQueries(before: start)
      while let end = ends.last, end <= start {
        ends.removeLast()
        levels[levels.count - 1].isBehindQuery = true
      }
      while next < queries.count, queries[next].lowerBound <= start {
        let query = queries[next]
        next += 1
        // The query is empty or blank.
        guard query.upperBound > start else { continue }
        if takesParentheses(query, at: index) {
          parentheses.append((query.lowerBound, UInt8(ascii: "(")))
          levels.append(Level(place: .start, end: query.upperBound))
        } else {
          ends.append(query.upperBound)
        }
      }
      read(token, at: index)
    }
    closeQueries(before: .max)
    return parentheses
  }

  private mutating func closeQueries(before position: Int) {
    while let index = levels.lastIndex(where: { $0.end != nil }), let end = levels[index].end,
      end <= position
    {
      levels.removeSubrange(index...)
      parentheses.append((end, UInt8(ascii: ")")))
      append(Token(kind: .rightParenthesis, range: end..<end, word: ""))
    }
  }

  /// Returns whether the query that starts with the token needs parentheses.
  private func takesParentheses(_ query: Range<Int>, at index: Int) -> Bool {
    guard let level = levels.last else { return false }
    switch level.place {
    case .start:
      guard levels.count > 1 else { return false }
      // In parentheses: alone, or the first part of a compound query.
      guard let next = tokens[index...].first(where: { $0.range.lowerBound >= query.upperBound }),
        level.end.map({ next.range.lowerBound < $0 }) ?? true
      else { return false }
      return next.kind != .rightParenthesis && !Self.continuations.contains(next.word)
    case .with: return level.previous?.kind != .rightParenthesis
    case .insertion: return level.previous?.word == "INTO"
    case .definition: return level.previous?.word != "AS"
    case .other:
      if level.isBehindQuery { return false }
      let word = level.previous?.word ?? ""
      if word == "ALL" { return level.beforePrevious?.word != "UNION" }
      return !Self.compoundOperators.contains(word)
    }
  }

  // MARK: Reading

  private mutating func read(_ token: Token, at index: Int) {
    switch token.kind {
    case .leftParenthesis:
      let level = levels[levels.count - 1]
      let isCall =
        level.previous?.kind == .quotedIdentifier
        || (level.previous.map { $0.kind == .word && !Self.openers.contains($0.word) } ?? false)
      levels.append(Level(place: isCall ? .other : .start))
    case .rightParenthesis:
      if levels.count > 1, levels[levels.count - 1].end == nil { levels.removeLast() }
      append(token)
    case .semicolon where levels.count == 1: levels[0] = Level(place: .start)
    default:
      advance(with: token)
      append(token)
    }
  }

  private mutating func append(_ token: Token) {
    let last = levels.count - 1
    levels[last].beforePrevious = levels[last].previous
    levels[last].previous = token
    levels[last].isBehindQuery = false
  }

  private mutating func advance(with token: Token) {
    let last = levels.count - 1
    let isBehindParenthesis = levels[last].previous?.kind == .rightParenthesis
    switch (levels[last].place, token.word) {
    case (.start, "WITH"), (.insertion, "WITH"), (.definition, "WITH"): levels[last].place = .with
    case (.start, "EXPLAIN"), (.start, "QUERY"), (.start, "PLAN"): break
    case (.start, "INSERT") where last == 0,
      (.start, "REPLACE") where last == 0,
      (.with, "INSERT") where isBehindParenthesis,
      (.with, "REPLACE") where isBehindParenthesis:
      levels[last].place = .insertion
    case (.start, "CREATE") where last == 0: levels[last].place = .definition
    case (.start, _): levels[last].place = .other
    case (.with, "SELECT"), (.with, "VALUES"), (.with, "UPDATE"), (.with, "DELETE"),
      (.insertion, "SELECT"), (.insertion, "VALUES"), (.insertion, "DEFAULT"),
      (.definition, "SELECT"):
      levels[last].place = .other
    // The statements of a trigger.
    case (.definition, "BEGIN"): levels[last].place = .start
    default: break
    }
  }

  // MARK: Keywords

  private static let compoundOperators: Set<String> = ["UNION", "INTERSECT", "EXCEPT"]

  /// Keywords that can follow the first query in parentheses.
  private static let continuations: Set<String> = compoundOperators.union([
    "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT",
  ])

  /// Words before parentheses that don't enclose arguments.
  private static let openers: Set<String> = compoundOperators.union([
    "ALL", "AND", "AS", "BETWEEN", "BY", "CASE", "CHECK", "DEFAULT", "DISTINCT", "ELSE", "ESCAPE",
    "EXISTS", "FROM", "GLOB", "HAVING", "IN", "IS", "ISNULL", "JOIN", "LIKE", "LIMIT", "MATCH",
    "MATERIALIZED", "NOT", "NOTNULL", "OFFSET", "ON", "OR", "REGEXP", "RETURNING", "SELECT", "SET",
    "THEN", "WHEN", "WHERE",
  ])
}
