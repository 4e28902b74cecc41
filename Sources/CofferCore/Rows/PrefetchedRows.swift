extension Row {
  /// The rows of associations that were fetched along with a row, by the association's key.
  ///
  /// ```swift
  /// for book in author.prefetchedRows["books"] ?? [] { … }
  /// ```
  public struct PrefetchedRowsView: Equatable {
    private struct Node: Equatable {
      /// Nil for a key that only leads to nested keys.
      var rows: RowList?
      var nested = PrefetchedRowsView()
    }

    private var nodes: [String: Node] = [:]

    package init() {}

    /// Whether no association was prefetched. An association without rows counts as prefetched.
    public var isEmpty: Bool { nodes.isEmpty }

    /// The keys with prefetched rows, on all levels.
    public var keys: Set<String> {
      var keys: Set<String> = []
      for (key, node) in nodes {
        if node.rows != nil { keys.insert(key) }
        keys.formUnion(node.nested.keys)
      }
      return keys
    }

    /// The rows of the matching key that is nearest to the row; nil if none was prefetched.
    public subscript(_ key: String) -> [Row]? { list(key)?.rows }

    /// The rows of the matching key that is nearest to the row; nil if none was prefetched.
    package func list(_ key: String) -> RowList? {
      var level = [self]
      while !level.isEmpty {
        for view in level {
          if let rows = view.nodes[key]?.rows { return rows }
        }
        // Sorted by key, so that the result is deterministic.
        level = level.flatMap { view in
          view.nodes.sorted { $0.key < $1.key }.map(\.value.nested)
        }
      }
      return nil
    }

    /// Stores the rows of an association.
    /// - Parameter path: The association's key, after the keys of the scopes and associations
    ///   leading to it; not empty.
    package mutating func setRows(_ rows: RowList, forKeyPath path: some Collection<String>) {
      guard let key = path.first else { return }
      let rest = path.dropFirst()
      if rest.isEmpty {
        nodes[key, default: Node()].rows = rows
      } else {
        nodes[key, default: Node()].nested.setRows(rows, forKeyPath: rest)
      }
    }

    /// Returns the rows below the scope of this name; nil if there are none.
    func nested(in scope: String) -> PrefetchedRowsView? {
      guard let nested = nodes[scope]?.nested, !nested.isEmpty else { return nil }
      return nested
    }
  }
}

/// The rows that were fetched along with a row.
package typealias PrefetchedRows = Row.PrefetchedRowsView
