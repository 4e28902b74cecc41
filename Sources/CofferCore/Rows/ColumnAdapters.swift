import CofferVault

/// Shows some columns under other names, and hides the rest.
///
/// ```swift
/// // [name:"Arthur"]
/// try Row.fetchOne(db, sql: "SELECT 1 AS a, 'Arthur' AS b", adapter: ColumnMapping(["name": "b"]))
/// ```
///
/// The columns keep the row's order. Names are matched case-insensitively; the leftmost column with
/// a matching name is taken.
public struct ColumnMapping: RowAdapter {
  private let mapping: [String: String]

  /// Creates an adapter from a dictionary of names.
  /// - Parameter mapping: The row's column names, keyed by the names to show.
  public init(_ mapping: [String: String]) { self.mapping = mapping }

  /// Returns the columns to show. Throws if a column doesn't exist.
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
    // Two names can refer to the same column; they are sorted alphabetically.
    pairs.sort { ($0.index, $0.name) < ($1.index, $1.name) }
    return RowAdaptation(
      layout: RowLayout(columnNames: pairs.map(\.name)),
      baseIndices: pairs.map { columns.baseIndex($0.index) }, scopes: [])
  }
}

/// Hides all columns, so that a row has only its scopes.
public struct EmptyRowAdapter: RowAdapter {
  /// Creates the adapter.
  public init() {}

  /// Returns no columns and no scopes.
  public func _adaptation(of columns: RowColumns) -> RowAdaptation {
    columns.adaptation(showing: 0..<0)
  }
}

/// Shows the columns of a range of 0-based indices.
public struct RangeRowAdapter: RowAdapter {
  private let range: Range<Int>

  /// Creates an adapter that shows a range of columns.
  ///
  /// - Precondition: No index is negative. An index past the row's end makes the fetch throw.
  public init(_ range: CountableRange<Int>) {
    precondition(range.lowerBound >= 0, "the index of a column is negative")
    self.range = range
  }

  /// Creates an adapter that shows a range of columns.
  ///
  /// - Precondition: No index is negative. An index past the row's end makes the fetch throw.
  public init(_ range: CountableClosedRange<Int>) { self.init(Range(range)) }

  /// Returns the columns to show. Throws if the row has fewer columns.
  public func _adaptation(of columns: RowColumns) throws -> RowAdaptation {
    guard range.upperBound <= columns.count else {
      throw DatabaseError(
        .SQLITE_MISUSE,
        "a RangeRowAdapter needs the columns \(range) of a row that has \(columns.count)")
    }
    return columns.adaptation(showing: range)
  }
}

/// Shows the columns from a 0-based index on.
public struct SuffixRowAdapter: RowAdapter {
  private let index: Int

  /// Creates an adapter that shows the columns from an index on.
  ///
  /// It shows none if the index is the number of columns.
  ///
  /// - Precondition: `index` is not negative. An index past the row's end makes the fetch throw.
  public init(fromIndex index: Int) {
    precondition(index >= 0, "the index of a column is negative")
    self.index = index
  }

  /// Returns the columns to show. Throws if the row has fewer columns.
  public func _adaptation(of columns: RowColumns) throws -> RowAdaptation {
    guard index <= columns.count else {
      throw DatabaseError(
        .SQLITE_MISUSE,
        "a SuffixRowAdapter starts at column \(index) of a row that has \(columns.count)")
    }
    return columns.adaptation(showing: index..<columns.count)
  }
}

/// Shows all columns under names that a function computes.
public struct RenameColumnAdapter: RowAdapter {
  private let transform: @Sendable (String) -> String

  /// Creates an adapter from a function.
  /// - Parameter transform: Returns the name to show for a column's name. Called once per column
  ///   and fetch.
  public init(_ transform: @escaping @Sendable (String) -> String) { self.transform = transform }

  /// Returns all columns in the same order, renamed.
  public func _adaptation(of columns: RowColumns) -> RowAdaptation {
    RowAdaptation(
      layout: RowLayout(columnNames: columns.layout.columnNames.map(transform)),
      baseIndices: (0..<columns.count).map(columns.baseIndex), scopes: [])
  }
}
