/// What one SQL statement has to become so that some of its parameters can
/// hold arrays.
///
/// `x IN (?)` becomes `x IN (SELECT +value FROM coffer_array(?))`, a list of
/// several elements a `UNION ALL` of them in their order. Parameters keep
/// their spelling and their order, hence SQLite gives them the same indices.
///
/// The meaning is that of a list with the array's values written out. SQLite
/// compares `IN (SELECT …)` with the affinity and the collation of both
/// sides, and takes those of the right side from its last `SELECT`, whereas a
/// list has none. Hence the unary plus, which strips an affinity, and
/// `SELECT NULL WHERE 0` at the end, which has no collation and adds no
/// row. One difference is left: where the left side is a `REAL` column,
/// SQLite 3.46 rounds integers beyond ±2^53 to floating point.
///
/// The analysis is done once; ``rewrite(arrays:)`` is then a copy of the text.
package struct ArrayArgumentRewriter: Hashable, Sendable {
  /// An occurrence of a parameter.
  package struct Parameter: Hashable, Sendable {
    /// The 1-based index that SQLite gives the parameter; 0 for `?0`, which
    /// SQLite refuses.
    package let index: Int

    /// The parameter as it is written, prefix included; nil for a bare `?`.
    package let name: String?

    /// Where it stands, in bytes of UTF-8.
    package let range: Range<Int>

    /// The position of the list of which it is an element, but for
    /// parentheses; nil where it stands elsewhere.
    var list: Int?
  }

  /// An `IN (…)` list. Ranges are in bytes of UTF-8.
  struct List: Hashable, Sendable {
    struct Element: Hashable, Sendable {
      var range: Range<Int>
      /// The position in ``parameters`` of the one that is the element.
      var parameter: Int?
    }

    var elements: [Element] = []
    var commas: [Int] = []
    var isRowValue = false
    var hasAggregate = false
    /// Whether the list is closed and has no empty element. SQLite refuses
    /// the others, so they are left as they are.
    var isWellFormed = true
  }

  /// Most elements that a list with an array may have, the array counting as one:
  /// SQLite's compound `SELECT` takes 500 terms, the one at the end included.
  static let maximumElementCount = 499

  /// The exact text of the statement.
  package let sql: SQLString

  /// All occurrences, in their order in the text.
  package internal(set) var parameters: [Parameter] = []

  var lists: [List] = []

  /// Analyses a statement.
  /// - Parameter sql: One statement, without those that follow it.
  /// - Complexity: O(*n*) in the bytes of `sql`.
  package init(_ sql: String) {
    self.sql = SQLString(sql)
    var parser = SQLListParser(sql)
    parser.parse()
    parameters = parser.parameters
    lists = parser.lists
  }

  /// All occurrences of parameters, in their order in the text.
  package static func parameters(in sql: String) -> [Parameter] {
    ArrayArgumentRewriter(sql).parameters
  }

  /// The statement to prepare for arrays at the given parameters; the text
  /// itself where there are none.
  /// - Parameter arrays: 1-based indices of the parameters that hold arrays.
  /// - Throws: Where an occurrence of one of them can't take an array.
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

  /// The positions of the lists that take an array, each once.
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

  /// Text that replaces a range of bytes, or is inserted where it is empty.
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

  /// The text with all edits done. Those of a nested list lie inside one
  /// element of the outer one and never touch its ends.
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
