import CofferSQLite

/// A b-tree of a damaged database, and where pages of it are lost.
struct SalvageTree {
  /// A page that the tree refers to, and that can't be read.
  struct Gap {
    let page: Int
    /// The distance from the root.
    let depth: Int
    /// The rowids below it are higher; nil without a limit.
    let lower: Int64?
    /// The rowids below it are not higher; nil without a limit.
    let upper: Int64?

    /// The place of a tree's root.
    static func root(of tree: SalvageTree) -> Gap {
      Gap(page: tree.root, depth: 0, lower: nil, upper: nil)
    }
  }

  let root: Int
  /// Whether the tree is ordered by rowids.
  let isTable: Bool
  /// The distance of the leaves from the root; nil if no leaf has been reached.
  var leafDepth: Int?
  var gaps: [Gap] = []

  init(root: Int, isTable: Bool) {
    self.root = root
    self.isTable = isTable
  }

  /// The number of levels below a lost page; nil if it isn't known.
  func height(of gap: Gap) -> Int? { leafDepth.map { max(0, $0 - gap.depth) } }

  /// The lost pages that may have had children.
  var interiorGaps: [Gap] { gaps.filter { height(of: $0) != 0 } }
}

/// Walks b-trees, each page once.
struct SalvageWalk {
  /// More levels than any sound tree has.
  static let largestDepth = 40
  private static let leavesWorthReadingAhead = 8

  private let pages: SalvagePages
  private var visited: [Bool]

  init(_ pages: SalvagePages) {
    self.pages = pages
    visited = [Bool](repeating: false, count: pages.kinds.count)
  }

  /// Whether a page belongs to a tree that has been walked.
  func hasVisited(_ page: Int) -> Bool { visited.indices.contains(page) && visited[page] }

  /// Visits the pages that belong to a tree, although no page of it leads there.
  mutating func add(_ pages: [Int]) {
    for page in pages { visited[page] = true }
  }

  /// Visits the pages of a tree without reading its leaves.
  mutating func walk(_ tree: inout SalvageTree) {
    let none: ((BTreePage, Range<Int>) throws(Never) -> Void)? = nil
    var leaves: Leaves?
    descend(to: .root(of: tree), &tree, &leaves, none)
  }

  /// Visits the pages of a tree, and the cells with records, in order.
  mutating func walk<Failure: Error>(
    _ tree: inout SalvageTree, visit: (BTreePage, Range<Int>) throws(Failure) -> Void
  ) throws(Failure) {
    try withoutActuallyEscaping(visit) { visit throws(Failure) in
      var leaves: Leaves?
      try descend(to: .root(of: tree), &tree, &leaves, visit)
    }
  }

  /// A sound tree refers to a page once; a hostile one can't fill the memory.
  private func addGap(_ gap: SalvageTree.Gap, to tree: inout SalvageTree) {
    if tree.gaps.count < visited.count + 100_000 { tree.gaps.append(gap) }
  }

  /// - Parameter leaves: The leaves that the parent leads to, if they are read ahead.
  private mutating func descend<Failure: Error>(
    to place: SalvageTree.Gap, _ tree: inout SalvageTree, _ leaves: inout Leaves?,
    _ visit: ((BTreePage, Range<Int>) throws(Failure) -> Void)?
  ) throws(Failure) {
    guard place.depth < SalvageWalk.largestDepth, let kind = pages.treeKind(place.page),
      !visited[place.page], kind.isTable == tree.isTable
    else { return addGap(place, to: &tree) }
    if kind.isLeaf && visit == nil {
      visited[place.page] = true
      tree.leafDepth = tree.leafDepth ?? place.depth
      return
    }
    let found = kind.isLeaf ? leaves?.take(place.page) : nil
    guard let page = found ?? pages.source.treePage(place.page), page.kind == kind,
      !tree.isTable || page.hasRowids(above: place.lower, upTo: place.upper)
    else { return addGap(place, to: &tree) }
    visited[place.page] = true
    if kind.isLeaf {
      tree.leafDepth = tree.leafDepth ?? place.depth
      try visit?(page, page.cells.indices)
      return
    }
    var children = visit == nil ? nil : leavesAhead(of: page)
    var lower = place.lower
    for (index, cell) in page.cells.enumerated() {
      let upper = tree.isTable ? cell.rowid : nil
      try descend(
        to: SalvageTree.Gap(page: cell.child, depth: place.depth + 1, lower: lower, upper: upper),
        &tree, &children, visit)
      if !tree.isTable { try visit?(page, index..<(index + 1)) }
      lower = upper
    }
    try descend(
      to: SalvageTree.Gap(
        page: page.rightChild, depth: place.depth + 1, lower: lower, upper: place.upper),
      &tree, &children, visit)
  }

  private typealias Leaves = PagesAhead<BTreePage?>

  /// Begins to read the leaves that an interior page leads to, and that no tree has led to.
  private func leavesAhead(of page: BTreePage) -> Leaves? {
    var seen: Set<Int> = []
    let leaves = page.children.filter { child in
      pages.treeKind(child)?.isLeaf == true && !visited[child] && seen.insert(child).inserted
    }
    guard leaves.count >= Self.leavesWorthReadingAhead else { return nil }
    return Leaves(pages.source, leaves) { decoder, number, stored in
      stored.flatMap { decoder.treePage(number, $0) }
    }
  }
}

extension BTreePage {
  /// The pages that an interior page leads to, in order.
  var children: [Int] { kind.isLeaf ? [] : cells.map(\.child) + [rightChild] }

  /// Whether all rowids are in the range that the parent's cells give.
  fileprivate func hasRowids(above lower: Int64?, upTo upper: Int64?) -> Bool {
    guard let first = cells.first, let last = cells.last else { return true }
    return lower.map { first.rowid > $0 } ?? true && upper.map { last.rowid <= $0 } ?? true
  }
}
