/// Shows a row's columns under other names, in another order, or in scopes.
public protocol RowAdapter: Sendable {
  /// What the adapter makes of rows with these columns.
  func _adaptation(of columns: RowColumns) throws -> RowAdaptation
}

/// The columns that an adapter starts from: what the statement gives, or what
/// another adapter has made of it.
public struct RowColumns: Sendable {
  package var layout: RowLayout
  /// The statement's column that each is.
  package var baseIndices: [Int]
  /// The columns as the statement gives them.
  package var base: RowLayout
}

/// The columns that an adapter shows, and its scopes.
public final class RowAdaptation: Sendable {
  @usableFromInline package let layout: RowLayout
  /// The statement's column that each is.
  @usableFromInline package let baseIndices: [Int]
  package let scopes: [(name: String, adaptation: RowAdaptation)]

  package init(
    layout: RowLayout, baseIndices: [Int], scopes: [(name: String, adaptation: RowAdaptation)]
  ) {
    self.layout = layout
    self.baseIndices = baseIndices
    self.scopes = scopes
  }
}
