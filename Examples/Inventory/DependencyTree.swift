import Coffer

/// A package and its dependencies, to the depth that was fetched.
struct DependencyTree: Decodable, FetchableRecord {
  var name: String
  var size: Int?
  /// The dependencies; nil below the fetched depth.
  var needed: [DependencyTree]?

  /// Returns the request for a package's tree to a depth, with one query per level.
  static func request(of name: String, depth: Int) -> QueryInterfaceRequest<DependencyTree> {
    Package
      .filter { $0.name == name }
      .including(all: needed(depth: depth))
      .limit(1)
      .asRequest(of: DependencyTree.self)
  }

  private static func needed(depth: Int) -> HasManyThroughAssociation<Package, Package> {
    let needed = Package.needed.select(Column("id"), Column("name"), Column("size"))
      .order(Column("name"))
    return depth > 1 ? needed.including(all: self.needed(depth: depth - 1)) : needed
  }

  /// The number of packages in the tree below the first one. Packages can occur several times.
  var count: Int { (needed ?? []).reduce(0) { $0 + 1 + $1.count } }

  /// Returns the tree as text, with a line per package and at most `breadth` lines below each.
  func lines(breadth: Int) -> [String] {
    [label] + branches(breadth: breadth, indentation: "")
  }

  private var label: String {
    size.map { "\(name)  \($0.asMebibytes)" } ?? name
  }

  private func branches(breadth: Int, indentation: String) -> [String] {
    // The package with the most dependencies comes first, and is the only one expanded.
    let needed = (needed ?? []).sorted { $0.count > $1.count }
    let shown = needed.prefix(breadth)
    var lines: [String] = []
    for (index, tree) in shown.enumerated() {
      let isLast = index == needed.count - 1
      lines.append(indentation + (isLast ? "└─ " : "├─ ") + tree.label)
      guard index == 0 else { continue }
      lines += tree.branches(breadth: breadth, indentation: indentation + (isLast ? "   " : "│  "))
    }
    if needed.count > shown.count {
      lines.append(indentation + "└─ … and \((needed.count - shown.count).formatted()) more")
    }
    return lines
  }
}
