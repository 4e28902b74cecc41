extension Row {
  /// The scopes that an adapter defines on the row.
  ///
  /// Scopes are views: those of a cursor's row are valid until the cursor's next step.
  public var scopes: ScopesView { ScopesView(row: self) }

  /// The scopes of the row and the scopes nested in them, by name.
  public var scopesTree: ScopesTreeView { ScopesTreeView(row: self) }

  /// The row without its scopes and prefetched rows.
  public var unscoped: Row {
    if prefetchedRows.isEmpty, scopes.isEmpty { return self }
    return view(adaptation?.with(scopes: []), prefetched: nil)
  }

  /// The row as the statement returns it, without the adapter.
  public var unadapted: Row {
    if prefetchedRows.isEmpty, adaptation == nil { return self }
    return view(nil, prefetched: nil)
  }

  /// The rows that were fetched along with this row.
  public var prefetchedRows: PrefetchedRowsView { prefetched ?? PrefetchedRowsView() }

  /// Whether the statement still has the columns that the adapter shows.
  ///
  /// False for the row of an old cursor whose statement ran again after a schema change.
  var isWithinStatement: Bool {
    guard let adaptation else { return true }
    return adaptation.baseCount <= baseLayout.count
  }

  /// Creates a copy of the columns that a row shows, without scopes.
  convenience init(shown row: Row) {
    self.init(columnNames: row.layout.columnNames, values: Array(row.databaseValues))
  }

  /// Returns another view of the row, valid as long as the row.
  fileprivate func view(_ adaptation: RowAdaptation?, prefetched: PrefetchedRows?) -> Row {
    Row(base: self, adaptation: adaptation, prefetched: prefetched)
  }

  /// Returns a scope by its index.
  ///
  /// For a statement's row, it is the same object each time, which keeps cached column lookups and
  /// plans.
  fileprivate func scope(_ index: Int) -> Row {
    guard let extras, let scopes = extras.adaptation?.scopes else { return Row() }
    if index < extras.scopes.count, let scope = extras.scopes[index] { return scope }
    let (name, adaptation) = scopes[index]
    let scope = unsafe view(adaptation, prefetched: extras.prefetched?.nested(in: name))
    guard statement != nil else { return scope }
    if extras.scopes.isEmpty { extras.scopes = Array(repeating: nil, count: scopes.count) }
    extras.scopes[index] = scope
    return scope
  }
}

extension Row {
  /// The scopes of a row, by name.
  ///
  /// ```swift
  /// if let team = row.scopes["team"] { … }
  /// for (name, scopedRow) in row.scopes { … }
  /// ```
  public struct ScopesView: Collection {
    /// The name of a scope, and the scope as a row.
    public typealias Element = (name: String, row: Row)

    /// The position of a scope.
    public struct Index: Comparable, Sendable {
      let offset: Int

      /// Returns whether `lhs` comes before `rhs`.
      public static func < (lhs: Index, rhs: Index) -> Bool { lhs.offset < rhs.offset }
    }

    private let row: Row

    init(row: Row) { self.row = row }

    private var adaptations: [(name: String, adaptation: RowAdaptation)] {
      row.adaptation?.scopes ?? []
    }

    /// The position of the first scope.
    public var startIndex: Index { Index(offset: 0) }

    /// The position after the last scope.
    public var endIndex: Index { Index(offset: adaptations.count) }

    /// Returns the position after `index`.
    public func index(after index: Index) -> Index { Index(offset: index.offset + 1) }

    /// The scope at the position.
    public subscript(position: Index) -> (name: String, row: Row) {
      (adaptations[position.offset].name, row.scope(position.offset))
    }

    /// The names of the scopes, in alphabetical order.
    public var names: [String] { adaptations.map(\.name) }

    /// The scope with exactly this name; nil if there is none.
    public subscript(_ name: String) -> Row? {
      adaptations.firstIndex { $0.name == name }.map { row.scope($0) }
    }
  }

  /// The scopes of a row and the scopes nested in them, by name.
  public struct ScopesTreeView {
    private let row: Row

    init(row: Row) { self.row = row }

    /// The names of the scopes on all levels.
    public var names: Set<String> {
      var names: Set<String> = []
      var level = row.adaptation?.scopes ?? []
      while !level.isEmpty {
        names.formUnion(level.map(\.name))
        level = level.flatMap(\.adaptation.scopes)
      }
      return names
    }

    /// The scope with exactly this name that is nearest to the row; nil if there is none.
    public subscript(_ name: String) -> Row? {
      var level = [row]
      while !level.isEmpty {
        for row in level {
          if let scope = row.scopes[name] { return scope }
        }
        level = level.flatMap { $0.scopes.map(\.row) }
      }
      return nil
    }
  }
}
