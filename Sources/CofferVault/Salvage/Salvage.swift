import CofferSQLite

/// Saves what is left of a damaged database to a new file.
package final class Salvage {
  private let path: String
  private let key: DatabaseKey?
  private let settings: CipherSettings
  private let target: String
  /// Adds the application's functions and collations.
  private let prepare: ConnectionPreparation
  private let liftedLimits: Set<SalvageLimit>
  private let reports: FileProgressReports

  private var objects: [SalvagedObject] = []
  private var lostDefinitions: [String] = []
  private var virtualTables: [SchemaEntry] = []
  /// The names that the table for lost rows can't have.
  private var names: Set<SQLName> = []
  private var record = SalvagedRecord()
  private var leafCount = 0
  private var leavesDone = 0

  package init(
    path: String, key: DatabaseKey?, settings: CipherSettings, target: String,
    prepare: ConnectionPreparation, liftedLimits: Set<SalvageLimit>,
    progress: ((DatabaseFile.Progress) throws -> Void)?
  ) {
    self.path = PendingFile.resolved(path)
    self.key = key
    self.settings = settings
    self.target = target
    self.prepare = prepare
    self.liftedLimits = liftedLimits
    reports = FileProgressReports(progress)
  }

  package func run() throws -> SalvageReport {
    try PendingFile.requireNone(at: target)
    let key = try key?.resolved(forDamagedDatabaseAt: path)
    let targetKey = try key.map { try FileKey.new($0, settings: settings, at: target) }
    let slots = try key.flatMap {
      try KeySlotsChange(copying: $0, ofDatabaseAt: path, toDatabaseAt: target)
    }
    defer { slots?.cancel() }
    let state = SalvageSource.state(of: path)
    try reports.report(.copying, 0)
    let pages = try DamagedFile(path: path, key: key, settings: settings).scan { [reports] in
      try reports.report(.copying, 0.25 * $0)
    }
    let file = try PendingFile(for: target)
    do {
      let report = try write(pages, to: file, key: targetKey)
      guard SalvageSource.state(of: path) == state else {
        throw DatabaseError(
          resultCode: .SQLITE_BUSY, message: "the file was changed meanwhile: \(path)",
          hint: "Another connection uses it: close it first.")
      }
      try file.moveToTarget(replaces: false) { slots?.finish() }
      // It is too late to cancel.
      try? reports.report(.finished, 1)
      return report
    } catch {
      file.discard()
      throw reports.cancellation ?? error
    }
  }

  private func write(
    _ pages: SalvagePages, to file: PendingFile, key: FileKey?
  ) throws -> SalvageReport {
    let source = pages.source
    pages.readFreePages()
    let payloads = PayloadReader(source)
    let limits = SalvageLimits(
      pageCount: source.storedCount, pageSize: source.pageSize, lifted: liftedLimits)
    let schema = SalvagedSchema(pages, payloads, limits)
    lostDefinitions = schema.contradictions.map(\.title)
    names = Set(schema.entries.lazy.map { SQLName($0.name) })
    let autoVacuum = source.header?.autoVacuum ?? (pages.hasPointerMaps ? 1 : 0)
    let writer = try SalvageWriter(
      file.path, key: key,
      SalvageWriter.Properties(
        pageSize: source.pageSize, encoding: schema.encoding, autoVacuum: autoVacuum),
      limits: limits, prepare: prepare)
    try createTables(schema.entries, writer, pages, limits)
    leafCount = pages.kinds.indices.count { pages.treeKind($0)?.isLeaf == true }
    try saveRows(pages, payloads, schema, writer, limits)
    try writer.rebuildIndexes()
    try createOthers(schema.entries, writer, limits)
    let summary = Summary(pages, payloads, schema, objects)
    try writer.commit(
      userVersion: source.header?.userVersion ?? 0,
      applicationID: source.header?.applicationID ?? 0)
    let damagedVirtualTables = try SalvageCheck(
      file: file, key: key, source: source, limits: limits, prepare: prepare, reports: reports
    ).run(objects, lostTable: writer.lostTable, lostRows: writer.lostRowCount, virtualTables)
    return report(summary, pages, schema, writer, limits, damagedVirtualTables)
  }

  // MARK: Schema

  /// Creates the tables, and the indexes before their rows: sorting all rows later takes memory.
  private func createTables(
    _ entries: [SchemaEntry], _ writer: SalvageWriter, _ pages: SalvagePages,
    _ limits: SalvageLimits
  ) throws {
    let isTreeOfRowids = { pages.treeKind($0)?.isTable ?? true }
    for entry in entries where entry.kind == .table && entry.hasStorage {
      var table: SalvagedTable?
      if limits.allowsDefinition(), try writer.create(entry) {
        table = try SalvagedTable(name: entry.name, in: writer.connection)
      }
      if let created = table, !writer.canInsert(into: created) { table = nil }
      if table == nil { lostDefinitions.append(entry.title) }
      objects.append(
        SalvagedObject(
          entry, table: table, index: nil,
          isTable: table.map { !$0.isWithoutRowid } ?? isTreeOfRowids(entry.root)))
    }
    for entry in entries where entry.kind == .index && entry.hasStorage {
      guard limits.allowsDefinition() else {
        lostDefinitions.append(entry.title)
        continue
      }
      if !entry.isAutomatic, try !writer.create(entry) { lostDefinitions.append(entry.title) }
      let index = try SalvagedIndex(name: entry.name, in: writer.connection)
      objects.append(SalvagedObject(entry, table: nil, index: index, isTable: false))
    }
  }

  /// Creates what has no rows of its own. Triggers come last, and don't fire.
  private func createOthers(
    _ entries: [SchemaEntry], _ writer: SalvageWriter, _ limits: SalvageLimits
  ) throws {
    for kind in [SchemaEntry.Kind.view, .trigger] {
      for entry in entries where entry.kind == kind {
        if try !limits.allowsOther() || !writer.create(entry) {
          lostDefinitions.append(entry.title)
        }
      }
    }
    for entry in entries where entry.isVirtual {
      if limits.allowsOther(), try writer.addVirtualTable(entry) {
        virtualTables.append(entry)
      } else {
        lostDefinitions.append(entry.title)
      }
    }
  }

  // MARK: Rows

  private func saveRows(
    _ pages: SalvagePages, _ payloads: PayloadReader, _ schema: SalvagedSchema,
    _ writer: SalvageWriter, _ limits: SalvageLimits
  ) throws {
    var walk = SalvageWalk(pages)
    var tree = schema.tree
    walk.walk(&tree)
    walk.add(schema.orphans)
    for object in objects where !object.hasRows { walk.walk(&object.tree) }
    // Inserting rows changes the sequences.
    let tables = objects.filter(\.hasRows)
    for object in tables.filter({ !$0.isSequence }) + tables.filter(\.isSequence) {
      if object.isSequence { try writer.beginSequences() }
      try walk.walk(&object.tree) { page, cells in
        try save(page, cells, payloads, to: object, root: object.entry.root, writer)
      }
      if object.isSequence { try writer.endSequences(areAllKnown: object.tree.gaps.isEmpty) }
    }
    pages.settleFreePages { walk.hasVisited($0) }
    let orphans = OrphanPages(pages, objects, limits, isSchemaComplete: schema.isComplete) {
      walk.hasVisited($0)
    }
    try orphans.forEach { page, owner in
      switch owner {
      case .object(let object):
        object.orphanCount += 1
        try save(page, page.cells.indices, payloads, to: object, root: object.entry.root, writer)
      case .unknown(let root):
        try save(page, page.cells.indices, payloads, to: nil, root: root, writer)
      case .none: break
      }
    }
  }

  /// Inserts the rows of cells into their table, or into that for lost rows.
  private func save(
    _ page: BTreePage, _ cells: Range<Int>, _ payloads: PayloadReader, to object: SalvagedObject?,
    root: Int?, _ writer: SalvageWriter
  ) throws {
    for cell in page.cells[cells] {
      guard try !writer.isFull(), let (bytes, range) = payloads.payload(of: cell, on: page),
        record.load(bytes, range)
      else {
        object?.lostRows += 1
        continue
      }
      if let object, let table = object.table {
        if try writer.insert(record, rowid: cell.rowid, into: table) {
          object.savedRows += 1
          continue
        }
        object.rejectedRows += 1
      }
      let isSaved = try writer.insertLost(
        record, root: root, page: page.number, rowid: page.kind.isTable ? cell.rowid : nil,
        reserved: names)
      if !isSaved { object?.lostRows += 1 }
    }
    leavesDone += page.kind.isLeaf ? 1 : 0
    if leavesDone % 256 == 0 {
      try reports.report(.copying, 0.25 + 0.75 * Double(leavesDone) / Double(max(1, leafCount)))
    }
  }

  // MARK: Report

  private func report(
    _ summary: Summary, _ pages: SalvagePages, _ schema: SalvagedSchema, _ writer: SalvageWriter,
    _ limits: SalvageLimits, _ damagedVirtualTables: [String]
  ) -> SalvageReport {
    let tables = objects.lazy.filter { $0.table != nil }.map { object in
      SalvageReport.Table(
        name: object.entry.name, savedRows: object.savedRows, lostRows: object.lostRows,
        lostPages: object.lostPages(isDamageExplained: summary.isDamageExplained),
        rejectedRows: object.rejectedRows)
    }
    let source = pages.source
    let isHeaderLost = source.header == nil
    return SalvageReport(
      isComplete: tables.allSatisfy(\.isComplete) && !isHeaderLost && schema.isComplete
        && lostDefinitions.isEmpty && damagedVirtualTables.isEmpty && writer.lostRowCount == 0
        && !source.hasLostCommits && limits.reached.isEmpty,
      tables: Array(tables), pageCount: source.pageCount,
      missingPageCount: source.pageCount - source.storedCount, damagedPages: summary.damagedPages,
      isAuthenticated: source.isAuthenticated, isHeaderLost: isHeaderLost,
      isSchemaComplete: schema.isComplete, lostDefinitions: lostDefinitions,
      damagedVirtualTables: damagedVirtualTables, lostAndFoundTable: writer.lostTable,
      lostAndFoundRows: writer.lostRowCount,
      mayHoldDeletedRows: writer.lostRowCount > 0 && !pages.knowsAllFree,
      hasLostCommits: source.hasLostCommits,
      reachedLimits: SalvageLimit.allCases.filter(limits.reached.contains))
  }

  /// The damaged pages, and whether all of them are accounted for.
  private struct Summary {
    let damagedPages: [Int]
    /// Whether no damaged page can have had rows of which nothing else is known.
    let isDamageExplained: Bool

    init(
      _ pages: SalvagePages, _ payloads: PayloadReader, _ schema: SalvagedSchema,
      _ objects: [SalvagedObject]
    ) {
      let source = pages.source
      var known = payloads.lostPages.union(schema.tree.gaps.map(\.page))
      for object in objects { known.formUnion(object.tree.gaps.map(\.page)) }
      let damaged = pages.damagedPages
      let isMissingKnown =
        known.count { $0 > source.storedCount && $0 <= source.pageCount }
        == source.pageCount - source.storedCount
      isDamageExplained =
        isMissingKnown
        && damaged.allSatisfy {
          known.contains($0) || pages.isFree($0) || pages.isPointerMap($0)
        }
      damagedPages = known.union(damaged).filter { $0 >= 1 && $0 <= source.storedCount }.sorted()
    }
  }
}

extension SchemaEntry {
  /// The kind and the name, for the report.
  fileprivate var title: String { "\(kind.rawValue) \(name)" }
}

extension SalvagedObject {
  /// Whether the table is that of SQLite with the highest rowids.
  fileprivate var isSequence: Bool { SQLName(entry.name) == SQLName("sqlite_sequence") }
}
