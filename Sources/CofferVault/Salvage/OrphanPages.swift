import CofferSQLite

/// The pages of b-trees that no tree has led to, and the tables to which they belong.
///
/// A page is a table's only if that is certain: by the pointer maps of an auto-vacuum database, or
/// because a lost page of this table, and of no other, can have led to it. That needs the schema
/// and the list of free pages to be complete, or else a page can belong to a table that isn't
/// known, or hold deleted rows.
final class OrphanPages {
  enum Owner {
    case object(SalvagedObject)
    /// Rows of a table that isn't known, with its root page if it is.
    case unknown(root: Int?)
    /// No rows, or deleted ones.
    case none
  }

  private let pages: SalvagePages
  private let objects: [SalvagedObject]
  /// Those of which a lost page can have led elsewhere.
  private let objectsWithGaps: [SalvagedObject]
  private let limits: SalvageLimits
  private let isSchemaComplete: Bool
  private let isUsed: (Int) -> Bool
  private var parents: [UInt32]
  private var owners: [Int: Owner] = [:]
  /// The objects by their root pages.
  private let roots: [Int: SalvagedObject]

  /// - Parameter isUsed: Whether a tree has led to the page.
  init(
    _ pages: SalvagePages, _ objects: [SalvagedObject], _ limits: SalvageLimits,
    isSchemaComplete: Bool, isUsed: @escaping (Int) -> Bool
  ) {
    self.pages = pages
    self.objects = objects
    objectsWithGaps = objects.filter { !$0.tree.interiorGaps.isEmpty }
    self.limits = limits
    self.isSchemaComplete = isSchemaComplete
    self.isUsed = isUsed
    roots = Dictionary(objects.lazy.map { ($0.entry.root, $0) }) { first, _ in first }
    parents = [UInt32](repeating: 0, count: pages.kinds.count)
  }

  /// Whether there can be pages with rows that no tree has led to.
  var canExist: Bool {
    !isSchemaComplete || objectsWithGaps.contains(where: \.hasRows)
  }

  /// Calls `body` for each such page, with the table that it belongs to.
  func forEach(_ body: (BTreePage, Owner) throws -> Void) rethrows {
    guard canExist else { return }
    let gaps = Set(objects.lazy.flatMap(\.tree.gaps).map(\.page))
    pages.findFreePages(isUsed: isUsed, isKnown: gaps.contains)
    for number in pages.kinds.indices where isOrphan(number) {
      guard pages.treeKind(number)?.isLeaf == false, let page = pages.source.treePage(number) else {
        continue
      }
      for child in page.children where isOrphan(child) && parents[child] == 0 {
        parents[child] = UInt32(number)
      }
    }
    for number in pages.kinds.indices where isOrphan(number) {
      guard let kind = pages.treeKind(number), kind != .tableInterior else { continue }
      let owner = owner(of: number)
      if case .none = owner { continue }
      guard let page = pages.source.treePage(number) else { continue }
      try body(page, owner)
    }
  }

  private func isOrphan(_ page: Int) -> Bool {
    pages.treeKind(page) != nil && !isUsed(page) && !pages.isFree(page)
      && !pages.isPointerMap(page)
  }

  /// The page from which the most of a part of a tree can be reached.
  private func top(of page: Int) -> Int {
    var top = page
    for _ in 0..<SalvageWalk.largestDepth {
      let parent = Int(parents[top])
      if parent == 0 { break }
      top = parent
    }
    return top
  }

  // MARK: Owners

  private func owner(of page: Int) -> Owner {
    if let owner = ownerByPointerMap(page) { return owner }
    if !isSchemaComplete { return .unknown(root: top(of: page)) }
    // A free page that isn't known as such can still lead to pages that have another parent now.
    let top = pages.knowsAllFree ? top(of: page) : page
    let owner = owners[top] ?? ownerByExclusion(top)
    owners[top] = owner
    return owner
  }

  private func ownerByExclusion(_ top: Int) -> Owner {
    // A page is part of one tree: parts that share pages would be read again and again.
    let part = Part(top, pages) { [self] child, parent in
      pages.knowsAllFree && isOrphan(child) && Int(parents[child]) == parent
    }
    var owners: [SalvagedObject] = []
    for object in objectsWithGaps {
      // Looking at a page takes a few hundred times as long as looking at a gap.
      guard limits.allowsComparisons(object.tree.gaps.count + 256 * part.leafCount) else {
        return .unknown(root: nil)
      }
      if part.canBelong(to: object) { owners.append(object) }
    }
    let tables = owners.filter(\.hasRows)
    if tables.isEmpty { return .none }
    if pages.knowsAllFree, owners.count == 1 {
      return tables[0].table == nil ? .unknown(root: tables[0].entry.root) : .object(tables[0])
    }
    for table in tables { table.hasDoubtfulRows = true }
    return .unknown(root: nil)
  }

  /// Follows the pointer maps to the root page; nil if they don't lead there.
  private func ownerByPointerMap(_ page: Int) -> Owner? {
    var page = page
    for _ in 0..<SalvageWalk.largestDepth {
      switch pages.pointer(for: page) {
      case .child(of: let parent): page = parent
      case .free: return Owner.none
      case .root:
        guard let object = roots[page] else {
          return isSchemaComplete ? nil : .unknown(root: page)
        }
        if !object.hasRows { return Owner.none }
        return object.table == nil ? .unknown(root: page) : .object(object)
      case .overflow, nil: return nil
      }
    }
    return nil
  }
}

/// A part of a tree whose upper pages are lost.
private struct Part {
  private let isTable: Bool
  /// The number of levels below the top page.
  private let height: Int
  private let lowest: Int64?
  private let highest: Int64?
  private let leaves: [Int]
  var leafCount: Int { leaves.count }
  private let pages: SalvagePages

  init(_ top: Int, _ pages: SalvagePages, _ isChild: (Int, Int) -> Bool) {
    self.pages = pages
    isTable = pages.treeKind(top)?.isTable ?? true
    var level = [top]
    var seen: Set<Int> = [top]
    var withRows: [Int] = []
    var height = 0
    while true {
      var next: [Int] = []
      for number in level {
        guard let kind = pages.treeKind(number), kind.isTable == isTable else { continue }
        if kind != .tableInterior { withRows.append(number) }
        guard !kind.isLeaf, let page = pages.source.treePage(number) else { continue }
        for child in page.children where isChild(child, number) && seen.insert(child).inserted {
          next.append(child)
        }
      }
      if next.isEmpty || height == SalvageWalk.largestDepth { break }
      level = next
      height += 1
    }
    self.height = height
    leaves = withRows
    var lowest: Int64?
    var highest: Int64?
    if isTable {
      for number in withRows {
        guard let cells = pages.source.treePage(number)?.cells, let first = cells.first,
          let last = cells.last
        else { continue }
        lowest = min(lowest ?? first.rowid, first.rowid)
        highest = max(highest ?? last.rowid, last.rowid)
      }
    }
    self.lowest = lowest
    self.highest = highest
  }

  /// Whether a lost page of the table or index may have led here. False only if none has.
  func canBelong(to object: SalvagedObject) -> Bool {
    guard object.tree.isTable == isTable, object.tree.interiorGaps.contains(where: fits(object))
    else { return false }
    var record = SalvagedRecord()
    return leaves.allSatisfy { number in
      guard let page = pages.source.treePage(number) else { return true }
      return page.cells.allSatisfy { cell in
        let isPartial = cell.overflow > 0
        // The header of a record can itself continue on another page.
        guard record.load(page.bytes, cell.local, isPartial: isPartial) else { return isPartial }
        return object.canHold(record)
      }
    }
  }

  private func fits(_ object: SalvagedObject) -> (SalvageTree.Gap) -> Bool {
    { gap in
      if let expected = object.tree.height(of: gap), expected <= height { return false }
      let isAbove = gap.lower.flatMap { lower in lowest.map { $0 > lower } } ?? true
      let isBelow = gap.upper.flatMap { upper in highest.map { $0 <= upper } } ?? true
      return isAbove && isBelow
    }
  }
}
