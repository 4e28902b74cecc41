/// Shows some columns under other names, and hides the rest.
///
/// ```swift
/// // [name:"Arthur"]
/// try Row.fetchOne(db, sql: "SELECT 1 AS a, 'Arthur' AS b", adapter: ColumnMapping(["name": "b"]))
/// ```
///
/// The columns stay in the order of the row. A name is looked for in either
/// case, and stands for the leftmost column that has it.
public struct ColumnMapping: RowAdapter {
  private let mapping: [String: String]

  /// Shows columns under other names.
  /// - Parameter mapping: The row's names by the names to show.
  public init(_ mapping: [String: String]) { self.mapping = mapping }

  /// Throws where a column doesn't exist.
  public func _adaptation(of columns: RowColumns) throws -> RowAdaptation {
    var pairs: [(name: String, index: Int)] = []
    for (name, column) in mapping.sorted(by: { $0.key < $1.key }) {
      guard let index = columns.layout.index(ofColumn: column) else {
        throw DatabaseError(
          .SQLITE_MISUSE, "no such column for a ColumnMapping: \(column)",
          hint: columns.count == 0
            ? "The row has no columns."
            : "The columns are: \(columns.layout.columnNames.joined(separator: ", ")).")
      }
      pairs.append((name, index))
    }
    // Two names may stand for one column; they come in alphabetic order.
    pairs.sort { ($0.index, $0.name) < ($1.index, $1.name) }
    return RowAdaptation(
      layout: RowLayout(columnNames: pairs.map(\.name)),
      baseIndices: pairs.map { columns.baseIndex($0.index) }, scopes: [])
  }
}

/// Hides all columns, so that a row shows nothing but its scopes.
public struct EmptyRowAdapter: RowAdapter {
  /// Hides all columns.
  public init() {}

  /// No columns, no scopes.
  public func _adaptation(of columns: RowColumns) -> RowAdaptation {
    columns.adaptation(showing: 0..<0)
  }
}

/// Shows the columns of a range of 0-based indices.
public struct RangeRowAdapter: RowAdapter {
  private let range: Range<Int>

  /// Shows the columns of the range.
  ///
  /// - Precondition: No index is negative. One that the row doesn't have makes
  ///   the fetch throw.
  public init(_ range: CountableRange<Int>) {
    precondition(range.lowerBound >= 0, "the index of a column is negative")
    self.range = range
  }

  /// Shows the columns of the range.
  ///
  /// - Precondition: No index is negative. One that the row doesn't have makes
  ///   the fetch throw.
  public init(_ range: CountableClosedRange<Int>) { self.init(Range(range)) }

  /// Throws where the row has fewer columns.
  public func _adaptation(of columns: RowColumns) throws -> RowAdaptation {
    guard range.upperBound <= columns.count else {
      throw DatabaseError(
        .SQLITE_MISUSE,
        "a RangeRowAdapter wants the columns \(range) of a row that has \(columns.count)")
    }
    return columns.adaptation(showing: range)
  }
}

/// Shows the columns from a 0-based index on.
public struct SuffixRowAdapter: RowAdapter {
  private let index: Int

  /// Shows the columns from the index on; none where it is the number of columns.
  ///
  /// - Precondition: `index` is not negative. One past the row's end makes the
  ///   fetch throw.
  public init(fromIndex index: Int) {
    precondition(index >= 0, "the index of a column is negative")
    self.index = index
  }

  /// Throws where the row has fewer columns.
  public func _adaptation(of columns: RowColumns) throws -> RowAdaptation {
    guard index <= columns.count else {
      throw DatabaseError(
        .SQLITE_MISUSE,
        "a SuffixRowAdapter starts at column \(index) of a row that has \(columns.count)")
    }
    return columns.adaptation(showing: index..<columns.count)
  }
}

/// Shows all columns, each under a name that a function makes of its own.
public struct RenameColumnAdapter: RowAdapter {
  private let transform: @Sendable (String) -> String

  /// Shows all columns under other names.
  /// - Parameter transform: Gets the name of a column, gives the one to show;
  ///   called once per column and fetch.
  public init(_ transform: @escaping @Sendable (String) -> String) { self.transform = transform }

  /// As many columns, in the same order.
  public func _adaptation(of columns: RowColumns) -> RowAdaptation {
    RowAdaptation(
      layout: RowLayout(columnNames: columns.layout.columnNames.map(transform)),
      baseIndices: (0..<columns.count).map(columns.baseIndex), scopes: [])
  }
}
