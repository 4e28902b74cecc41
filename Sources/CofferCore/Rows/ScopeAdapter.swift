/// Adds named scopes to rows: views of the row, each made by an adapter.
///
/// ```swift
/// let adapter = ScopeAdapter(["team": SuffixRowAdapter(fromIndex: 2)])
/// let row = try Row.fetchOne(
///   db, sql: "SELECT player.id, player.name, team.* FROM player JOIN team …", adapter: adapter)!
/// row.scopes["team"]  // the columns of the team
/// ```
///
/// A scope is defined on the scope adapter's input columns, whichever columns the row shows. Scopes
/// can be nested.
public struct ScopeAdapter: RowAdapter {
  private let base: (any RowAdapter)?
  private let scopes: [String: any RowAdapter]

  /// Creates an adapter that adds scopes to a row with all of its columns.
  public init(_ scopes: [String: any RowAdapter]) {
    base = nil
    self.scopes = scopes
  }

  /// Creates an adapter that adds scopes to the row that `base` shows.
  ///
  /// A scope replaces the base's scope of the same name.
  public init(base: any RowAdapter, scopes: [String: any RowAdapter]) {
    self.base = base
    self.scopes = scopes
  }

  /// Returns the columns and scopes. Throws the errors of the adapters.
  public func _adaptation(of columns: RowColumns) throws -> RowAdaptation {
    let shown =
      try base?._adaptation(of: columns) ?? columns.adaptation(showing: 0..<columns.count)
    var adaptations = shown.scopes.filter { scopes[$0.name] == nil }
    for (name, adapter) in scopes {
      adaptations.append((name, try adapter._adaptation(of: columns)))
    }
    adaptations.sort { $0.name < $1.name }
    return shown.with(scopes: adaptations)
  }
}

/// Applies one adapter to the rows that another adapter shows.
///
/// The scopes are those of both; a scope of the second replaces the first's scope of the same name.
struct ChainedRowAdapter: RowAdapter {
  private let first: any RowAdapter
  private let second: any RowAdapter

  init(_ first: any RowAdapter, then second: any RowAdapter) {
    self.first = first
    self.second = second
  }

  func _adaptation(of columns: RowColumns) throws -> RowAdaptation {
    let inner = try first._adaptation(of: columns)
    let outer = try second._adaptation(of: RowColumns(inner))
    let hidden = Set(outer.scopes.map(\.name))
    return outer.with(scopes: outer.scopes + inner.scopes.filter { !hidden.contains($0.name) })
  }
}

/// Returns adapters that split a row into runs of columns, plus one for the remaining columns.
///
/// ```swift
/// // SELECT player.*, team.*, 1 FROM …
/// let adapters = splittingRowAdapters(columnCounts: [3, 2])
/// let adapter = ScopeAdapter(["player": adapters[0], "team": adapters[1]])  // adapters[2]: the 1
/// ```
/// - Parameter columnCounts: The number of columns of each run, not negative.
public func splittingRowAdapters(columnCounts: [Int]) -> [any RowAdapter] {
  var adapters: [any RowAdapter] = []
  var start = 0
  for count in columnCounts {
    precondition(count >= 0, "the number of columns is negative")
    adapters.append(count == 0 ? EmptyRowAdapter() : RangeRowAdapter(start..<start + count))
    start += count
  }
  adapters.append(SuffixRowAdapter(fromIndex: start))
  return adapters
}
