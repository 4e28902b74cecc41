import Coffer

/// A package, and what it needs: as deep as it was fetched.
struct DependencyTree: Decodable, FetchableRecord {
  var name: String
  var size: Int?
  /// Nil where nothing was fetched any more.
  var needed: [DependencyTree]?

  /// The tree of a package, down to some depth: one query for each level.
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

  /// How many packages are in the tree, the first one not counted; the same one may be there
  /// several times.
  var count: Int { (needed ?? []).reduce(0) { $0 + 1 + $1.count } }

  /// The tree as text: a line for each package, no more than `breadth` below one.
  func lines(breadth: Int) -> [String] {
    [label] + branches(breadth: breadth, indentation: "")
  }

  private var label: String {
    size.map { "\(name.printable)  \(Numbers.mebibytes(fromKibibytes: $0))" } ?? name.printable
  }

  private func branches(breadth: Int, indentation: String) -> [String] {
    // What needs most itself comes first, and is followed on.
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
      lines.append(indentation + "└─ … and \(Numbers.grouped(needed.count - shown.count)) more")
    }
    return lines
  }
}
