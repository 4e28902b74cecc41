extension Row {
  /// The rows that were fetched along with a row, by the key of their association.
  ///
  /// ```swift
  /// for book in author.prefetchedRows["books"] ?? [] { … }
  /// ```
  public struct PrefetchedRowsView: Equatable {
    private struct Node: Equatable {
      /// Nil for a key that only leads to others.
      var rows: [Row]?
      var nested = PrefetchedRowsView()
    }

    private var nodes: [String: Node] = [:]

    package init() {}

    /// Whether no rows were fetched along with the row: an association that
    /// was fetched, and found empty, has rows too, none.
    public var isEmpty: Bool { nodes.isEmpty }

    /// The keys that there are rows for, on every level.
    public var keys: Set<String> {
      var keys: Set<String> = []
      for (key, node) in nodes {
        if node.rows != nil { keys.insert(key) }
        keys.formUnion(node.nested.keys)
      }
      return keys
    }

    /// The rows of the key that is nearest to the row; nil where nothing was
    /// fetched for it.
    public subscript(_ key: String) -> [Row]? {
      var level = [self]
      while !level.isEmpty {
        for view in level {
          if let rows = view.nodes[key]?.rows { return rows }
        }
        // In the order of the keys, so that the answer is always the same.
        level = level.flatMap { view in
          view.nodes.sorted { $0.key < $1.key }.map(\.value.nested)
        }
      }
      return nil
    }

    /// Stores the rows of an association.
    /// - Parameter path: Its key, after those of the scopes and associations
    ///   that lead to it; not empty.
    package mutating func setRows(_ rows: [Row], forKeyPath path: some Collection<String>) {
      guard let key = path.first else { return }
      let rest = path.dropFirst()
      if rest.isEmpty {
        nodes[key, default: Node()].rows = rows
      } else {
        nodes[key, default: Node()].nested.setRows(rows, forKeyPath: rest)
      }
    }

    /// What belongs to the scope of that name; nil for nothing.
    func nested(in scope: String) -> PrefetchedRowsView? {
      guard let nested = nodes[scope]?.nested, !nested.isEmpty else { return nil }
      return nested
    }
  }
}

/// The rows that were fetched along with a row.
package typealias PrefetchedRows = Row.PrefetchedRowsView
