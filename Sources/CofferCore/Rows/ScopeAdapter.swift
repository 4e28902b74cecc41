/// Gives rows named scopes: views of the row, each made by an adapter.
///
/// ```swift
/// let adapter = ScopeAdapter(["team": SuffixRowAdapter(fromIndex: 2)])
/// let row = try Row.fetchOne(
///   db, sql: "SELECT player.id, player.name, team.* FROM player JOIN team …", adapter: adapter)!
/// row.scopes["team"]  // the columns of the team
/// ```
///
/// A scope is defined on the columns that the scope adapter starts from,
/// whatever columns the row itself shows; it may have scopes of its own.
public struct ScopeAdapter: RowAdapter {
  private let base: (any RowAdapter)?
  private let scopes: [String: any RowAdapter]

  /// Adds scopes to a row that shows all of its columns.
  public init(_ scopes: [String: any RowAdapter]) {
    base = nil
    self.scopes = scopes
  }

  /// Adds scopes to the row that `base` shows; a scope replaces the one of the
  /// same name that `base` defines.
  public init(base: any RowAdapter, scopes: [String: any RowAdapter]) {
    self.base = base
    self.scopes = scopes
  }

  /// Throws what the adapters throw.
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

/// Applies one adapter to the rows that another one shows.
///
/// The scopes are those of the second alone.
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

/// Adapters that split a row into runs of columns, plus one for what is left
/// after the last run.
///
/// ```swift
/// // SELECT player.*, team.*, 1 FROM …
/// let adapters = splittingRowAdapters(columnCounts: [3, 2])
/// let adapter = ScopeAdapter(["player": adapters[0], "team": adapters[1]])  // adapters[2]: the 1
/// ```
/// - Parameter columnCounts: The length of each run, in columns; 0 or more.
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
