extension Row {
  /// The scopes that an adapter has given the row.
  ///
  /// They are views: those of a cursor's row are valid until its next step.
  public var scopes: ScopesView { ScopesView(row: self) }

  /// The scopes of the row, and those of its scopes, by name.
  public var scopesTree: ScopesTreeView { ScopesTreeView(row: self) }

  /// The row with its columns alone, without scopes and prefetched rows.
  public var unscoped: Row {
    if prefetchedRows.isEmpty, scopes.isEmpty { return self }
    return view(adaptation?.with(scopes: []), prefetched: nil)
  }

  /// The row as the statement gives it, as if there were no adapter.
  public var unadapted: Row {
    if prefetchedRows.isEmpty, adaptation == nil { return self }
    return view(nil, prefetched: nil)
  }

  /// The rows that were fetched along with this one.
  public var prefetchedRows: PrefetchedRowsView { prefetched ?? PrefetchedRowsView() }

  /// Whether the statement has the columns that the adapter shows: false for
  /// the row of an old cursor, whose statement runs again after the schema has
  /// changed.
  var isWithinStatement: Bool {
    guard let adaptation else { return true }
    return adaptation.baseCount <= baseLayout.count
  }

  /// A copy of the columns that a row shows, without scopes.
  convenience init(shown row: Row) {
    self.init(columnNames: row.layout.columnNames, values: Array(row.databaseValues))
  }

  /// Another view of the row, valid as long as the row itself.
  fileprivate func view(_ adaptation: RowAdaptation?, prefetched: PrefetchedRows?) -> Row {
    Row(base: self, adaptation: adaptation, prefetched: prefetched)
  }

  /// A scope, by its index.
  ///
  /// That of a statement's row is the same object each time, which spares its columns from being
  /// looked up anew, and types that are made of it from finding their plans again.
  fileprivate func scope(_ index: Int) -> Row {
    guard let extras, let scopes = extras.adaptation?.scopes else { return Row() }
    if index < extras.scopes.count, let scope = extras.scopes[index] { return scope }
    let (name, adaptation) = scopes[index]
    let scope = view(adaptation, prefetched: extras.prefetched?.nested(in: name))
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
    /// A scope: its name, and the view of the row.
    public typealias Element = (name: String, row: Row)

    /// The position of a scope.
    public struct Index: Comparable, Sendable {
      let offset: Int

      /// Whether `lhs` comes before `rhs`.
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

    /// The position after `index`.
    public func index(after index: Index) -> Index { Index(offset: index.offset + 1) }

    /// The scope at the position.
    public subscript(position: Index) -> (name: String, row: Row) {
      (adaptations[position.offset].name, row.scope(position.offset))
    }

    /// The names of the scopes, in alphabetic order.
    public var names: [String] { adaptations.map(\.name) }

    /// The scope of that exact name; nil where there is none.
    public subscript(_ name: String) -> Row? {
      adaptations.firstIndex { $0.name == name }.map { row.scope($0) }
    }
  }

  /// The scopes of a row, and those of its scopes, by name.
  public struct ScopesTreeView {
    private let row: Row

    init(row: Row) { self.row = row }

    /// The names of all scopes, on every level.
    public var names: Set<String> {
      var names: Set<String> = []
      var level = row.adaptation?.scopes ?? []
      while !level.isEmpty {
        names.formUnion(level.map(\.name))
        level = level.flatMap(\.adaptation.scopes)
      }
      return names
    }

    /// The scope of that exact name that is nearest to the row; nil where there
    /// is none.
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
