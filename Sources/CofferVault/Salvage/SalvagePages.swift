import CofferSQLite

/// What is known about each page of a damaged database: a few bytes for each, whatever the size.
final class SalvagePages {
  let source: SalvageSource
  /// The kinds of the pages, by their numbers: of a sound page of a b-tree, its first byte.
  private(set) var kinds: [UInt8]
  /// The pages of rows that look like those of the schema.
  private(set) var schemaCandidates: [Int] = []
  /// The number of pages that can be read and are sound pages of b-trees, with content.
  private(set) var treePageCount = 0
  /// The number of pages that can be read.
  private(set) var readableCount = 0

  /// The free pages, and the pages with the lists of them.
  private var free: [Bool]
  /// Whether all free pages are known.
  private(set) var knowsAllFree = false
  /// Whether the database has pointer maps.
  private(set) var hasPointerMaps = false
  private var pointerMap: (page: Int, bytes: [UInt8]?) = (0, nil)

  private static let other: UInt8 = 0
  private static let blank: UInt8 = 254
  private static let damaged: UInt8 = 255

  init(_ source: SalvageSource) {
    self.source = source
    kinds = [UInt8](repeating: Self.other, count: source.storedCount + 1)
    free = [Bool](repeating: false, count: source.storedCount + 1)
  }

  /// What is known about one page.
  private struct Facts {
    var kind = SalvagePages.other
    var isReadable = false
    var hasCells = false
    var canBeSchema = false

    init(_ decoder: SalvageDecoder, _ number: Int, _ stored: [UInt8]?) {
      guard let bytes = stored.flatMap({ decoder.plaintext(of: $0, number: number) }) else {
        let isBlank = stored?.allSatisfy { $0 == 0 } ?? false
        kind = isBlank ? SalvagePages.blank : SalvagePages.damaged
        return
      }
      isReadable = true
      guard let page = decoder.treePage(number, plaintext: bytes) else { return }
      kind = page.kind.rawValue
      hasCells = !page.cells.isEmpty
      canBeSchema = page.kind == .tableLeaf && number != 1 && SchemaEntry.canBeSchema(page)
    }
  }

  /// Reads all pages, on all cores.
  func scan(progress: (Int) throws -> Void) throws {
    let numbers = (0..<source.storedCount).map { $0 + 1 }.filter { $0 != source.lockPage }
    var ahead = PagesAhead(source, numbers) { Facts($0, $1, $2) }
    while let (number, facts) = ahead.next() {
      if number % 256 == 0 { try progress(number) }
      kinds[number] = facts.kind
      if facts.isReadable { readableCount += 1 }
      if facts.hasCells { treePageCount += 1 }
      if facts.canBeSchema { schemaCandidates.append(number) }
    }
    // Each thread that has decoded pages keeps what it has freed.
    SQLite.returnFreeMemory()
    hasPointerMaps = source.header.map { $0.autoVacuum != 0 } ?? looksLikePointerMap()
  }

  /// The kind of a sound page of a b-tree; nil for other pages, and for numbers without a page.
  func treeKind(_ number: Int) -> BTreePage.Kind? {
    kinds.indices.contains(number) ? BTreePage.Kind(rawValue: kinds[number]) : nil
  }

  /// Whether the page exists, and can't be read.
  func isDamaged(_ number: Int) -> Bool {
    number >= 1 && number <= source.pageCount && number != source.lockPage
      && (number >= kinds.count || kinds[number] >= Self.blank)
  }

  /// The stored pages that can't be read, except for free ones that have never been written.
  var damagedPages: [Int] {
    kinds.indices.filter {
      kinds[$0] == Self.damaged || kinds[$0] == Self.blank && !free[$0]
    }
  }

  // MARK: Free pages

  /// Whether the page is known to be free.
  func isFree(_ page: Int) -> Bool { free.indices.contains(page) && free[page] }

  /// Reads the list of free pages.
  func readFreePages() {
    guard let header = source.header else { return }
    var trunk = header.firstFreePage
    var count = 0
    while trunk != 0 {
      guard !isFree(trunk), let list = freeList(on: trunk) else { return }
      count += 1 + list.pages.count
      free[trunk] = true
      markFree(list.pages)
      trunk = list.next
    }
    knowsAllFree = count == header.freePageCount
  }

  /// Corrects the free pages by the pages that trees have reached, which can't be free.
  func settleFreePages(isUsed: (Int) -> Bool) {
    for page in free.indices where free[page] && isUsed(page) {
      free[page] = false
      knowsAllFree = false
    }
  }

  /// Recognizes the lists of free pages if page 1, which leads to them, is lost.
  ///
  /// That is certain only if no list can be among the damaged pages: a page can still hold a list
  /// from before it became free itself, and such a page is on a list that holds.
  /// - Parameters:
  ///   - isUsed: Whether a page belongs to a tree.
  ///   - isKnown: Whether it is known what a damaged page was.
  func findFreePages(isUsed: (Int) -> Bool, isKnown: (Int) -> Bool) {
    guard source.header == nil, !hasPointerMaps, source.storedCount == source.pageCount,
      damagedPages.allSatisfy({ $0 == 1 || isKnown($0) })
    else { return }
    var isListed = [Bool](repeating: false, count: kinds.count)
    var found: [Int] = []
    for page in kinds.indices.dropFirst() where kinds[page] == Self.other && !isUsed(page) {
      guard let list = freeList(on: page), !list.pages.isEmpty,
        !list.pages.contains(where: { $0 >= isListed.count || isUsed($0) })
      else { continue }
      found.append(page)
      for listed in list.pages { isListed[listed] = true }
    }
    for page in found where !isListed[page] {
      free[page] = true
      markFree(freeList(on: page)?.pages ?? [])
    }
  }

  private func markFree(_ pages: [Int]) {
    for page in pages where page < free.count { free[page] = true }
  }

  /// The free pages that a page lists, and the page of the next list.
  private func freeList(on page: Int) -> (pages: [Int], next: Int)? {
    guard page > 1, page < kinds.count, let bytes = source.read(page) else { return nil }
    let next = bytes.integer32(at: 0)
    let count = bytes.integer32(at: 4)
    guard next <= source.pageCount, next != 1, next != page, count <= source.usableSize / 4 - 2
    else {
      return nil
    }
    let pages = (0..<count).map { bytes.integer32(at: 8 + 4 * $0) }
    return pages.allSatisfy { $0 > 1 && $0 <= source.pageCount } ? (pages, next) : nil
  }

  // MARK: Pointer maps

  /// What a pointer map says about a page.
  enum Pointer {
    case root
    case free
    case overflow
    case child(of: Int)
  }

  /// Whether the page is a pointer map.
  func isPointerMap(_ page: Int) -> Bool {
    hasPointerMaps && page > 1 && mapPage(for: page) == page
  }

  /// Returns what the pointer map says about a page; nil if there is none, or if it is lost.
  func pointer(for page: Int) -> Pointer? {
    guard hasPointerMaps, page > 2, !isPointerMap(page) else { return nil }
    let map = mapPage(for: page)
    if pointerMap.page != map { pointerMap = (map, source.read(map)) }
    guard let bytes = pointerMap.bytes else { return nil }
    let offset = 5 * (page - map - 1)
    guard offset >= 0, offset + 5 <= source.usableSize else { return nil }
    switch bytes[offset] {
    case 1: return .root
    case 2: return .free
    case 3, 4: return .overflow
    case 5: return .child(of: bytes.integer32(at: offset + 1))
    default: return nil
    }
  }

  private func mapPage(for page: Int) -> Int {
    let span = source.usableSize / 5 + 1
    let map = (page - 2) / span * span + 2
    return map == source.lockPage ? map + 1 : map
  }

  /// Whether page 2 is a pointer map, which only page 1 would say.
  private func looksLikePointerMap() -> Bool {
    guard kinds.count > 3, let bytes = source.read(2) else { return false }
    return (0..<min(source.usableSize / 5, source.storedCount - 2)).allSatisfy { index in
      let parent = bytes.integer32(at: 5 * index + 1)
      switch bytes[5 * index] {
      case 1, 2: return parent == 0
      case 3, 4, 5: return parent > 0 && parent <= source.pageCount
      default: return false
      }
    }
  }
}
