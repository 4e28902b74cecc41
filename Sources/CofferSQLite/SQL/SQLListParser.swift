/// Finds the parameters and the `IN (…)` lists of an SQL statement.
///
/// It follows parentheses and commas and leaves the grammar to SQLite: for invalid SQL, the result
/// is unspecified, but the parser never traps.
struct SQLListParser {
  private typealias Token = SQLTokenizer.Token

  /// An open parenthesis.
  private struct Frame {
    enum Content {
      /// `IN (…)`, with its position in ``lists``.
      case list(Int)
      /// `(SELECT …)`, which has separate aggregates.
      case subquery
      case other
    }

    var content: Content
    /// The position of the first token of the current element, or after the parenthesis.
    var elementStart: Int
    /// The position in ``parameters`` of that element's first parameter.
    var firstParameter: Int
  }

  private(set) var parameters: [ArrayArgumentRewriter.Parameter] = []
  private(set) var lists: [ArrayArgumentRewriter.List] = []

  private let sql: [UInt8]
  /// The significant tokens.
  private var tokens: [Token] = []
  private var frames: [Frame] = []
  private var largestIndex = 0
  private var indices: [SQLString: Int] = [:]

  init(_ sql: String) {
    self.sql = Array(sql.utf8)
  }

  mutating func parse() {
    tokens = unsafe sql.withUnsafeBufferPointer { bytes in
      SQLTokenizer(bytes).filter(\.isSignificant)
    }
    for position in tokens.indices {
      switch tokens[position].kind {
      case .parameter: appendParameter(at: position)
      case .leftParenthesis: open(at: position)
      case .comma: separate(at: position)
      case .rightParenthesis: close(at: position)
      default: break
      }
    }
    while let frame = frames.popLast() {
      guard case .list(let list) = frame.content else { continue }
      finishElement(of: frame, list: list, at: tokens.endIndex)
      lists[list].isWellFormed = false
    }
  }

  // MARK: Parameters

  /// Numbers the parameter as SQLite does.
  ///
  /// `?` is one more than the largest index so far, `?N` is N, and a name has the index of its
  /// first occurrence, which counts like `?`.
  private mutating func appendParameter(at position: Int) {
    let range = tokens[position].range
    let spelling = String(decoding: sql[range], as: UTF8.self)
    let index: Int
    if range.count == 1 {
      index = largestIndex + 1
    } else if sql[range.lowerBound] == UInt8(ascii: "?") {
      index = Int(spelling.dropFirst()) ?? .max - 1
    } else if let known = indices[SQLString(spelling)] {
      index = known
    } else {
      index = largestIndex + 1
      indices[SQLString(spelling)] = index
    }
    largestIndex = max(largestIndex, min(index, .max - 1))
    parameters.append(
      ArrayArgumentRewriter.Parameter(
        index: index, name: range.count == 1 ? nil : spelling, range: range, list: nil))
  }

  // MARK: Parentheses

  private mutating func open(at position: Int) {
    let isSubquery = isWord(position + 1, among: Self.queryKeywords)
    var content = isSubquery ? Frame.Content.subquery : .other
    if !isSubquery && isWord(position - 1, among: ["IN"]) {
      lists.append(ArrayArgumentRewriter.List())
      lists[lists.endIndex - 1].isRowValue = isRowValueLeft(ofInAt: position - 1)
      content = .list(lists.endIndex - 1)
    }
    frames.append(
      Frame(
        content: content, elementStart: position + 1, firstParameter: parameters.endIndex))
  }

  private mutating func separate(at position: Int) {
    guard let frame = frames.last, case .list(let list) = frame.content else { return }
    lists[list].commas.append(tokens[position].range.lowerBound)
    finishElement(of: frame, list: list, at: position)
    frames[frames.endIndex - 1].elementStart = position + 1
    frames[frames.endIndex - 1].firstParameter = parameters.endIndex
  }

  private mutating func close(at position: Int) {
    guard let frame = frames.popLast(), case .list(let list) = frame.content else { return }
    finishElement(of: frame, list: list, at: position)
  }

  private mutating func finishElement(of frame: Frame, list: Int, at end: Int) {
    var inner = frame.elementStart..<end
    guard !inner.isEmpty else {
      lists[list].isWellFormed = false
      return
    }
    let bytes = tokens[inner.lowerBound].range.lowerBound..<tokens[end - 1].range.upperBound
    while inner.count > 2, tokens[inner.lowerBound].kind == .leftParenthesis,
      tokens[inner.upperBound - 1].kind == .rightParenthesis
    {
      inner = inner.lowerBound + 1..<inner.upperBound - 1
    }
    var element = ArrayArgumentRewriter.List.Element(range: bytes)
    if inner.count == 1, tokens[inner.lowerBound].kind == .parameter {
      element.parameter = frame.firstParameter
      parameters[frame.firstParameter].list = list
    } else if containsAggregate(frame.elementStart..<end) {
      lists[list].hasAggregate = true
    }
    lists[list].elements.append(element)
  }

  // MARK: Row values

  /// Returns whether a row value, such as `(a, b)`, precedes `IN` or `NOT IN`.
  private func isRowValueLeft(ofInAt position: Int) -> Bool {
    var last = position - 1
    if isWord(last, among: ["NOT"]) { last -= 1 }
    guard last >= 0, tokens[last].kind == .rightParenthesis else { return false }

    var depth = 0
    var commaCount = 0
    var first = last
    while first >= 0 {
      switch tokens[first].kind {
      case .rightParenthesis: depth += 1
      case .leftParenthesis: depth -= 1
      case .comma where depth == 1: commaCount += 1
      default: break
      }
      if depth == 0 { break }
      first -= 1
    }
    guard first >= 0, commaCount > 0, !isWord(first + 1, among: Self.queryKeywords) else {
      return false
    }
    guard first > 0 else { return true }
    // After a name, it is a call: `f(a, b)`.
    switch tokens[first - 1].kind {
    case .quotedIdentifier: return false
    case .word: return isWord(first - 1, among: Self.keywordsBeforeExpressions)
    default: return true
    }
  }

  // MARK: Aggregates

  /// Returns whether the tokens would aggregate other rows if moved into a `SELECT`.
  ///
  /// That is a window function, or an aggregate without a column, such as `count(*)`. A column ties
  /// an aggregate to the outer query. Subqueries are skipped.
  private func containsAggregate(_ range: Range<Int>) -> Bool {
    var position = range.lowerBound
    while position < range.upperBound {
      if tokens[position].kind == .leftParenthesis {
        if isWord(position + 1, among: Self.queryKeywords) {
          position = end(ofParenthesesAt: position, in: range)
          continue
        }
        let isCall = position > range.lowerBound && tokens[position - 1].kind == .word
        if isCall, isWord(position - 1, among: Self.aggregates),
          !containsColumn(position + 1..<end(ofParenthesesAt: position, in: range))
        {
          return true
        }
      } else if position > range.lowerBound, isWord(position, among: ["OVER"]),
        tokens[position - 1].kind == .rightParenthesis
      {
        return true
      }
      position += 1
    }
    return false
  }

  /// Returns the position after the closing parenthesis.
  private func end(ofParenthesesAt start: Int, in range: Range<Int>) -> Int {
    var depth = 0
    for position in start..<range.upperBound {
      switch tokens[position].kind {
      case .leftParenthesis: depth += 1
      case .rightParenthesis: depth -= 1
      default: break
      }
      if depth == 0 { return position + 1 }
    }
    return range.upperBound
  }

  /// Returns whether the tokens may name a column.
  private func containsColumn(_ range: Range<Int>) -> Bool {
    range.contains { position in
      switch tokens[position].kind {
      case .quotedIdentifier: true
      case .word:
        !isWord(position, among: Self.keywordsInExpressions)
          && !(position + 1 < range.upperBound && tokens[position + 1].kind == .leftParenthesis)
      default: false
      }
    }
  }

  // MARK: Words

  private static let queryKeywords: [StaticString] = ["SELECT", "VALUES", "WITH"]

  /// Keywords that precede an expression and are no function names.
  private static let keywordsBeforeExpressions: [StaticString] = [
    "ALL", "AND", "BETWEEN", "BY", "CASE", "DISTINCT", "ELSE", "EXCEPT", "HAVING", "IS", "LIMIT",
    "NOT", "OFFSET", "ON", "OR", "RETURNING", "SELECT", "THEN", "WHEN", "WHERE",
  ]

  private static let keywordsInExpressions: [StaticString] = [
    "AND", "AS", "BETWEEN", "BLOB", "CASE", "CAST", "COLLATE", "DISTINCT", "ELSE", "END", "FALSE",
    "IN", "INTEGER", "IS", "NOT", "NULL", "NUMERIC", "OR", "REAL", "TEXT", "THEN", "TRUE", "WHEN",
  ]

  /// SQLite's aggregates.
  ///
  /// `max` and `min` of several values are scalar functions; without a column, rejecting them makes
  /// no difference.
  private static let aggregates: [StaticString] = [
    "AVG", "COUNT", "GROUP_CONCAT", "JSON_GROUP_ARRAY", "JSON_GROUP_OBJECT", "JSONB_GROUP_ARRAY",
    "JSONB_GROUP_OBJECT", "MAX", "MIN", "STRING_AGG", "SUM", "TOTAL",
  ]

  /// Returns whether the token is one of the words, given in upper case.
  ///
  /// False for a position out of bounds.
  private func isWord(_ position: Int, among words: [StaticString]) -> Bool {
    guard tokens.indices.contains(position), tokens[position].kind == .word else { return false }
    let range = tokens[position].range
    return words.contains { word in
      guard word.utf8CodeUnitCount == range.count else { return false }
      return word.withUTF8Buffer { letters in
        unsafe zip(letters, sql[range]).allSatisfy { letter, byte in
          // Underscores and digits have no case.
          letter == byte || (letter >= UInt8(ascii: "A") && letter | 0x20 == byte)
        }
      }
    }
  }
}
