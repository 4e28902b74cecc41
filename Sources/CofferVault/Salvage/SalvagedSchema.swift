import CofferSQLite

/// The schema of a damaged database, as far as it can be read.
struct SalvagedSchema {
  private let limits: SalvageLimits
  private(set) var entries: [SchemaEntry] = []
  private(set) var encoding = TextEncoding.utf8
  /// Whether all entries are known.
  private(set) var isComplete = false
  /// The entries that are left out because others contradict them.
  private(set) var contradictions: [SchemaEntry] = []
  private(set) var tree = SalvageTree(root: 1, isTable: true)
  /// The pages of the schema that its tree doesn't lead to.
  private(set) var orphans: [Int] = []

  /// Reads the schema through its tree, and then from pages that look like it.
  init(_ pages: SalvagePages, _ payloads: PayloadReader, _ limits: SalvageLimits) {
    self.limits = limits
    encoding = SalvagedSchema.encoding(pages)
    var walk = SalvageWalk(pages)
    var isWhole = true
    var tree = tree
    walk.walk(&tree) { page, cells in
      isWhole = add(page, cells, payloads) && isWhole
    }
    self.tree = tree
    isComplete = isWhole && tree.gaps.isEmpty
    guard !tree.interiorGaps.isEmpty else { return }
    pages.findFreePages(isUsed: { walk.hasVisited($0) }, isKnown: { _ in false })
    addOrphans(pages, payloads) { walk.hasVisited($0) }
  }

  private mutating func add(
    _ page: BTreePage, _ cells: Range<Int>, _ payloads: PayloadReader
  ) -> Bool {
    var isWhole = true
    var record = SalvagedRecord()
    for cell in page.cells[cells] {
      let payload = payloads.payload(of: cell, on: page)
      let (bytes, range) = payload ?? (page.bytes, cell.local)
      let isSound = record.load(bytes, range, isPartial: payload == nil)
      guard isSound, var entry = SchemaEntry(record, encoding) else {
        isWhole = false
        continue
      }
      if !limits.allowsText(entry.sql?.utf8.count ?? 0) { entry.sql = nil }
      if payload == nil { isWhole = entry.hasStorage && isWhole }
      entries.append(entry)
    }
    return isWhole
  }

  // MARK: Pages that the tree doesn't reach

  private mutating func addOrphans(
    _ pages: SalvagePages, _ payloads: PayloadReader, isUsed: (Int) -> Bool
  ) {
    var candidates = pages.schemaCandidates.filter { !isUsed($0) && !pages.isFree($0) }
    let known = entries
    // A table can hold a copy of a schema: pages of tables are no pages of the schema.
    while true {
      entries = known
      for number in candidates {
        guard let page = pages.source.treePage(number) else { continue }
        // What another table holds may be on overflow pages too, so these aren't followed yet.
        var record = SalvagedRecord()
        for cell in page.cells
        where record.load(page.bytes, cell.local, isPartial: cell.overflow > 0) {
          if let entry = SchemaEntry(record, encoding) { entries.append(entry) }
        }
      }
      var walk = SalvageWalk(pages)
      for entry in entries where entry.hasStorage {
        var tree = SalvageTree(
          root: entry.root, isTable: pages.treeKind(entry.root)?.isTable ?? true)
        walk.walk(&tree)
      }
      let remaining = candidates.filter { !walk.hasVisited($0) }
      if remaining.count == candidates.count { break }
      candidates = remaining
    }
    entries = known
    orphans = candidates
    for number in candidates {
      guard let page = pages.source.treePage(number) else { continue }
      _ = add(page, page.cells.indices, payloads)
    }
    removeContradictions()
  }

  /// Removes entries with the same name or the same root page, of which some are deleted ones.
  private mutating func removeContradictions() {
    var names: [SQLName: Int] = [:]
    var roots: [Int: Int] = [:]
    for entry in entries {
      names[SQLName(entry.name), default: 0] += 1
      if entry.hasStorage { roots[entry.root, default: 0] += 1 }
    }
    func isSingle(_ entry: SchemaEntry) -> Bool {
      names[SQLName(entry.name)] == 1 && (!entry.hasStorage || roots[entry.root] == 1)
    }
    contradictions = entries.filter { !isSingle($0) }
    entries.removeAll { !isSingle($0) }
  }

  // MARK: Encoding

  private static func encoding(_ pages: SalvagePages) -> TextEncoding {
    if let header = pages.source.header { return header.textEncoding ?? .utf8 }
    for number in pages.schemaCandidates {
      if let page = pages.source.treePage(number), let found = SchemaEntry.encoding(of: page) {
        return found
      }
    }
    return mostLikelyEncoding(pages)
  }

  /// Guesses the encoding by the zeros in texts, of which UTF-8 has none.
  private static func mostLikelyEncoding(_ pages: SalvagePages) -> TextEncoding {
    var votes: [TextEncoding: Int] = [:]
    var record = SalvagedRecord()
    let leaves = pages.kinds.indices.filter { pages.treeKind($0)?.isLeaf == true }
    for number in leaves.prefix(1000) {
      guard let page = pages.source.treePage(number) else { continue }
      for cell in page.cells
      where record.load(page.bytes, cell.local, isPartial: cell.overflow > 0) {
        for field in record.fields where field.isText && field.type > 13 {
          let text = record.bytes[record.range(of: field)]
          let high = stride(from: text.startIndex, to: text.endIndex, by: 2).count { text[$0] == 0 }
          let low = text.count { $0 == 0 } - high
          if high == 0 && low == 0 {
            votes[.utf8, default: 0] += 1
          } else {
            votes[high > low ? .utf16BigEndian : .utf16LittleEndian, default: 0] += 1
          }
        }
      }
    }
    return votes.max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }?.key ?? .utf8
  }
}
