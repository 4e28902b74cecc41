/// Rewrites an SQL statement so that some of its parameters can take arrays.
///
/// `x IN (?)` becomes `x IN (SELECT +value FROM coffer_array(?))`; a list of several elements
/// becomes a `UNION ALL` of them. Parameters keep their names and order, so that SQLite gives them
/// the same indices.
///
/// The result means the same as a list of the array's values. SQLite compares `IN (SELECT …)` with
/// the affinity and collation of both sides, taking the right side's from the last `SELECT`,
/// whereas a list has neither. So a unary plus strips the affinity, and a final
/// `SELECT NULL WHERE 0` has no collation and adds no row. One difference remains: with a `REAL`
/// column on the left side, SQLite 3.46 rounds integers beyond ±2^53 to floating point.
///
/// The statement is analysed once; ``rewrite(arrays:)`` only copies text.
package struct ArrayArgumentRewriter: Hashable, Sendable {
  /// An occurrence of a parameter.
  package struct Parameter: Hashable, Sendable {
    /// The parameter's 1-based index in SQLite; 0 for `?0`, which SQLite rejects.
    package let index: Int

    /// The parameter as written, with its prefix; nil for a bare `?`.
    package let name: String?

    /// The range in the SQL, in UTF-8 bytes.
    package let range: Range<Int>

    /// The position of the list that the parameter is an element of, parentheses aside.
    ///
    /// Nil if it isn't in a list.
    var list: Int?
  }

  /// An `IN (…)` list. Ranges are in UTF-8 bytes.
  struct List: Hashable, Sendable {
    struct Element: Hashable, Sendable {
      var range: Range<Int>
      /// The position in ``parameters`` if the element is a parameter.
      var parameter: Int?
    }

    var elements: [Element] = []
    var commas: [Int] = []
    var isRowValue = false
    var hasAggregate = false
    /// Whether the list is closed and has no empty element.
    ///
    /// SQLite rejects other lists, so they aren't rewritten.
    var isWellFormed = true
  }

  /// The maximum number of elements of a list with an array, which counts as one.
  ///
  /// SQLite allows 500 terms in a compound `SELECT`, including the one added at the end.
  static let maximumElementCount = 499

  /// The exact text of the statement.
  package let sql: SQLString

  /// The occurrences of parameters, in the order of the text.
  package internal(set) var parameters: [Parameter] = []

  var lists: [List] = []

  /// Analyses a statement.
  /// - Parameter sql: A single statement.
  /// - Complexity: O(*n*) in the bytes of `sql`.
  package init(_ sql: String) {
    self.sql = SQLString(sql)
    var parser = SQLListParser(sql)
    parser.parse()
    parameters = parser.parameters
    lists = parser.lists
  }

  /// Returns the occurrences of parameters, in the order of the text.
  package static func parameters(in sql: String) -> [Parameter] {
    ArrayArgumentRewriter(sql).parameters
  }

  /// Returns the statement to compile for arrays at some parameters; the original text for none.
  /// - Parameter arrays: The 1-based indices of the parameters that hold arrays.
  /// - Throws: ``ArrayArgumentError`` if a parameter occurs where an array is not possible.
  package func rewrite(arrays: Set<Int>) throws(ArrayArgumentError) -> String {
    guard !arrays.isEmpty else { return sql.string }
    let affected = try listsAffected(by: arrays)
    guard !affected.isEmpty else { return sql.string }

    var edits: [Edit] = []
    for list in affected where lists[list].isWellFormed {
      appendEdits(for: lists[list], arrays: arrays, to: &edits)
    }
    return apply(edits)
  }

  /// Returns the positions of the lists that take an array, without duplicates.
  private func listsAffected(by arrays: Set<Int>) throws(ArrayArgumentError) -> [Int] {
    var affected: [Int] = []
    for parameter in parameters where arrays.contains(parameter.index) {
      guard let position = parameter.list else {
        throw ArrayArgumentError(.outsideOfList, parameter: parameter)
      }
      if lists[position].isRowValue {
        throw ArrayArgumentError(.rowValue, parameter: parameter)
      }
      if lists[position].hasAggregate {
        throw ArrayArgumentError(.aggregateInList, parameter: parameter)
      }
      if lists[position].elements.count > Self.maximumElementCount {
        throw ArrayArgumentError(.tooManyElements, parameter: parameter)
      }
      if affected.last != position && !affected.contains(position) { affected.append(position) }
    }
    return affected
  }

  // MARK: Edits

  /// A replacement of a range of bytes, or an insertion if the range is empty.
  private struct Edit {
    var range: Range<Int>
    var text: String

    static func insert(_ text: String, at offset: Int) -> Edit {
      Edit(range: offset..<offset, text: text)
    }
  }

  private func appendEdits(for list: List, arrays: Set<Int>, to edits: inout [Edit]) {
    var endsWithArray = false
    for element in list.elements {
      endsWithArray = element.parameter.map { arrays.contains(parameters[$0].index) } ?? false
      edits.append(
        .insert(
          endsWithArray ? "SELECT +value FROM coffer_array(" : "SELECT +(",
          at: element.range.lowerBound))
      edits.append(.insert(")", at: element.range.upperBound))
    }
    if !endsWithArray, let last = list.elements.last {
      edits.append(.insert(" UNION ALL SELECT NULL WHERE 0", at: last.range.upperBound))
    }
    for comma in list.commas {
      edits.append(Edit(range: comma..<comma + 1, text: " UNION ALL "))
    }
  }

  /// Returns the text after all edits.
  ///
  /// Edits of a nested list lie inside one element of the outer list and never touch its ends.
  private func apply(_ edits: [Edit]) -> String {
    let ordered = edits.enumerated().sorted {
      ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
    }
    let source = sql.string.utf8
    var result: [UInt8] = []
    result.reserveCapacity(source.count + edits.reduce(0) { $0 + $1.text.utf8.count })
    var copied = source.startIndex
    for (_, edit) in ordered {
      let start = source.index(source.startIndex, offsetBy: edit.range.lowerBound)
      result.append(contentsOf: source[copied..<start])
      result.append(contentsOf: edit.text.utf8)
      copied = source.index(start, offsetBy: edit.range.count)
    }
    result.append(contentsOf: source[copied...])
    return String(decoding: result, as: UTF8.self)
  }
}
