/// Shows a row's columns under other names, in another order, or in scopes.
///
/// ```swift
/// let adapter = ScopeAdapter(["player": RangeRowAdapter(0..<3), "team": SuffixRowAdapter(fromIndex: 3)])
/// let row = try Row.fetchOne(db, sql: "SELECT player.*, team.* FROM …", adapter: adapter)!
/// let teamName: String? = row.scopes["team"]?["name"]
/// ```
///
/// An adapter is looked at once per fetch, not once per row. Those of this
/// library are all that there are: the protocol is not meant to be adopted.
public protocol RowAdapter: Sendable {
  /// What the adapter makes of rows with these columns.
  func _adaptation(of columns: RowColumns) throws -> RowAdaptation
}

extension RowAdapter {
  /// The adapter with more scopes, each defined on the columns that this
  /// adapter starts from, not on those that it shows.
  ///
  /// A scope replaces one of the same name.
  public func addingScopes(_ scopes: [String: any RowAdapter]) -> any RowAdapter {
    scopes.isEmpty ? self : ScopeAdapter(base: self, scopes: scopes)
  }
}

/// The columns that an adapter starts from: what the statement gives, or what
/// another adapter has made of it.
public struct RowColumns: Sendable {
  package let layout: RowLayout
  /// The statement's column that each is; nil where they are the statement's own.
  private let adaptedIndices: [Int]?

  /// The columns as the statement gives them.
  package init(_ layout: RowLayout) {
    self.layout = layout
    adaptedIndices = nil
  }

  /// The columns as an adapter shows them.
  package init(_ adaptation: RowAdaptation) {
    layout = adaptation.layout
    adaptedIndices = adaptation.baseIndices
  }

  /// The number of columns.
  package var count: Int { layout.count }

  /// The statement's column that the column is.
  package func baseIndex(_ index: Int) -> Int { adaptedIndices?[index] ?? index }

  /// Shows the columns of a range under their names.
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
  /// The statement's column that each is.
  @usableFromInline let baseIndices: [Int]
  /// The scopes, by name.
  package let scopes: [(name: String, adaptation: RowAdaptation)]
  /// The number of columns that the statement must have at least.
  let baseCount: Int
  /// The statement's column that is the first, where all are a run of the statement's, in their
  /// order.
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

  /// The same columns with other scopes.
  package func with(scopes: [(name: String, adaptation: RowAdaptation)]) -> RowAdaptation {
    RowAdaptation(layout: layout, baseIndices: baseIndices, scopes: scopes)
  }
}
