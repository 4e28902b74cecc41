/// Shows a row's columns under other names, in another order, or in scopes.
///
/// ```swift
/// let adapter = ScopeAdapter(["player": RangeRowAdapter(0..<3), "team": SuffixRowAdapter(fromIndex: 3)])
/// let row = try Row.fetchOne(db, sql: "SELECT player.*, team.* FROM …", adapter: adapter)!
/// let teamName: String? = row.scopes["team"]?["name"]
/// ```
///
/// An adapter is applied once per fetch, not once per row. Don't conform to this protocol: use the
/// library's adapters.
public protocol RowAdapter: Sendable {
  /// Returns the columns and scopes that the adapter shows for these columns.
  func _adaptation(of columns: RowColumns) throws -> RowAdaptation
}

extension RowAdapter {
  /// Returns an adapter with additional scopes.
  ///
  /// They are defined on this adapter's input columns rather than on the columns that it shows. A
  /// scope replaces one of the same name.
  public func addingScopes(_ scopes: [String: any RowAdapter]) -> any RowAdapter {
    scopes.isEmpty ? self : ScopeAdapter(base: self, scopes: scopes)
  }
}

/// The input columns of an adapter: those of the statement, or those that another adapter shows.
public struct RowColumns: Sendable {
  package let layout: RowLayout
  /// The index of each column in the statement; nil if the columns are the statement's.
  private let adaptedIndices: [Int]?

  /// Creates the columns of a statement.
  package init(_ layout: RowLayout) {
    self.layout = layout
    adaptedIndices = nil
  }

  /// Creates the columns that another adapter shows.
  package init(_ adaptation: RowAdaptation) {
    layout = adaptation.layout
    adaptedIndices = adaptation.baseIndices
  }

  /// The number of columns.
  package var count: Int { layout.count }

  /// Returns the index of a column in the statement.
  package func baseIndex(_ index: Int) -> Int { adaptedIndices?[index] ?? index }

  /// Returns an adaptation that shows a range of columns under their names.
  package func adaptation(showing range: Range<Int>) -> RowAdaptation {
    RowAdaptation(
      layout: range.count == count
        ? layout : RowLayout(columnNames: Array(layout.columnNames[range])),
      baseIndices: range.map(baseIndex), scopes: [])
  }
}

/// The columns that an adapter shows, and its scopes.
public final class RowAdaptation: Sendable {
  @usableFromInline package let layout: RowLayout
  /// The index of each column in the statement.
  @usableFromInline let baseIndices: [Int]
  /// The scopes, by name.
  package let scopes: [(name: String, adaptation: RowAdaptation)]
  /// The minimum number of columns that the statement must have.
  let baseCount: Int
  /// The index of the first column in the statement, if the columns are contiguous there.
  package let firstColumn: Int?

  package init(
    layout: RowLayout, baseIndices: [Int], scopes: [(name: String, adaptation: RowAdaptation)]
  ) {
    self.layout = layout
    self.baseIndices = baseIndices
    self.scopes = scopes
    let firstColumn = baseIndices.first ?? 0
    let isRun = baseIndices.indices.allSatisfy { baseIndices[$0] == firstColumn + $0 }
    self.firstColumn = isRun ? firstColumn : nil
    baseCount = max(
      baseIndices.max().map { $0 + 1 } ?? 0, scopes.map(\.adaptation.baseCount).max() ?? 0)
  }

  /// Returns the same columns with other scopes.
  package func with(scopes: [(name: String, adaptation: RowAdaptation)]) -> RowAdaptation {
    RowAdaptation(layout: layout, baseIndices: baseIndices, scopes: scopes)
  }
}
