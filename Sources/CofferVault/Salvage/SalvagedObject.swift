import CofferSQLite

/// A table or an index of a damaged database, and what has been saved of it.
final class SalvagedObject {
  let entry: SchemaEntry
  /// The table in the new file; nil for an index, and if the table's definition is lost.
  let table: SalvagedTable?
  /// Nil for a table, and if the index's definition is lost.
  let index: SalvagedIndex?
  var tree: SalvageTree

  var savedRows = 0
  var lostRows = 0
  var rejectedRows = 0
  /// The number of its pages that its tree didn't lead to.
  var orphanCount = 0
  /// Whether rows that may belong to it are in the table for lost ones.
  var hasDoubtfulRows = false

  init(_ entry: SchemaEntry, table: SalvagedTable?, index: SalvagedIndex?, isTable: Bool) {
    self.entry = entry
    self.table = table
    self.index = index
    tree = SalvageTree(root: entry.root, isTable: isTable)
  }

  /// Whether its pages hold rows, and not only an index of them.
  var hasRows: Bool { entry.kind == .table }

  /// Whether a record may belong to it. False only if it certainly doesn't.
  func canHold(_ record: SalvagedRecord) -> Bool {
    table?.canHold(record) ?? index?.canHold(record) ?? true
  }

  /// The lost pages on which rows were.
  ///
  /// - Parameter isDamageExplained: Whether each other damaged page is known to have had none.
  func lostPages(isDamageExplained: Bool) -> [Int] {
    let lost = tree.gaps.filter { gap in
      // Inner pages of a table hold no rows. What they led to has been found, unless it is damaged.
      let height = tree.height(of: gap)
      let isInterior = height.map { $0 > 0 } ?? (orphanCount > 0)
      return
        !(tree.isTable && isInterior && orphanCount > 0 && isDamageExplained
        && !hasDoubtfulRows)
    }
    // A damaged tree can lead to a page several times.
    return Set(lost.lazy.map(\.page)).sorted()
  }
}
